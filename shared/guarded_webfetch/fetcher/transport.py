"""One request on the passed socket by httpcore, the transport of httpx: no names, proxies, redirects, cookies or retries."""

import ssl

import httpcore

from guarded_webfetch.core.messages import FetchOrder
from guarded_webfetch.fetcher.one_socket import SocketStream
from guarded_webfetch.fetcher.wire_meter import WireMeter


def ordered_request(scheme: str, order: FetchOrder) -> httpcore.Request:
    """Exactly the headers of the order after Host, and its target byte for byte."""
    url = httpcore.URL(
        scheme=scheme.encode("ascii"),
        host=order["host"].removesuffix(".").encode("ascii"),
        port=order["port"],
        target=order["target"].encode("ascii"),
    )
    headers = [("Host", order["host_header"]), *((name, value) for name, value in order["headers"])]
    return httpcore.Request("GET", url, headers=headers)


def open_connection(
    fd: int, meter: WireMeter, context: ssl.SSLContext | None, origin: httpcore.Origin
) -> httpcore.HTTP11Connection:
    """A connection of its own for one exchange, TLS included where there is a context. ssl.SSLError passes through.

    httpcore refuses a request for another origin on it (RuntimeError).
    """
    stream: httpcore.NetworkStream = SocketStream(fd, meter)
    if context is not None:
        stream = stream.start_tls(context, origin.host.decode("ascii"))
    return httpcore.HTTP11Connection(origin, stream)
