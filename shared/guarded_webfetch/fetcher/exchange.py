"""One request, one answer: the head as a message, then, when the broker says go, the decoded body in chunks."""

import ssl

import httpcore

from guarded_webfetch.core.limits import MAX_HEADER_BYTES, MAX_HEADER_FIELDS
from guarded_webfetch.core.messages import FetchEnd, FetcherSetup, FetchHead, FetchOrder, FetchStatus
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.fetcher import errors
from guarded_webfetch.fetcher.body_decoder import BodyDecoder
from guarded_webfetch.fetcher.transport import open_connection, ordered_request
from guarded_webfetch.fetcher.wire_meter import WireMeter
from guarded_webfetch.ipc.channel import Channel

_BODILESS_STATUS = frozenset((204, 304))  # RFC 9112 section 6.3


def run(channel: Channel, setup: FetcherSetup, context: ssl.SSLContext | None, fd: int, order: FetchOrder) -> None:
    """Sends status and head, waits for the go, sends the body and FetchEnd; a failure goes through channel.fail."""
    meter = WireMeter()
    try:
        request = ordered_request(setup["scheme"], order)
        with open_connection(fd, meter, context, request.url.origin) as connection:
            response = _head(connection, request, meter)
            channel.send_message(FetchStatus(status=response.status))
            channel.send_message(_fetch_head(response))
            channel.receive_message()  # {"go": true}; a broker that wants no body kills instead
            whole = _send_body(channel, response, meter, order["max_bytes"])
            unproved = _ends_with_connection(response) and not meter.end_proved
            channel.send_message(FetchEnd(length_unknown=whole and unproved))
    except Refusal as refusal:
        channel.fail(refusal.code)
    except errors.MAPPED as error:
        channel.fail(errors.reason_for(error, meter))


def _head(connection: httpcore.HTTP11Connection, request: httpcore.Request, meter: WireMeter) -> httpcore.Response:
    response = connection.handle_request(request)
    meter.head_complete()
    if len(response.headers) > MAX_HEADER_FIELDS:
        raise Refusal("headers_too_large")
    return response


def _fetch_head(response: httpcore.Response) -> FetchHead:
    return FetchHead(headers=[[name.decode("latin-1"), value.decode("latin-1")] for name, value in _fields(response)])


def _fields(response: httpcore.Response) -> list[tuple[bytes, bytes]]:
    """Header fields in wire order, names in lower case."""
    return [(name.lower(), value) for name, value in response.headers]


def _send_body(channel: Channel, response: httpcore.Response, meter: WireMeter, max_bytes: int) -> bool:
    """Sends at most max_bytes + 1 decoded bytes, so that the broker sees an excess; tells whether it was all."""
    decoder = BodyDecoder([value.decode("latin-1") for name, value in _fields(response) if name == b"content-encoding"])
    left = max_bytes + 1
    for encoded in response.iter_stream():
        meter.body_bytes += len(encoded)
        for piece in decoder.decode(encoded):
            channel.send_bytes(piece[:left])
            left -= min(left, len(piece))
            if not left:
                return False
        if meter.body_bytes > max_bytes + MAX_HEADER_BYTES:  # coded, and still larger than what it may decode to
            raise Refusal("body_too_large")
    decoder.finish()
    return True


def _ends_with_connection(response: httpcore.Response) -> bool:
    """RFC 9112 section 6.3, rule 8: neither a length nor chunks, so only the end of the connection ends the body."""
    names = {name for name, _ in _fields(response)}
    delimited = b"content-length" in names or b"transfer-encoding" in names
    return not delimited and response.status not in _BODILESS_STATUS
