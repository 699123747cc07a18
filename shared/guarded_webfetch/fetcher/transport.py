"""httpx on the one passed socket: a transport without names, proxies, redirects, cookies, retries or reuse."""

import ssl
from collections.abc import Iterator
from typing import cast

import httpcore
import httpx

from guarded_webfetch.core.messages import FetchOrder
from guarded_webfetch.fetcher.one_socket import OneSocketBackend
from guarded_webfetch.fetcher.wire_meter import WireMeter


class _WireBody(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._response.iter_stream())

    def close(self) -> None:
        self._response.close()


class OneSocketTransport(httpx.BaseTransport):
    """Sends one request. Errors are httpcore's, h11's and ssl's own: `errors.reason_for` names them all."""

    def __init__(self, fd: int, meter: WireMeter, context: ssl.SSLContext | None) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=context,
            max_connections=1,
            max_keepalive_connections=0,
            http1=True,
            http2=False,
            retries=0,
            network_backend=OneSocketBackend(fd, meter),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = httpcore.URL(scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=b"/")
        response = self._pool.handle_request(
            httpcore.Request(
                request.method,
                url,
                headers=request.headers.raw,
                content=cast(httpx.SyncByteStream, request.stream),
                extensions=request.extensions,
            )
        )
        return httpx.Response(response.status, headers=response.headers, stream=_WireBody(response), request=request)

    def close(self) -> None:
        self._pool.close()


def ordered_request(scheme: str, order: FetchOrder) -> httpx.Request:
    """Exactly the headers of the order after Host, and its target byte for byte (the URL serves for the name only)."""
    return httpx.Request(
        "GET",
        httpx.URL(scheme=scheme, host=order["host"].removesuffix("."), port=order["port"], path="/"),
        headers=[("Host", order["host_header"]), *((name, value) for name, value in order["headers"])],
        extensions={"target": order["target"].encode("ascii")},
    )
