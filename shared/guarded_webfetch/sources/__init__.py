"""Reading many sources for a job: fetched first, checked and stored, so that the agent only has to read files."""
