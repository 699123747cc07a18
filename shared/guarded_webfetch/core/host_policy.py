"""Which hosts may be asked for: public names and canonical public addresses, in one spelling.

Sources: WHATWG URL section 3.5 (host parsing), UTS 46 (non-transitional processing, section 4.1 validity criteria),
RFC 1035 section 2.3.4 (lengths), RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476 and the ICANN board resolutions on
.internal, .home, .corp and .mail (special names).
"""

from typing import Final

from guarded_webfetch.core.address_policy import classify_address, format_address, parse_ipv4, parse_ipv6
from guarded_webfetch.core.reasons import Refusal

MAX_NAME_CHARS: Final = 253
MAX_LABEL_CHARS: Final = 63

# Last labels that never name a site on the public internet. Real top-level domains that resemble them (.homes, .zip,
# .network, .mov, .international) are not here.
SPECIAL_LABELS: Final = frozenset({
    "alt", "arpa", "consul", "corp", "example", "home", "i2p", "internal", "intranet", "invalid", "lan", "local",
    "localdomain", "localhost", "mail", "onion", "private", "svc", "test",
})  # fmt: skip

_LABEL_CHARS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
_DIGITS: Final = frozenset("0123456789")
_HEX_DIGITS: Final = frozenset("0123456789abcdef")
_JOINERS: Final = "\u200c\u200d"  # allowed only where IDNA's CONTEXTJ rules need them
# Capital sharp s is "ss" to readers with UTS 46 tables before 15.1 and sharp s to later ones: two different hosts.
_AMBIGUOUS: Final = frozenset("\u1e9e")
# Scripts whose letters pass for each other; a label that mixes two of them is worth a notice.
_LOOKALIKE_SCRIPTS: Final = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"})


def parse_host(text: str) -> tuple[str, bool]:
    """(host, is_literal): the ASCII lower-case name, or the canonical address without brackets.

    Raises Refusal url_host for what is not one canonical spelling, name_not_public for special and single-label names,
    address_not_public for an address literal outside the public blocks.
    """
    if text.startswith("["):
        return _literal(parse_ipv6(text[1:-1]) if text.endswith("]") else None), True
    name = text.lower() if text.isascii() else to_ascii(text)
    if _ends_in_number(name):
        return _literal(parse_ipv4(text)), True
    name = name.removesuffix(".")
    labels = name.split(".")
    if len(name) > MAX_NAME_CHARS or not all(map(_is_label, labels)):
        raise Refusal("url_host")
    if len(labels) < 2 or labels[-1] in SPECIAL_LABELS:
        raise Refusal("name_not_public")
    if not _is_top_level(labels[-1]):
        raise Refusal("url_host")
    if any(label.startswith("xn--") for label in labels):
        _check_labels([_decode_label(label) for label in labels])
    return name, False


def to_ascii(text: str) -> str:
    """A name with non-ASCII letters as A-labels, mapped by UTS 46 without transitional rules.

    Raises Refusal url_host for characters that vanish in the mapping (soft hyphen, zero width space, selectors …): a
    person cannot see them, so two hosts would look like one.
    """
    import idna

    if len(text) > 4 * MAX_NAME_CHARS or not _AMBIGUOUS.isdisjoint(text):
        raise Refusal("url_host")
    try:
        if not all(idna.uts46_remap(char, std3_rules=False) for char in set(text)):
            raise Refusal("url_host")
        mapped = idna.uts46_remap(text, std3_rules=False)
        return ".".join(map(_encode_label, mapped.split(".")))
    except (idna.IDNAError, UnicodeError) as error:
        raise Refusal("url_host") from error


def mixed_script(host: str) -> bool:
    """True when a label of an ASCII host mixes scripts that look alike, as Latin and Cyrillic do.

    Kanji, kana and Latin together are ordinary Japanese and give no notice.
    """
    if "xn--" not in host:
        return False
    return any(len(_scripts(_decode_label(label)) & _LOOKALIKE_SCRIPTS) > 1 for label in host.split("."))


def _scripts(label: str) -> set[str]:
    import unicodedata

    return {unicodedata.name(char, "").partition(" ")[0] for char in label if char.isalpha()}


def _literal(packed: bytes | None) -> str:
    if packed is None:
        raise Refusal("url_host")
    if classify_address(packed) != "public":
        raise Refusal("address_not_public")
    return format_address(packed)


def _ends_in_number(name: str) -> bool:
    """WHATWG URL "ends in a number checker": such a host must be an address, whatever stands before."""
    last = name.removesuffix(".").rpartition(".")[2]
    return bool(last) and (_DIGITS.issuperset(last) or (last[:2] == "0x" and _HEX_DIGITS.issuperset(last[2:])))


def _is_label(label: str) -> bool:
    return 0 < len(label) <= MAX_LABEL_CHARS and _LABEL_CHARS.issuperset(label)


def _is_top_level(label: str) -> bool:
    """RFC 1123 section 2.1: the highest label is alphabetic; A-labels add digits and hyphens after the first letter."""
    return label[0] not in "0123456789-_" and label[-1] not in "-_" and "_" not in label


def _encode_label(label: str) -> str:
    return label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")


def _decode_label(label: str) -> str:
    """The U-label of an A-label, others unchanged. Raises Refusal url_host for one that is not canonical."""
    if not label.startswith("xn--"):
        return label
    try:
        decoded = label[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError, OverflowError) as error:
        raise Refusal("url_host") from error
    if decoded.isascii() or decoded.startswith("xn--") or _encode_label(decoded) != label:
        raise Refusal("url_host")
    return decoded


def _check_labels(labels: list[str]) -> None:
    """UTS 46 validity of decoded labels: mapped already, no leading mark, joiners in context, Bidi rule (RFC 5893)."""
    import unicodedata

    import idna

    is_bidi = any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for label in labels for char in label)
    try:
        for label in labels:
            if idna.uts46_remap(label, std3_rules=False) != label or "." in label:
                raise Refusal("url_host")
            idna.check_initial_combiner(label)
            if not all(idna.valid_contextj(label, at) for at, char in enumerate(label) if char in _JOINERS):
                raise Refusal("url_host")
            if is_bidi:
                idna.check_bidi(label, check_ltr=True)
    except (idna.IDNAError, ValueError) as error:
        raise Refusal("url_host") from error
