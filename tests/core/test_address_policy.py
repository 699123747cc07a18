"""The address table with its neighbours, the answers of a resolver, and the spelling of addresses.

The table needs no second interpreter to be checked on: it uses no predicate of the standard library.
"""

import ast
import json
import socket
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarded_webfetch.core import address_policy
from guarded_webfetch.core.address_policy import (
    AddressClass,
    classify_address,
    format_address,
    is_public,
    judge_answers,
    parse_ipv4,
    parse_ipv6,
)
from guarded_webfetch.core.reasons import Refusal

CASES = json.loads((Path(__file__).parents[1] / "cases" / "address_policy.json").read_text("utf-8"))
PUBLIC, PUBLIC_V6 = "93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"


def pack(text: str) -> bytes:
    packed = parse_ipv4(text) or parse_ipv6(text)
    assert packed is not None, text
    return packed


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row['block']} {row['why']}")
def test_blocks_and_their_neighbours(row):
    assert [text for text in row["refused"] if is_public(pack(text))] == []
    assert [text for text in row["allowed"] if not is_public(pack(text))] == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (PUBLIC, "public"),
        ("10.0.0.1", "private"),
        ("100.64.0.1", "shared"),
        ("127.0.0.1", "loopback"),
        ("169.254.169.254", "link_local"),
        ("168.63.129.16", "cloud_internal"),
        ("198.18.0.1", "benchmark"),
        ("::ffff:10.0.0.1", "private"),
        ("64:ff9b::7f00:1", "loopback"),
        ("::1", "loopback"),
        ("::", "unspecified"),
        ("::2", "unallocated"),
        ("fd00::1", "unique_local"),
        ("64:ff9b:1::1", "translation"),
        ("2002::1", "six_to_four"),
        ("4000::1", "unallocated"),
    ],
)
def test_a_refusal_knows_the_kind_of_block(text, kind):
    assert classify_address(pack(text)) == kind


@given(st.binary(max_size=20))
def test_any_bytes_have_a_class_of_the_closed_list(packed):
    assert classify_address(packed) in get_args(AddressClass)
    assert is_public(packed) <= (len(packed) in (4, 16))


@given(st.binary(min_size=4, max_size=4))
def test_a_wrapped_address_is_judged_like_the_bare_one(packed):
    assert classify_address(bytes(10) + b"\xff\xff" + packed) == classify_address(packed)
    assert classify_address(bytes.fromhex("0064ff9b") + bytes(8) + packed) == classify_address(packed)


def test_the_table_asks_no_library():
    tree = ast.parse(Path(address_policy.__file__).read_text("utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"collections.abc", "typing", "guarded_webfetch.core.reasons"}


# ------------------------------------------------------------------------------------------------ answers


@pytest.mark.parametrize(
    ("answers", "kept"),
    [
        ([PUBLIC], [PUBLIC]),
        ([PUBLIC, PUBLIC_V6], [PUBLIC, PUBLIC_V6]),
        ([PUBLIC, PUBLIC, "1.1.1.1"], [PUBLIC, "1.1.1.1"]),
        (["64:ff9b::5db8:d822", PUBLIC], ["64:ff9b::5db8:d822", PUBLIC]),
        (["::ffff:93.184.216.34", PUBLIC], [PUBLIC]),
        ([f"104.16.{n}.1" for n in range(200)], [f"104.16.{n}.1" for n in range(200)]),
    ],
)
def test_public_answers_pass_in_their_order(answers, kept):
    assert judge_answers([pack(text) for text in answers]) == tuple(map(pack, kept))


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ([], "dns_no_answer"),
        (["127.0.0.1"], "address_not_public"),
        (["10.0.0.1", "fe80::1"], "address_not_public"),
        (["64:ff9b::a14:1e28"], "address_not_public"),
        ([PUBLIC, "127.0.0.1"], "address_mixed"),
        (["127.0.0.1", PUBLIC], "address_mixed"),
        ([PUBLIC, "::ffff:10.0.0.1"], "address_mixed"),
        ([PUBLIC, "64:ff9b::a9fe:a9fe"], "address_mixed"),
        (["198.18.0.84"], "address_fake_ip"),
        (["198.18.0.84", PUBLIC_V6], "address_fake_ip"),
        (["198.18.0.84", "127.0.0.1"], "address_not_public"),
        (["198.18.0.84", "127.0.0.1", PUBLIC], "address_mixed"),
        (["64:ff9b::c612:54"], "address_not_public"),
    ],
)
def test_one_bad_answer_refuses_the_name(answers, code):
    with pytest.raises(Refusal) as refusal:
        judge_answers([pack(text) for text in answers])
    assert refusal.value.code == code


def test_malformed_answers_are_refused():
    with pytest.raises(Refusal, match="address_mixed"):
        judge_answers([pack(PUBLIC), b"\x01\x02\x03"])


def test_the_fake_ip_option_covers_its_block_and_nothing_else():
    fake = pack("198.18.0.84")
    assert judge_answers([fake], fake_ip_allowed=True) == (fake,)
    assert judge_answers([fake, pack(PUBLIC_V6)], fake_ip_allowed=True) == (fake, pack(PUBLIC_V6))
    for other in ("127.0.0.1", "10.0.0.1", "198.20.0.1", "64:ff9b::c612:54"):
        answers = [fake, pack(other)]
        if is_public(pack(other)):
            assert judge_answers(answers, fake_ip_allowed=True) == tuple(answers)
        else:
            with pytest.raises(Refusal):
                judge_answers(answers, fake_ip_allowed=True)


# ------------------------------------------------------------------------------------------------ spelling


@given(st.binary(min_size=4, max_size=4))
def test_ipv4_text_and_back(packed):
    assert format_address(packed) == socket.inet_ntop(socket.AF_INET, packed)
    assert parse_ipv4(format_address(packed)) == packed


@given(
    st.binary(min_size=16, max_size=16) | st.lists(st.sampled_from([0, 0, 1, 255]), min_size=16, max_size=16).map(bytes)
)
def test_ipv6_text_and_back(packed):
    text = format_address(packed)
    assert parse_ipv6(text) == parse_ipv6(text.upper()) == packed
    assert parse_ipv6(socket.inet_ntop(socket.AF_INET6, packed)) == packed
    assert socket.inet_pton(socket.AF_INET6, text) == packed


@given(st.text(alphabet="0123456789abcdefABCDEF:.%xg ", max_size=40))
def test_what_is_read_is_what_the_system_reads(text):
    """Ours may refuse more, never read something else."""
    for parse, family in ((parse_ipv4, socket.AF_INET), (parse_ipv6, socket.AF_INET6)):
        packed = parse(text)
        assert packed is None or socket.inet_pton(family, text) == packed


@pytest.mark.parametrize(
    "text", ["1.2.3", "1.2.3.4.5", "01.2.3.4", "256.1.1.1", "1.2.3.", "+1.2.3.4", "１.2.3.4", "1.2.3.4 ", ""]
)
def test_other_spellings_of_ipv4_are_none(text):
    assert parse_ipv4(text) is None


@pytest.mark.parametrize(
    "text",
    ["", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "::g", "fe80::1%1",
     "::1.2.3", "1.2.3.4::", "::01.2.3.4", "[::1]", "::1 ", ":1:2:3:4:5:6:7"],
)  # fmt: skip
def test_other_spellings_of_ipv6_are_none(text):
    assert parse_ipv6(text) is None
