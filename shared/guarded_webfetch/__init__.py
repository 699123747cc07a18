"""guarded-webfetch: reads one URL through locked processes and writes one record."""

__version__ = "0.1.0"
