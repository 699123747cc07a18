"""The resolver child: one name in, packed addresses out."""
