"""The optional summary by a model: a process of its own, which a person switches on, and which no page can steer further than its words."""
