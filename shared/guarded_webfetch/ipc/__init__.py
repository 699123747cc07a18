"""How processes talk: length-checked frames over pipes, strict JSON, one passed socket."""
