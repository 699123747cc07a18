"""The rules of RFC 9309, case by case: file, product token, path, may it be fetched."""

import pytest

from guarded_webfetch.parser.robots import is_product_token, judge

GROUPS = """\
allow: /outside/
user-agent: LockBot
disallow: /
allow: /gates/

user-agent: PondBot
user-agent: WeirBot

disallow: /
allow: /ponds/

sitemap: https://canal.example/map.xml
allow: /weirs/
user-agent: IdleBot

user-agent: LockBot
allow: /keys/
"""
EVERYBODY = """\
user-agent: *
disallow: /private/

user-agent: LockBot
disallow: /tools/

user-agent: *
disallow: /drafts/
"""
ONLY_OTHERS = "user-agent: PondBot\ndisallow: /\nuser-agent: WeirBot\ndisallow: /\n"
SHOUTED = "USER-AGENT: LOCKBOT\nDISALLOW: /\nALLOW: /gates/\n"
MIXED = "uSeR-aGeNt : lockbot/2.1 (+https://canal.example)\nDisAllow : /\naLLoW\t:\t/gates/\n"
LONGEST = """\
user-agent: *
allow: /example/page/
disallow: /example/page/disallowed.gif
disallow: /example/
allow: /same
disallow: /same
disallow: /*.pdf
allow: /files/
disallow: /folder
allow: /folder/
"""
EMPTY_RULES = "user-agent: *\ndisallow:\nallow:\n"
OPEN = "user-agent: LockBot\ndisallow:\nuser-agent: *\ndisallow: /\n"
ENCODED = """\
user-agent: *
disallow: /
allow: /foo/bar?baz=quz
allow: /a?url=https://foo.bar
allow: /水門/
allow: /%e9%96%80/
allow: /plain/baz
allow: /~keeper/
allow: /%7Eguest/
allow: /slash%2Fed
"""
SPECIAL = """\
user-agent: *  # everybody
disallow: /*.gif$ # pictures
disallow: /end$
disallow: /a*/b*/c
#disallow: /comment
disallow: /sharp#disallow: /more
disallow: /star-%2A.html
disallow: /dollar-%24
disallow: /mid$dle
"""
LINES = "user-agent: LockBot\r\ndisallow: /dos/\ruser-agent: PondBot\r\rdisallow: /mac/\n\r\ndisallow: /last"

CASES = [
    # 2.1 and 2.2.1: groups
    (GROUPS, "LockBot", "/gates/1", True),
    (GROUPS, "LockBot", "/keys/1", True),  # groups of one token are one
    (GROUPS, "LockBot", "/other", False),
    (GROUPS, "LockBot", "/outside/1", False),  # rules outside of groups are none
    (GROUPS, "LockBot", "/ponds/1", False),
    (GROUPS, "PondBot", "/ponds/1", True),
    (GROUPS, "PondBot", "/weirs/1", True),  # other records end no group
    (GROUPS, "WeirBot", "/ponds/1", True),  # several tokens share one group
    (GROUPS, "WeirBot", "/gates/1", False),
    (GROUPS, "IdleBot", "/keys/1", True),
    (GROUPS, "IdleBot", "/other", True),
    (GROUPS, "NoBot", "/other", True),  # no group at all
    (GROUPS, "lockbot", "/other", False),  # tokens know no case
    (GROUPS, "LOCKBOT", "/gates/", True),
    (GROUPS, "LockBotPlus", "/other", True),  # whole tokens only
    (GROUPS, "Lock", "/other", True),
    # 2.2.1: everybody else
    (EVERYBODY, "NoBot", "/private/1", False),
    (EVERYBODY, "NoBot", "/drafts/1", False),
    (EVERYBODY, "NoBot", "/tools/1", True),
    (EVERYBODY, "LockBot", "/tools/1", False),
    (EVERYBODY, "LockBot", "/private/1", True),
    (EVERYBODY, "LockBot", "/drafts/1", True),
    (ONLY_OTHERS, "LockBot", "/any", True),
    ("", "LockBot", "/any", True),
    ("no rules here\n", "LockBot", "/any", True),
    # 2.2: names know no case, white space is free
    (SHOUTED, "LockBot", "/any", False),
    (SHOUTED, "LockBot", "/gates/", True),
    (MIXED, "LockBot", "/any", False),
    (MIXED, "LockBot", "/gates/", True),
    (MIXED, "PondBot", "/any", True),
    # 2.2.2: the longest match, allow when equal
    (LONGEST, "LockBot", "/example/page/", True),
    (LONGEST, "LockBot", "/example/page/allowed.gif", True),
    (LONGEST, "LockBot", "/example/page/disallowed.gif", False),
    (LONGEST, "LockBot", "/example/other", False),
    (LONGEST, "LockBot", "/same/way", True),
    (LONGEST, "LockBot", "/report.pdf", False),
    (LONGEST, "LockBot", "/files/report.pdf", True),
    (LONGEST, "LockBot", "/folder", False),
    (LONGEST, "LockBot", "/folder/", True),
    (LONGEST, "LockBot", "/EXAMPLE/other", True),  # paths do know case
    (LONGEST, "LockBot", "/", True),
    (EMPTY_RULES, "LockBot", "/any", True),
    (OPEN, "LockBot", "/any", True),
    (OPEN, "PondBot", "/any", False),
    # 2.2.2: /robots.txt itself
    (OPEN, "PondBot", "/robots.txt", True),
    (OPEN, "PondBot", "/robots.txt.bak", False),
    (OPEN, "PondBot", "/sub/robots.txt", False),
    # 2.2.2: percent-encoding
    (ENCODED, "LockBot", "/foo/bar?baz=quz", True),
    (ENCODED, "LockBot", "/a?url=https://foo.bar", True),
    (ENCODED, "LockBot", "/%E6%B0%B4%E9%96%80/1", True),  # the rule is written in UTF-8
    (ENCODED, "LockBot", "/%e6%b0%b4%e9%96%80/1", True),  # hexadecimal digits know no case
    (ENCODED, "LockBot", "/%E9%96%80/1", True),
    (ENCODED, "LockBot", "/plain/%62%61%7A", True),  # an encoded letter of the URI is that letter
    (ENCODED, "LockBot", "/%7Ekeeper/", True),
    (ENCODED, "LockBot", "/~guest/", True),
    (ENCODED, "LockBot", "/slash%2fed", True),
    (ENCODED, "LockBot", "/slash/ed", False),  # an encoded reserved character is another one
    # 2.2.3: special characters
    (SPECIAL, "LockBot", "/x/y.gif", False),
    (SPECIAL, "LockBot", "/x/y.gif?size=1", True),
    (SPECIAL, "LockBot", "/end", False),
    (SPECIAL, "LockBot", "/endless", True),
    (SPECIAL, "LockBot", "/a1/b/x/b2/c3", False),
    (SPECIAL, "LockBot", "/a1/c/b", True),
    (SPECIAL, "LockBot", "/comment", True),
    (SPECIAL, "LockBot", "/sharp", False),
    (SPECIAL, "LockBot", "/more", True),
    (SPECIAL, "LockBot", "/star-*.html", False),
    (SPECIAL, "LockBot", "/star-x.html", True),
    (SPECIAL, "LockBot", "/dollar-$", False),
    (SPECIAL, "LockBot", "/mid$dle", False),
    # 2.2: line ends
    (LINES, "LockBot", "/dos/1", False),
    (LINES, "PondBot", "/mac/1", False),
    (LINES, "PondBot", "/last", False),
    (LINES, "PondBot", "/dos/1", True),
]


def test_there_are_as_many_cases_as_promised():
    assert len(CASES) >= 72


@pytest.mark.parametrize(("robots", "token", "path", "allowed"), CASES)
def test_rfc_9309(robots, token, path, allowed):
    assert judge(robots.encode(), token, path).allowed is allowed


@pytest.mark.parametrize(
    ("token", "valid"),
    [
        ("guarded-webfetch", True), ("LockBot", True), ("Lock_Bot", True), ("", False), ("水", False), ("Lock*", False),
        (" LockBot", False), ("LockBot/2.1", False), ("Lock Bot", False), ("Lock2", False), ("LockBot\n", False),
    ],
)  # fmt: skip
def test_product_tokens(token, valid):
    assert is_product_token(token) is valid
