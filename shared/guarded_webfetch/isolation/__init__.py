"""What a child does to itself before it may touch data: the one place for every layer of the lock."""
