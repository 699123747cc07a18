"""No exception of the libraries below is left without a reason code."""

import ssl
from collections.abc import Iterator

import h11
import httpcore
import pytest

from guarded_webfetch.core.reasons import REASONS
from guarded_webfetch.fetcher.errors import MAPPED, reason_for
from guarded_webfetch.fetcher.wire_meter import Stage, WireMeter


def exceptions_of(module: object) -> Iterator[type[Exception]]:
    for name in vars(module):
        found = getattr(module, name)
        if isinstance(found, type) and issubclass(found, Exception):
            yield found


def meter(stage: Stage, *, ended: bool = False, received_bytes: int = 0) -> WireMeter:
    result = WireMeter()
    result.stage, result.ended, result.received_bytes = stage, ended, received_bytes
    return result


EVERY = [error for module in (httpcore, h11, ssl) for error in exceptions_of(module)]


def test_the_walk_found_the_trees() -> None:
    names = {error.__name__ for error in EVERY}
    assert {"PoolTimeout", "ReadError", "RemoteProtocolError", "ConnectionNotAvailable", "SSLEOFError"} <= names
    assert len(EVERY) > 25


@pytest.mark.parametrize("error", EVERY, ids=lambda error: f"{error.__module__}.{error.__name__}")
@pytest.mark.parametrize("stage", Stage)
def test_every_exception_has_a_reason(error: type[Exception], stage: Stage) -> None:
    assert issubclass(error, MAPPED)
    assert reason_for(error.__new__(error), meter(stage)) in REASONS


def test_an_exception_of_ours_has_none() -> None:
    with pytest.raises(LookupError):
        reason_for(RuntimeError(), meter(Stage.HEAD))


@pytest.mark.parametrize(
    ("error", "handshake", "head", "body"),
    [
        (ssl.SSLCertVerificationError(), "tls_certificate", "tls_certificate", "tls_certificate"),
        (ssl.SSLError(), "tls_failed", "tls_failed", "body_incomplete"),
        (ConnectionResetError(), "tls_failed", "connect_failed", "body_incomplete"),
        (httpcore.ReadError(), "tls_failed", "connect_failed", "body_incomplete"),
        (httpcore.WriteError(), "tls_failed", "connect_failed", "body_incomplete"),
        (httpcore.ReadTimeout(), "fetch_deadline", "fetch_deadline", "fetch_deadline"),
        (httpcore.RemoteProtocolError(), "http_protocol", "http_protocol", "http_protocol"),
        (h11.RemoteProtocolError(""), "http_protocol", "http_protocol", "http_protocol"),
        (httpcore.UnsupportedProtocol(), "internal_error", "internal_error", "internal_error"),
        (httpcore.ConnectionNotAvailable(), "internal_error", "internal_error", "internal_error"),
    ],
)
def test_reasons_by_stage(error: Exception, handshake: str, head: str, body: str) -> None:
    assert [reason_for(error, meter(stage)) for stage in Stage] == [handshake, head, body]


@pytest.mark.parametrize(
    ("stage", "ended", "received_bytes", "reason"),
    [
        (Stage.HEAD, True, 0, "connect_failed"),
        (Stage.HEAD, True, 10, "http_protocol"),
        (Stage.HEAD, False, 10, "http_protocol"),
        (Stage.BODY, True, 10, "body_incomplete"),
        (Stage.BODY, False, 10, "http_protocol"),
    ],
)
def test_h11_calls_an_early_end_a_protocol_error(stage: Stage, ended: bool, received_bytes: int, reason: str) -> None:
    error = httpcore.RemoteProtocolError()
    assert reason_for(error, meter(stage, ended=ended, received_bytes=received_bytes)) == reason
