"""The proxy a person has named: its URL, and the credential that stands in the config file beside it."""

import binascii
import re
from typing import Final, NamedTuple

from guarded_webfetch.broker import config_file
from guarded_webfetch.core.reasons import Refusal

_URL: Final = re.compile(
    r"http://(?:(?P<userinfo>[^@/?#\s]*)@)?(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<host>[a-z0-9._-]{1,253})):(?P<port>[0-9]{1,5})/?",
    re.ASCII | re.IGNORECASE,
)
_USERINFO: Final = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*")  # RFC 3986 section 3.2.1
_ENCODED: Final = re.compile(rb"%([0-9A-Fa-f]{2})")


class Proxy(NamedTuple):
    """Where an HTTP proxy listens: an ASCII name, or an address without brackets."""

    host: str
    port: int


def parse(text: str) -> tuple[Proxy, str]:
    """The proxy of `http://[user:password@]host:port`, and its userinfo as written ("" for none). ValueError for all else."""
    found = _URL.fullmatch(text)
    if found is None or not 0 < int(found["port"]) < 65_536:
        raise ValueError("not the URL of an HTTP proxy")
    return Proxy((found["six"] or found["host"]).lower(), int(found["port"])), found["userinfo"] or ""


def authorization(proxy: Proxy) -> bytes | None:
    """The value of Proxy-Authorization (RFC 7617) when the config file names this proxy with a user; None otherwise.

    A child forked after this call would inherit the credential. Refusal config_invalid.
    """
    text = config_file.read(with_credential=True)
    if text is None:
        return None
    import tomllib

    try:
        value = tomllib.loads(text.decode("utf-8")).get("proxy")
        found, userinfo = (None, "") if value is None else parse(value)
    except (ValueError, TypeError):
        raise Refusal("config_invalid") from None
    return _basic(userinfo) if userinfo and found == proxy else None


def _basic(userinfo: str) -> bytes:
    if not _USERINFO.fullmatch(userinfo):
        raise Refusal("config_invalid")
    named = userinfo if ":" in userinfo else userinfo + ":"
    credential = _ENCODED.sub(lambda found: bytes.fromhex(found[1].decode()), named.encode())
    if any(byte < 0x20 or byte == 0x7F for byte in credential):
        raise Refusal("config_invalid")
    return b"Basic " + binascii.b2a_base64(credential, newline=False)
