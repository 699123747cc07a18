"""robots.txt (RFC 9309): bytes, a product token and a path in, a verdict out. Pure and linear; made for a locked child.

Where the RFC is silent, Google's published parser (github.com/google/robotstxt) decides, as most files are written for it:
a missing colon, frequent misspellings, half a byte order mark, index.html for its folder, lines cut at 16,663 bytes.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from guarded_webfetch.core.limits import MAX_ROBOTS_BYTES, MAX_ROBOTS_LINE_BYTES
from guarded_webfetch.core.messages import RobotsOrder, RobotsVerdict
from guarded_webfetch.core.robots_policy import Verdict

_BOM: Final = b"\xef\xbb\xbf"
_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
_AGENT: Final = re.compile(rb"[A-Za-z_-]*")
_TOKEN: Final = re.compile(r"[A-Za-z_-]+")
_SECONDS: Final = re.compile(rb"[0-9]{1,6}(?:\.[0-9]{1,6})?")
_KEYS: Final = {
    **dict.fromkeys((b"user-agent", b"useragent", b"user agent"), "agent"),
    b"allow": "allow",
    **dict.fromkeys(
        (b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw", b"disallw"), "disallow"
    ),
    b"crawl-delay": "delay",
}
_HEX: Final = re.compile(rb"%[0-9A-Fa-f]{2}")
_NOT_ASCII: Final = re.compile(rb"[\x80-\xff]")
_UNRESERVED: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
)  # RFC 3986 section 2.3
_MARKS: Final = frozenset(b"-._~")


class Rule(NamedTuple):
    """One allow or disallow line as it is compared; `pattern` keeps what the line said, percent-encoded."""

    allow: bool
    line: int  # 1-based
    pattern: bytes
    pieces: tuple[bytes, ...]  # what stands between the wildcards
    to_end: bool  # the pattern ends with $

    def matches(self, path: bytes) -> bool:
        """Leftmost pieces first, which is enough for `*` and never goes back (RFC 9309 section 2.2.3)."""
        first, *rest = self.pieces
        if not path.startswith(first):
            return False
        if not rest:
            return not self.to_end or len(path) == len(first)
        at = len(first)
        last = rest.pop() if self.to_end else b""
        for piece in rest:
            at = path.find(piece, at)
            if at < 0:
                return False
            at += len(piece)
        return not self.to_end or (path.endswith(last) and len(path) - len(last) >= at)


class Robots(NamedTuple):
    """What one robots.txt asks of one product token."""

    rules: tuple[Rule, ...]
    crawl_delay_s: float | None

    def judge(self, path: str) -> Verdict:
        """`path` with its query, percent-encoded ASCII, as it would be asked for; "" counts as "/"."""
        found = self._deciding(path or "/")
        if found is None:
            return Verdict(True, None, self.crawl_delay_s)
        return Verdict(found.allow, found.line, self.crawl_delay_s)

    def _deciding(self, path: str) -> Rule | None:
        """The longest rule that matches, allow before disallow (section 2.2.2). /robots.txt itself is always allowed."""
        if path.partition("?")[0] == "/robots.txt":
            return None
        written = _verbatim_marks(_encoded(path.encode("utf-8", "replace"), _MARKS))
        ways = {written, _encoded(written, _UNRESERVED)}
        matching = (rule for rule in self.rules if any(map(rule.matches, ways)))
        return max(matching, key=lambda rule: (len(rule.pattern), rule.allow), default=None)


def answer(body: bytes, order: RobotsOrder) -> RobotsVerdict:
    """What the broker is told: no word of the file, only numbers."""
    found = judge(body, order["product_token"], order["path"])
    delay_ms = round(found.crawl_delay_s * 1_000) if found.crawl_delay_s is not None else None
    return {"allowed": found.allowed, "line": found.line, "crawl_delay_ms": delay_ms}


def judge(body: bytes, product_token: str, path: str) -> Verdict:
    """`parse` and `Robots.judge` for one path."""
    return parse(body, product_token).judge(path)


def is_product_token(text: str) -> bool:
    """Whether a crawler may call itself this: letters, `-` and `_` (section 2.2.1)."""
    return _TOKEN.fullmatch(text) is not None


def parse(body: bytes, product_token: str) -> Robots:
    """The rules of every group that names the token, merged; else those of the `*` groups; else none (section 2.2.1)."""
    token = product_token.encode("utf-8", "replace").lower()
    own: list[Rule] = []
    everybody: list[Rule] = []
    delays: dict[bool, float] = {}  # own or everybody's
    is_own = is_everybody = named = in_rules = False
    for number, key, value in _records(body):
        if key == "agent":
            if in_rules:
                is_own = is_everybody = in_rules = False
            is_own |= bool(token) and _agent(value) == token
            is_everybody |= value[:1] == b"*" and not value[1:2].strip()
            named |= is_own
        elif key == "delay":
            for mine in [which for which, applies in ((True, is_own), (False, is_everybody)) if applies]:
                delays[mine] = max(delays.get(mine, 0.0), _delay(value))
        else:
            in_rules = True
            rules = _rules(key == "allow", number, value)
            own += rules if is_own else ()
            everybody += rules if is_everybody else ()
    if not token:
        return Robots((), None)
    return Robots(tuple(own if named else everybody), delays.get(named) or None)


def _records(body: bytes) -> Iterator[tuple[int, str, bytes]]:
    """(line number, key, value) of every line that says something known; other lines do not even end a group."""
    for number, line in enumerate(_lines(body), 1):
        text = line[:MAX_ROBOTS_LINE_BYTES].partition(b"#")[0].strip()
        name, colon, value = text.partition(b":")
        if not colon:
            words = text.split()
            name, value = words if len(words) == 2 else (b"", b"")
        key = _KEYS.get(name.strip().lower())
        if key is not None:
            yield number, key, value.strip()


def _lines(body: bytes) -> list[bytes]:
    """At most MAX_ROBOTS_BYTES of them; a line cut there is left out, since a shorter rule is another rule."""
    lines = _LINE_END.split(body[:MAX_ROBOTS_BYTES])
    if len(body) > MAX_ROBOTS_BYTES and body[MAX_ROBOTS_BYTES : MAX_ROBOTS_BYTES + 1] not in (b"\r", b"\n"):
        lines.pop()
    if lines:
        whole = next((length for length in (3, 2, 1) if lines[0].startswith(_BOM[:length])), 0)
        lines[0] = lines[0][whole:]
    return lines


def _agent(value: bytes) -> bytes:
    """The product token of a user-agent line, without a version or other words behind it."""
    found = _AGENT.match(value)
    return found[0].lower() if found else b""


def _delay(value: bytes) -> float:
    found = _SECONDS.fullmatch(value)
    return float(found[0]) if found else 0.0


def _rules(allow: bool, line: int, value: bytes) -> list[Rule]:
    """An empty value is no rule. Who allows a folder's index.html allows the folder."""
    if not value:
        return []
    rules = [_rule(allow, line, value)]
    folder, slash, page = value.rpartition(b"/")
    if allow and slash and page in (b"index.html", b"index.htm"):
        rules.append(_rule(allow, line, folder + b"/$"))
    return rules


def _rule(allow: bool, line: int, value: bytes) -> Rule:
    escaped = _NOT_ASCII.sub(lambda match: b"%%%02X" % match[0][0], value)
    pattern = _encoded(escaped, _MARKS)
    to_end = pattern.endswith(b"$")
    pieces = pattern.removesuffix(b"$").split(b"*") if to_end else pattern.split(b"*")
    return Rule(allow, line, pattern, tuple(map(_verbatim_marks, pieces)), to_end)


def _encoded(path: bytes, plain: frozenset[int]) -> bytes:
    """Percent-encodings in capitals, those of `plain` characters undone.

    Section 2.2.2 undoes all unreserved ones in the URI; in a rule only the marks (`%7Ejoe` for `~joe`) are, since a rule with an
    encoded letter is compared as it is written (as Google's list has it).
    """

    def one(match: re.Match[bytes]) -> bytes:
        code = int(match[0][1:], 16)
        return bytes((code,)) if code in plain else match[0].upper()

    return _HEX.sub(one, path) if b"%" in path else path


def _verbatim_marks(text: bytes) -> bytes:
    """`*` and `$` as characters of a path, which a rule writes %2A and %24 (section 2.2.3)."""
    return text.replace(b"*", b"%2A").replace(b"$", b"%24")
