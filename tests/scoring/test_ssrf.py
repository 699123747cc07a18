"""The scorer of network cases: it finds what is wrong, and finds nothing wrong with the product."""

import json
from collections import Counter
from pathlib import Path

import pytest
from scoring import ssrf
from scoring.sockets.case import Case
from scoring.sockets.denied import is_denied
from scoring.sockets.world import Seen

from tests.internet.client import SealedInternet
from tests.internet.log import Entries

pytestmark = pytest.mark.sealed
COMMON = {"kind": "url", "profile": "default", "class": "own", "severity": "security", "reason": "made for this test"}
PUBLIC = {"dns": {"example.com": ["93.184.216.34"]}, "url": "http://example.com/"}


def case(name: str, **fields: object) -> dict[str, object]:
    return {"id": name, **COMMON, **fields}


# What the product does here is right; the expectations marked wrong are not.
ROWS = [
    case("right", **PUBLIC, expect="allow"),
    case("right-only", **PUBLIC, expect="allow", connect_only=["93.184.216.34"], max_lookups=1, max_attempts=1),
    case("wrong-refusal", **PUBLIC, expect="refuse"),
    case("wrong-page", url="http://example.com/", dns={"example.com": ["10.0.0.1"]}, expect="allow"),
    case("wrong-never", **PUBLIC, expect="allow", never_connect=["93.184.216.34"]),
    case("wrong-only", **PUBLIC, expect="allow", connect_only=["1.1.1.1"]),
    case("wrong-lookups", **PUBLIC, expect="allow", max_lookups=0),
    case("wrong-notice", **PUBLIC, expect="allow", notice="same_origin"),
    case("wrong-script", **PUBLIC, expect="allow", notice="mixed_script_host"),
    case("right-then", url="http://example.com/robots.txt", then="http://example.com/page", expect="refuse",
         dns_sequence={"example.com": [["93.184.216.34"], ["127.0.0.1"]]}),
    case("wrong-attempts", url="http://dark.example.com/", dns={"dark.example.com": ["1.0.0.1", "1.0.0.2", "1.0.0.3"]},
         unreachable=["1.0.0.1", "1.0.0.2"], expect="allow", max_attempts=2),
]  # fmt: skip
FAULTS = {
    "wrong-refusal": "lenient", "wrong-page": "false_refusal", "wrong-never": "bypass", "wrong-only": "lenient",
    "wrong-lookups": "lenient", "wrong-notice": "lenient", "wrong-script": "lenient", "wrong-attempts": "lenient",
}  # fmt: skip


def test_a_wrong_expectation_is_found(sealed_internet: SealedInternet, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    found = ssrf.score(path, peers=False)
    assert dict(line.partition(":")[0].split() for line in found.failures) == FAULTS, found.failures
    counted = Counter(FAULTS.values())
    assert found.keys == {
        "cases": len(ROWS),
        **{name: counted[name] for name in ("bypass", "lenient", "false_refusal")},
    }
    assert found.inspected == len(ROWS)


def test_every_tenth_case_is_kept(sealed_internet: SealedInternet, data_folder: Path, tmp_path: Path) -> None:
    rows = (data_folder / "ssrf.jsonl").read_text("utf-8").splitlines()[::10]
    path = tmp_path / "sample.jsonl"
    path.write_text("\n".join(rows), encoding="utf-8")
    found = ssrf.score(path, peers=False)
    assert found.failures == []
    assert found.keys == {"cases": len(rows), "bypass": 0, "lenient": 0, "false_refusal": 0}


def seen(outcome: str, *tried: str) -> Seen:
    return Seen(outcome, [(address, 80) for address in tried], {}, Entries())


def test_a_case_of_another_form_is_no_success(sealed_internet: SealedInternet, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(
        json.dumps(case("odd", url="http://example.com/", dns=["example.com"], expect="allow")), encoding="utf-8"
    )
    found = ssrf.score(path, peers=True)
    assert (found.inspected, found.keys["cases"], len(found.skipped)) == (0, 0, 2)


class Pretended:
    """A world in which the product did what the test says."""

    def __init__(self, one: Seen) -> None:
        self._one = one

    def visit(self, case: Case, urls: list[str]) -> list[Seen]:
        return [self._one for _ in urls]


@pytest.mark.parametrize(
    ("expect", "answers", "did", "faults"),
    [
        ("refuse", ["10.0.0.1"], seen("address_not_public"), set()),
        ("refuse", ["10.0.0.1"], seen("address_not_public", "10.0.0.1"), {"bypass", "lenient"}),
        ("refuse", ["224.0.0.1"], seen("connect_failed"), {"bypass"}),  # no packet leaves, but a connect was tried
        ("refuse", ["1.1.1.1", "10.0.0.1"], seen("address_mixed"), set()),
        ("refuse", ["1.1.1.1", "10.0.0.1"], seen("ok", "1.1.1.1"), {"lenient"}),
        ("refuse", ["1.1.1.1"], seen("tls_failed", "1.1.1.1"), {"lenient"}),
        ("allow", ["1.1.1.1"], seen("ok", "1.1.1.1"), set()),
        ("allow", ["1.1.1.1"], seen("address_not_public"), {"false_refusal"}),
        ("allow", ["1.1.1.1"], seen("ok", "1.1.1.1", "127.0.0.1"), {"bypass"}),
    ],
)
def test_what_the_product_did_decides(expect: str, answers: list[str], did: Seen, faults: set[str]) -> None:
    row = case("pretended", url="http://example.com/", dns={"example.com": answers}, expect=expect)
    found = ssrf.judge(Pretended(did), Case(row))  # type: ignore[arg-type]
    assert {fault for fault, _ in found} == faults


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0", "100.127.255.255", "168.63.129.16", "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::",
        "::1", "::7f00:1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "2001::1", "2002:808:808::1", "4000::1",
        "fe80::1", "fe80::1%eth0", "ff02::1",
    ],
)  # fmt: skip
def test_denied(address: str) -> None:
    assert is_denied(address)


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1", "100.128.0.0", "168.63.129.17", "198.20.0.0", "223.255.255.255", "2001:200::1", "2606:4700::1111",
        "::ffff:8.8.8.8", "64:ff9b::808:808",
    ],
)  # fmt: skip
def test_not_denied(address: str) -> None:
    assert not is_denied(address)


def test_fake_addresses_are_denied_without_the_persons_word() -> None:
    assert is_denied("198.18.0.84")
    assert not is_denied("198.18.0.84", fake_ip=True)
    assert is_denied("10.0.0.1", fake_ip=True)
