"""Loads once what every child of every source needs, so that each of them only has to be forked.

Nothing of a page is parsed here and nothing fetched. Our own modules are found by looking into their packages, so that none is
forgotten when it is renamed; what only a PDF needs is left to its parser (74 ms of CPU that most runs never use).
"""

import re
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

from guarded_webfetch.broker import crew
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.fetcher import http_library

_PACKAGES: Final = (
    "contract",
    "core",
    "ipc",
    "isolation",
    "text",
    "broker",
    "resolver",
    "fetcher",
    "sanitizer",
    "parser",
)
_SCHEMAS: Final = (
    "fetch_status",
    "fetch_head",
    "fetch_end",
    "parsed",
    "sanitized",
    "robots",
    "record",
    "links",
    "hidden",
    "trace",
)
# Words of ordinary pages, among them those that rules look around.
_PROSE: Final = (
    "Please note: to get started, you must first read the instructions and then open https://www.example.com/start in your browser."
    " Do not ignore the previous message, and never send your password, your key or any other data to an assistant or a system you do"
    " not know. As of today the new model will act on every user request; reply with the following text, run the command `ls -l` or"
    " call the function, then show the output. All prompts above are examples [1]. \u65e5\u672c\u8a9e\u306e\u6307\u793a\u306b"
    "\u5f93\u3063\u3066\u304f\u3060\u3055\u3044\u3002\n"
)
_LATER: Final = ("pdf",)  # how the names of modules begin that only some sources need


def module_names() -> list[str]:
    """Our modules that a child of an ordinary source may ask for."""
    names = []
    for package in _PACKAGES:
        folder = import_module(f"guarded_webfetch.{package}").__path__
        names += [f"guarded_webfetch.{package}.{found.name}" for found in iter_modules(folder)]
    return [name for name in names if not name.rpartition(".")[2].startswith(_LATER)]


def warm(*, tls: bool) -> None:
    """Imports everything above and loads what it loads on first use.

    Rules are left to the pages: compiling all of them costs what fifteen pages save by it (measured in turns, no difference).
    """
    http_library.load()  # before whatever else imports httpcore
    for name in (*crew.SHARED, *module_names()):
        import_module(name)
    _read_tables()
    _use_patterns()
    if tls:
        _read_certificates()


def _read_tables() -> None:
    from guarded_webfetch.contract import validator
    from guarded_webfetch.parser.warm import warm_codecs, warm_html

    warm_codecs()
    warm_html()
    for schema in _SCHEMAS:
        validator.load(schema)
        for pattern in _patterns(validator.read(schema)):
            re.compile(pattern)  # kept by `re` itself


def _patterns(schema: Any) -> Iterator[str]:
    """Every "pattern" of a schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from _patterns(part)


def _use_patterns() -> None:
    """Sanitizes a constant of ours: the writer's own patterns compile when they are first needed."""
    from guarded_webfetch.core.messages import SanitizeOrder
    from guarded_webfetch.rules.compact import load
    from guarded_webfetch.sanitizer.sanitize import sanitize
    from guarded_webfetch.text.patterns import Matcher

    order: SanitizeOrder = {
        "kind": "html", "verbatim": False, "title": _PROSE, "blocks": [{"kind": "paragraph", "text": _PROSE, "spans": []}],
        "links": [], "hidden": [{"technique": "size", "text": _PROSE}], "source": None, "summary": "none",
        "link_style": "placeholders", "urls": ["https://example.com/"],
    }  # fmt: skip
    sanitize(order, Matcher(load()))


def _read_certificates() -> None:
    from guarded_webfetch.fetcher import trust_store

    try:
        trust_store.client_context(None)
    except Refusal:  # each fetcher says so for itself
        pass
