"""What the broker orders from the parser, and what it takes back."""

from typing import Any

import pytest

from guarded_webfetch.broker import content
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.broker.options import Options
from guarded_webfetch.core.limits import PDF_DEADLINE_S
from guarded_webfetch.core.messages import ContentKind
from guarded_webfetch.core.reasons import Refusal


class OrderedError(Exception):
    """Raised in place of an answer: only the order is looked at."""


class Parser:
    """Keeps its order."""

    def __init__(self) -> None:
        self.order: dict[str, Any] = {}
        self.ended = False

    def blame_content(self) -> None:
        pass

    def send_message(self, order: dict[str, Any], deadline: Deadline) -> None:
        self.order = order

    def send(self, *_: object) -> None:
        pass

    def receive_message(self, schema: str, limit_bytes: int, deadline: Deadline) -> None:
        deadline.remaining_s()
        raise OrderedError

    def kill(self) -> None:
        self.ended = True


class Crew:
    def __init__(self) -> None:
        self.only = Parser()

    def parser(self, kind: ContentKind, deadline: Deadline) -> Parser:
        return self.only


def ordered(kind: ContentKind, seconds: float) -> Parser:
    source = content.Source(b"x", False, {"kind": kind, "content_type": "", "charset_header": None, "base_url": "http://a.example/",
                                          "truncated": False})  # fmt: skip
    crew: Any = Crew()
    with pytest.raises(OrderedError):
        content.read(source, [], Options(), crew, Deadline.after(seconds, "parse_deadline"))
    assert crew.only.ended
    return crew.only  # type: ignore[no-any-return]


@pytest.mark.parametrize(("left", "most"), [(60.0, PDF_DEADLINE_S), (20.0, PDF_DEADLINE_S), (4.0, 4.0)])
def test_a_pdf_is_told_the_shorter_of_its_limit_and_what_is_left(left: float, most: float) -> None:
    assert most - 1 < ordered("pdf", left).order["seconds"] <= most


@pytest.mark.parametrize("kind", ["html", "text"])
def test_other_kinds_have_the_deadline_of_the_run(kind: ContentKind) -> None:
    assert "seconds" not in ordered(kind, 4.0).order


def test_a_spent_deadline_ends_it() -> None:
    with pytest.raises(Refusal) as caught:
        ordered("pdf", 0.0)
    assert caught.value.code == "parse_deadline"
