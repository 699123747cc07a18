"""The parser of robots.txt: verdicts, crawl-delay, limits, junk, and time that grows with the size only."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guarded_webfetch.contract import validator
from guarded_webfetch.core.limits import MAX_ROBOTS_BYTES, MAX_ROBOTS_LINE_BYTES
from guarded_webfetch.core.robots_policy import Verdict
from guarded_webfetch.parser.robots import answer, judge, parse

TOKEN = "guarded-webfetch"


def test_a_verdict_names_the_rule_that_decided():
    body = b"user-agent: *\ndisallow: /a\nallow: /a/b$\n"
    assert judge(body, TOKEN, "/a/c") == Verdict(False, 2, None)
    assert judge(body, TOKEN, "/a/b") == Verdict(True, 3, None)
    assert judge(body, TOKEN, "/b") == Verdict(True, None, None)


def test_the_broker_is_told_numbers_and_no_word_of_the_file():
    body = b"user-agent: *\ncrawl-delay: 2.5\ndisallow: /a\n"
    order = {"kind": "robots", "path": "/a", "product_token": TOKEN}
    assert answer(body, order) == {"allowed": False, "line": 3, "crawl_delay_ms": 2_500}
    assert answer(b"", order) == {"allowed": True, "line": None, "crawl_delay_ms": None}
    assert validator.load("robots")(answer(body, order))


@pytest.mark.parametrize(
    ("lines", "seconds"),
    [
        ("crawl-delay: 5", 5.0),
        ("Crawl-Delay: 0.5", 0.5),
        ("crawl-delay: 5\ncrawl-delay: 7", 7.0),
        ("crawl-delay: 0", None),
        ("crawl-delay: -1", None),
        ("crawl-delay: 1e9", None),
        ("crawl-delay: nan", None),
        ("crawl-delay: ten", None),
        ("crawl-delay: 9999999", None),
        ("crawl-delay:", None),
        ("", None),
    ],
)
def test_crawl_delay(lines, seconds):
    assert parse(f"user-agent: *\n{lines}\ndisallow: /a\n".encode(), TOKEN).crawl_delay_s == seconds


@pytest.mark.parametrize(("token", "seconds"), [("LockBot", 5.0), ("PondBot", 2.0), ("WeirBot", None)])
def test_crawl_delay_is_that_of_ones_own_groups(token, seconds):
    body = b"user-agent: *\ncrawl-delay: 2\nallow: /\nuser-agent: LockBot\ncrawl-delay: 5\nallow: /\nuser-agent: WeirBot\nallow: /\n"
    assert parse(body, token).crawl_delay_s == seconds


def test_crawl_delay_ends_no_group():
    body = b"user-agent: LockBot\ncrawl-delay: 5\nuser-agent: PondBot\ndisallow: /a\n"
    assert judge(body, "LockBot", "/a").allowed is False


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_file_limit(more):
    rule = b"disallow: /a"
    start = b"user-agent: *\n#"
    body = start + b"x" * (MAX_ROBOTS_BYTES + more - len(start) - len(rule) - 1) + b"\n" + rule
    assert len(body) == MAX_ROBOTS_BYTES + more
    assert judge(body, TOKEN, "/a").allowed is (more > 0)  # a rule that is cut is another rule, so it is left out


def test_a_file_cut_between_two_lines_keeps_the_whole_ones():
    rule = b"disallow: /a\n"
    start = b"user-agent: *\n#"
    body = start + b"x" * (MAX_ROBOTS_BYTES - len(start) - len(rule)) + b"\n" + rule
    assert len(body) == MAX_ROBOTS_BYTES + 1
    assert judge(body, TOKEN, "/a").allowed is False
    assert judge(body + b"disallow: /b\n", TOKEN, "/b").allowed is True


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_line_limit(more):
    path = "/".ljust(MAX_ROBOTS_LINE_BYTES + more - len("disallow: "), "a")
    body = f"user-agent: *\ndisallow: {path}\n".encode()
    assert judge(body, TOKEN, path).allowed is False
    assert judge(body, TOKEN, path[:-1]).allowed is (more <= 0)


@pytest.mark.parametrize(
    "body",
    [
        b"\0\0\0", b"\xff" * 1_000, b"user-agent", b":", b"::::\n" * 100, b"<!doctype html><p>Not found", b"user-agent:\ndisallow: /",
        b"user-agent: *\0\ndisallow: /\n", b"disallow: /\n", b"\r\r\r", b"%PDF-1.7\nallow: /", bytes(range(256)) * 20,
    ],
)  # fmt: skip
def test_junk_is_no_rule(body):
    assert judge(body, TOKEN, "/a").allowed is True


def test_junk_bytes_in_a_rule_are_compared_as_they_are():
    assert judge(b"user-agent: *\ndisallow: /\xff\n", TOKEN, "/%FF").allowed is False


@given(st.binary(max_size=300), st.text(max_size=20), st.text(max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_bytes_end_in_a_verdict(body, token, path):
    found = judge(b"user-agent: *\n" + body, token, path)
    assert found.allowed or found.line is not None


PATTERN = st.text("/ab*$", min_size=1, max_size=10).map(lambda text: "/" + text)


@given(
    st.lists(st.tuples(st.booleans(), PATTERN), max_size=6), st.text("/ab", max_size=12).map(lambda text: "/" + text)
)
@settings(max_examples=1_000, deadline=None)
def test_same_verdict_as_regular_expressions_give(rules, path):
    lines = "".join(f"{'allow' if allow else 'disallow'}: {pattern}\n" for allow, pattern in rules)
    matching = [(len(pattern), allow) for allow, pattern in rules if _as_expression(pattern).match(path)]
    assert judge(b"user-agent: *\n" + lines.encode(), TOKEN, path).allowed is max(matching, default=(0, True))[1]


def _as_expression(pattern):
    end = r"\Z" if pattern.endswith("$") else ""
    return re.compile(".*".join(map(re.escape, pattern.removesuffix("$").split("*"))) + end)


def seconds_for(body, path):
    started = time.process_time()
    judge(body, TOKEN, path)
    return time.process_time() - started


@pytest.mark.parametrize("wildcards", [10, 30, 300])
def test_many_wildcards_in_one_rule_take_no_time(wildcards):
    body = b"user-agent: *\ndisallow: /" + b"*a" * wildcards + b"*b$\n"
    assert seconds_for(body, "/" + "a" * 2_000) < 0.1


@pytest.mark.parametrize(
    "line",
    [
        b"disallow: /*a*a*a*a*b$\n",
        b"disallow: /page/\n",
        b"allow:/\n",
        b"user-agent: a\n",
        b"#\n",
        b"\r",
        b"disallow: /%7e%7e%7e\n",
    ],
)
def test_a_file_of_full_size_is_read_in_time(line):
    body = b"user-agent: *\n" + line * (MAX_ROBOTS_BYTES // len(line))
    assert seconds_for(body, "/" + "a" * 2_000) < 3.0  # a few tenths on a quiet machine
