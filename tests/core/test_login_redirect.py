"""Redirects that ask for a login, and redirects to pages that merely speak of it."""

import pytest

from guarded_webfetch.core.login_redirect import asks_for_login
from guarded_webfetch.core.url_policy import parse_url

SITE = "https://www.canal-journal.com"


def asks(status: int, asked: str, target: str) -> bool:
    return asks_for_login(status, parse_url(SITE + asked), parse_url(SITE + target))


@pytest.mark.parametrize(
    "target",
    [
        "/login", "/login/", "/Login?return=%2Fmembers", "/signin", "/sign-in", "/sign_in", "/users/sign_in",
        "/wp-login.php?redirect_to=x", "/accounts/login/?next=/members", "/en/log-in", "/login.aspx", "/logon.do",
        "/session/new", "/oauth/authorize", "/a/b/c/login",
    ],
)  # fmt: skip
def test_a_login_wall(target: str) -> None:
    assert asks(302, "/members/moorings", target)
    assert asks(303, "/", target)


@pytest.mark.parametrize(
    ("status", "asked", "target", "why"),
    [
        (301, "/members", "/login", "a page that has moved for good"),
        (308, "/members", "/login", "the same"),
        (302, "/old/login", "/new/login", "the form was asked for"),
        (302, "/how-to-sign-in", "/help/sign-in", "a page about it was asked for"),
        (302, "/x/17", "/docs/cli/login", "documentation of a command"),
        (302, "/x/17", "/package/login", "a package of this name"),
        (302, "/x/17", "/blog/login", "an article"),
        (302, "/x/17", "/logins", "another word"),
        (302, "/x/17", "/login-with-friends", "a longer name"),
        (302, "/x/17", "/login/help", "a page below it"),
        (302, "/x/17", "/a/b/c/d/login", "deep down in a tree of content"),
        (302, "/x/17", "/?next=login", "the query names no page"),
        (302, "/x/17", "/new", "a page of its own"),
        (302, "/x/17", "/", "the front page"),
    ],
)
def test_no_login_wall(status: int, asked: str, target: str, why: str) -> None:
    assert not asks(status, asked, target), why
