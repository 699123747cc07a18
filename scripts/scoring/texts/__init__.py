"""Rows of text as the sanitizer delivers them, for the scorers of unicode, fence, exfil and encoded."""
