"""The promise to the caller: the JSON Schemas of the record and of every message between processes."""
