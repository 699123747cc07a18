"""The parser process: load what the kind of content needs, lock, take one body, answer once."""

from typing import TYPE_CHECKING

from guarded_webfetch.core.limits import MAX_PDF_BYTES
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.ipc.channel import Channel, Lock

if TYPE_CHECKING:
    from guarded_webfetch.core.messages import Parsed, ParseOrder, ParserKind, RobotsOrder, RobotsVerdict


def main(channel: Channel, lock: Lock) -> None:
    """One ParserSetup, one order and one body in; one Parsed, one RobotsVerdict or one reason code out."""
    kind: ParserKind = channel.receive_message()["kind"]
    load(kind)
    channel.send_ready(lock())
    order: ParseOrder | RobotsOrder = channel.receive_message()
    body = channel.receive_bytes(MAX_PDF_BYTES)
    try:
        parsed = parse(body, order)
    except Refusal as refusal:
        channel.fail(refusal.code)
    except (MemoryError, RecursionError):
        channel.fail("resource_limit")
    channel.send_message(parsed)


def load(kind: "ParserKind") -> None:
    """Imports and warms everything that parsing this kind may ask for: after the lock no file can be opened."""
    if kind == "pdf":
        from guarded_webfetch.parser.pdf import warm_pdf

        warm_pdf()
        return
    if kind == "robots":
        from guarded_webfetch.parser import robots  # noqa: F401

        return
    from guarded_webfetch.parser.warm import warm_codecs, warm_html

    warm_codecs()
    if kind == "html":
        warm_html()


def parse(body: bytes, order: "ParseOrder | RobotsOrder") -> "Parsed | RobotsVerdict":
    """The answer for one body. Raises Refusal, MemoryError or RecursionError."""
    if order["kind"] == "robots":
        from guarded_webfetch.parser.robots import answer

        return answer(body, order)
    if order["kind"] == "pdf":
        from guarded_webfetch.parser.pdf import parse_pdf

        return parse_pdf(body, order)
    if order["kind"] == "html":
        from guarded_webfetch.parser.html_page import parse_html

        return parse_html(body, order)
    from guarded_webfetch.parser.plain import parse_plain

    return parse_plain(body, order)
