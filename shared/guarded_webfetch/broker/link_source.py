"""`--from RECORD L3`: the URL of a link in an earlier record, believed only with its line in the ledger."""

import re
from typing import Final

from guarded_webfetch.broker import ledger
from guarded_webfetch.broker.record_reader import read_record
from guarded_webfetch.core.reasons import Refusal

_LINK: Final = re.compile(r"L([1-9][0-9]{0,6})")


def url_of(record_path: str, link: str) -> str:
    """The URL behind `link` ("L3"). It gets no privilege over a typed one: every check follows as usual.

    Raises Refusal record_unusable (not a record, not a success, or one that waits for confirmation), record_unknown (no line
    in the ledger for exactly these bytes), link_unknown.
    """
    found = _LINK.fullmatch(link)
    if not found:
        raise Refusal("usage_invalid")
    files = read_record(record_path)
    if not ledger.knows(files.record_sha256, files.links_sha256):
        raise Refusal("record_unknown")
    if files.record["outcome"] != "ok" or files.record["verdict"] == "confirm":
        raise Refusal("record_unusable")
    for row in files.links:
        if row["n"] == int(found[1]):
            url: str = row["url"]
            return url
    raise Refusal("link_unknown")
