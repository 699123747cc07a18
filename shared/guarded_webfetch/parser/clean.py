"""Characters that no text holds, and white space as HTML means it."""

import re
from typing import Final

WHITE_SPACE: Final = " \t\n\r\f"  # ASCII white space as HTML defines it: a no-break space is text
_CONTROL: Final = re.compile(
    "([\ud800-\udfff])|[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]+"
)  # runs at once
_SPACE: Final = re.compile(r"[ \t\n\r\f]+")


def clean_text(text: str) -> str:
    """`text` without control characters; half surrogate pairs become U+FFFD."""
    return _CONTROL.sub(lambda match: "\ufffd" if match[1] else "", text)


def collapse(text: str) -> str:
    """`text` on one line, as a browser shows it."""
    return _SPACE.sub(" ", clean_text(text)).strip(WHITE_SPACE)
