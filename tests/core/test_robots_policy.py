"""What answers for robots.txt mean, and for how long."""

import pytest

from guarded_webfetch.core.limits import MAX_CRAWL_DELAY_S, MAX_ROBOTS_REDIRECTS, ROBOTS_CACHE_S
from guarded_webfetch.core.robots_policy import (
    Known,
    Verdict,
    follows,
    is_fresh,
    may_fetch,
    meaning_of,
    pause_s,
    renewed,
)

YES, NO = Verdict(True), Verdict(False, 2)


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        (200, "rules"), (203, "rules"), (204, "rules"), (299, "rules"),
        (300, "allow_all"), (301, "allow_all"), (304, "allow_all"), (399, "allow_all"),
        (400, "allow_all"), (401, "allow_all"), (403, "allow_all"), (404, "allow_all"), (410, "allow_all"), (429, "allow_all"),
        (499, "allow_all"),
        (500, "deny_all"), (503, "deny_all"), (599, "deny_all"), (600, "deny_all"), (999, "deny_all"), (199, "deny_all"), (0, "deny_all"),
        (None, "deny_all"),
    ],
)  # fmt: skip
def test_meaning_of_a_status(status, meaning):
    assert meaning_of(status) == meaning


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_redirect_limit(status, more):
    assert follows(status, MAX_ROBOTS_REDIRECTS + more) is (more < 0)


@pytest.mark.parametrize("status", [200, 300, 304, 305, 306, 404, 500])
def test_what_is_no_redirect_is_not_followed(status):
    assert follows(status, 0) is False


@pytest.mark.parametrize(
    ("age", "fresh"), [(0.0, True), (ROBOTS_CACHE_S - 1, True), (ROBOTS_CACHE_S, False), (ROBOTS_CACHE_S + 1, False), (-1.0, False)]
)  # fmt: skip
def test_believed_for_a_day(age, fresh):
    assert is_fresh(Known("rules", 1_000.0, b""), 1_000.0 + age) is fresh


@pytest.mark.parametrize(
    ("known", "verdict", "allowed"),
    [
        (None, None, False),
        (None, YES, False),  # nothing is known yet
        (Known("deny_all", 0.0), YES, False),
        (Known("allow_all", 0.0), None, True),
        (Known("rules", 0.0), None, False),  # the child that reads them failed
        (Known("rules", 0.0), NO, False),
        (Known("rules", 0.0), YES, True),
    ],
)
def test_may_fetch(known, verdict, allowed):
    assert may_fetch(known, verdict) is allowed


RULES = Known("rules", 1.0, b"old")


@pytest.mark.parametrize(
    ("old", "status", "expected"),
    [
        (None, 200, Known("rules", 9.0, b"new")),
        (RULES, 200, Known("rules", 9.0, b"new")),
        (RULES, 404, Known("allow_all", 9.0)),
        (RULES, 503, Known("rules", 9.0, b"old")),
        (RULES, None, Known("rules", 9.0, b"old")),
        (None, 503, Known("deny_all", 9.0)),
        (Known("allow_all", 1.0), 503, Known("deny_all", 9.0)),
        (Known("deny_all", 1.0), None, Known("deny_all", 9.0)),
    ],
)
def test_rules_outlast_a_site_that_cannot_be_reached(old, status, expected):
    assert renewed(old, status, b"new", 9.0) == expected


@pytest.mark.parametrize(
    ("asked", "own", "pause"),
    [
        (0.0, 1.0, 1.0),
        (0.5, 1.0, 1.0),
        (5.0, 1.0, 5.0),
        (MAX_CRAWL_DELAY_S - 1, 1.0, MAX_CRAWL_DELAY_S - 1),
        (MAX_CRAWL_DELAY_S, 1.0, MAX_CRAWL_DELAY_S),
        (MAX_CRAWL_DELAY_S + 1, 1.0, MAX_CRAWL_DELAY_S),
        (5.0, 2 * MAX_CRAWL_DELAY_S, 2 * MAX_CRAWL_DELAY_S),
    ],
)
def test_pause(asked, own, pause):
    assert pause_s(asked, own) == pause
