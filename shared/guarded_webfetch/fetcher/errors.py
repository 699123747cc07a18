"""Which reason code an exception of the network libraries means. Their texts quote the remote side and stop here."""

import ssl
from typing import Final, Literal, NamedTuple

import h11
import httpcore

from guarded_webfetch.fetcher.wire_meter import Stage, WireMeter

_Kind = Literal["certificate", "tls", "deadline", "lost", "protocol", "bug"]


class _Row(NamedTuple):
    kind: _Kind
    errors: tuple[type[Exception], ...]


# The first row that fits counts: SSLCertVerificationError is an SSLError, which is an OSError.
_ROWS: Final = (
    _Row("certificate", (ssl.SSLCertVerificationError,)),
    _Row("tls", (ssl.SSLError,)),
    _Row("deadline", (httpcore.TimeoutException,)),
    _Row("lost", (httpcore.NetworkError, OSError)),
    _Row("protocol", (httpcore.ProtocolError, h11.ProtocolError)),
    _Row("bug", (httpcore.UnsupportedProtocol, httpcore.ProxyError, httpcore.ConnectionNotAvailable)),
)

MAPPED: Final = tuple(error for row in _ROWS for error in row.errors)

_LOST: Final = {Stage.HANDSHAKE: "tls_failed", Stage.HEAD: "connect_failed", Stage.BODY: "body_incomplete"}


def reason_for(error: Exception, meter: WireMeter) -> str:
    """The reason code for one of MAPPED, given how far the exchange had come; LookupError for any other exception."""
    kind = next((row.kind for row in _ROWS if isinstance(error, row.errors)), None)
    match kind:
        case "certificate":
            return "tls_certificate"
        case "tls":
            return "body_incomplete" if meter.stage is Stage.BODY else "tls_failed"
        case "deadline":
            return "fetch_deadline"
        case "lost":
            return _LOST[meter.stage]
        case "protocol":
            return _protocol_reason(meter)
        case "bug":
            return "internal_error"
    raise LookupError


def _protocol_reason(meter: WireMeter) -> str:
    """h11 reports an end that came too early as a protocol error as well."""
    if meter.ended and meter.stage is Stage.BODY:
        return "body_incomplete"
    if meter.ended and not meter.received_bytes:
        return "connect_failed"
    return "http_protocol"
