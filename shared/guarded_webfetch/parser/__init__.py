"""The parser child: bytes to blocks, hidden text, title and links. No network, no files."""
