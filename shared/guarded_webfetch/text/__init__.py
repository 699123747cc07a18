"""Pure text functions of the sanitizer: text in, edits and findings out. No I/O."""
