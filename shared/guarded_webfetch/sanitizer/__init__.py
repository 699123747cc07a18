"""The child that cleans, matches, marks and cuts: blocks in, delivered texts and flags out."""
