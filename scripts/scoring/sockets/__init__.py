"""Network cases at socket level: what a case says, the world it needs, and what the connects that were tried mean."""
