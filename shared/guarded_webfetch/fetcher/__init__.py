"""The fetcher child: TLS, HTTP/1.1 and bounded decoding on one socket that the broker connected and checked."""
