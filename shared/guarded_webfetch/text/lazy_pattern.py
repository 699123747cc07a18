"""Patterns of `re` that compile on first use: most pages need few of them, and compiling costs more than matching."""

import re
import sys
from collections.abc import Iterator
from functools import cached_property


class LazyPattern:
    """Searches like the `re.Pattern` of the same arguments."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self._arguments = (source, flags)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(*self._arguments)

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.compiled.match(text, start, end)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.compiled.search(text, start, end)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(text, start, end)
