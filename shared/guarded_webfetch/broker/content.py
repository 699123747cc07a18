"""From bytes to clean text: one parser, then one sanitizer, each checked against its own schema and gone before the next."""

from typing import NamedTuple, cast

from guarded_webfetch.broker.crew import Crew
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import Options
from guarded_webfetch.core import limits
from guarded_webfetch.core.messages import Parsed, ParseOrder, Sanitized, SanitizeOrder
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.ipc import frames


class Source(NamedTuple):
    """Bytes to read and what is known about them."""

    content: bytes
    verbatim: bool
    order: ParseOrder


class Content(NamedTuple):
    """What the two children said, each in its own words."""

    parsed: Parsed
    sanitized: Sanitized


def read(source: Source, urls: list[str], options: Options, crew: Crew, deadline: Deadline) -> Content:
    """The content of `source`; `urls` are URLs the server chose, to be matched like a title."""
    parsed = _parse(source, crew, deadline)
    order: SanitizeOrder = {
        "kind": source.order["kind"],
        "verbatim": source.verbatim,
        "title": parsed["title"],
        "blocks": parsed["blocks"],
        "links": parsed["links"],
        "hidden": parsed["hidden"],
        "source": parsed["source"] if options.raw_html else None,
        "summary": options.summary,
        "link_style": options.links,
        "urls": urls,
    }
    sanitizer = crew.sanitizer(deadline)
    try:
        sanitizer.send_message(order, deadline)
        said = sanitizer.receive_message("sanitized", limits.FRAME_SANITIZED_BYTES, deadline)
    finally:
        sanitizer.kill()
    sanitized = cast(Sanitized, said)
    expected = (len(order["links"]), len(urls))
    if (len(sanitized["link_texts"]), len(sanitized["url_matches"])) != expected:
        raise Refusal("child_frame_invalid")
    if not sanitized["raw_text"].strip():
        raise Refusal("extract_empty")
    return Content(parsed, sanitized)


def _parse(source: Source, crew: Crew, deadline: Deadline) -> Parsed:
    if source.order["kind"] == "pdf":
        deadline = deadline.named(deadline.code, within_s=limits.PDF_DEADLINE_S)
    parser = crew.parser(source.order["kind"], deadline)
    parser.blame_content()
    order = source.order
    try:
        if order["kind"] == "pdf":
            order = {**order, "seconds": round(deadline.remaining_s(), 3)}
        parser.send_message(order, deadline)
        parser.send(frames.BYTES, source.content, deadline)
        return cast(Parsed, parser.receive_message("parsed", limits.FRAME_PARSED_BYTES, deadline))
    finally:
        parser.kill()
