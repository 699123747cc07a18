"""What Google's published parser does with files as people write them, in cases of our own: one row a file, many paths."""

import pytest

from guarded_webfetch.parser.robots import judge

TWO = "user-agent: *\ndisallow: /\nuser-agent: Barge Captain\nallow: /locks/\ndisallow: /\n"
ONE_TOKEN = "user-agent: {}\nallow: /locks/\ndisallow: /\n"
LINE = 16_663


def shut(allow):
    """All is shut for BargeBot but what `allow` opens."""
    return f"user-agent: BargeBot\ndisallow: /\nallow: {allow}\n"


# file, product token, paths that may be fetched, paths that may not
FACTS = {
    "nothing in the file": ("", "BargeBot", ["", "/", "/a"], []),
    "no token": ("user-agent: BargeBot\ndisallow: /\n", "", ["", "/", "/a"], []),
    "no path": ("user-agent: BargeBot\ndisallow: /\n", "BargeBot", [], ["", "/"]),
    "a colon forgotten": ("user-agent BargeBot\ndisallow /\n", "BargeBot", [], ["/", "/a/b"]),
    "a colon forgotten, more words": ("user-agent BargeBot\ndisallow / please\n", "BargeBot", ["/", "/a/b"], []),
    "other names": ("agent: BargeBot\nforbid: /\n", "BargeBot", ["/", "/a/b"], []),
    "useragent in one word": ("useragent: BargeBot\ndisallow: /\n", "BargeBot", [], ["/a"]),
    "user agent in two": ("user agent: BargeBot\ndisallow: /\n", "BargeBot", [], ["/a"]),
    **{
        f"misspelt {word}": (f"user-agent: BargeBot\n{word}: /a\n", "BargeBot", ["/b"], ["/a"])
        for word in ("dissallow", "dissalow", "disalow", "diasllow", "disallaw")
    },
    "upper case token": (ONE_TOKEN.format("BARGE"), "Barge", ["/locks/1"], ["/a"]),
    "lower case token": (ONE_TOKEN.format("barge"), "BARGE", ["/locks/1"], ["/a"]),
    "camel case token": (ONE_TOKEN.format("bArGe"), "barge", ["/locks/1"], ["/a"]),
    "words behind the token": (ONE_TOKEN.format("Barge Captain"), "barge", ["/locks/1"], ["/a"]),
    "a version behind the token": (ONE_TOKEN.format("Barge/1.0"), "barge", ["/locks/1"], ["/a"]),
    "the token ends at the space": (TWO, "Barge", ["/locks/1"], ["/a"]),
    "a name with a space is no token": (TWO, "Barge Captain", [], ["/locks/1", "/a"]),
    "a star with words behind it": ("user-agent: * all\ndisallow: /a\n", "BargeBot", ["/b"], ["/a"]),
    "a star within a word": ("user-agent: *Bot\ndisallow: /a\n", "BargeBot", ["/a", "/b"], []),
    "everybody first": ("user-agent: *\nallow: /\nuser-agent: BargeBot\ndisallow: /\n", "BargeBot", [], ["/a"]),
    "everybody else": ("user-agent: *\nallow: /\nuser-agent: BargeBot\ndisallow: /\n", "TugBot", ["/a"], []),
    "the longer disallow": ("user-agent: BargeBot\ndisallow: /a/page.html\nallow: /a/\n", "BargeBot", ["/a/b"], ["/a/page.html"]),
    "the longer allow": ("user-agent: BargeBot\nallow: /a/page.html\ndisallow: /a/\n", "BargeBot", ["/a/page.html"], ["/a/", "/a/b"]),
    "equal and empty": ("user-agent: BargeBot\ndisallow: \nallow: \n", "BargeBot", ["/", "/a"], []),
    "equal": ("user-agent: BargeBot\ndisallow: /\nallow: /\n", "BargeBot", ["/", "/a"], []),
    "equal, a page": ("user-agent: BargeBot\ndisallow: /a.html\nallow: /a.html\n", "BargeBot", ["/a.html"], []),
    "a slash more": ("user-agent: BargeBot\ndisallow: /a\nallow: /a/\n", "BargeBot", ["/a/"], ["/a"]),
    "a wildcard is longer": ("user-agent: BargeBot\nallow: /page\ndisallow: /*.html\n", "BargeBot", ["/page"], ["/page.html"]),
    "a wildcard is shorter": ("user-agent: BargeBot\nallow: /a/page.\ndisallow: /*.html\n", "BargeBot", ["/a/page.html"], ["/a/b.html"]),
    "a page and an ending": ("user-agent: BargeBot\nallow: /page\ndisallow: /*.htm\n", "BargeBot", ["/page"], ["/page.htm"]),
    "a shorter allow": ("user-agent: BargeBot\nallow: /p\ndisallow: /\n", "BargeBot", ["/page"], ["/a"]),
    "only the front page": ("user-agent: BargeBot\nallow: /$\ndisallow: /\n", "BargeBot", ["/", ""], ["/page.html", "/?a"]),
    "a query as it stands": (shut("/a/b?c=d&e=http://f.g?h&i"), "BargeBot", ["/a/b?c=d&e=http://f.g?h&i"], ["/a/b?c"]),
    "a letter of three bytes": (shut("/a/門"), "BargeBot", ["/a/%E9%96%80"], ["/a/門"]),
    "the same, encoded": (shut("/a/%E9%96%80"), "BargeBot", ["/a/%E9%96%80"], ["/a/門"]),
    "encoded letters in a rule": (shut("/a/%62%61%7A"), "BargeBot", ["/a/%62%61%7A"], ["/a/baz"]),
    "hexadecimal digits": (shut("/a/%aa"), "BargeBot", ["/a/%AA", "/a/%aa"], ["/a/%AB"]),
    "a wildcard between": (
        "user-agent: BargeBot\ndisallow: /a/b/quz\nallow: /a/*/qux\n", "BargeBot", ["/a/quz", "/a//quz", "/a/c/quz"], ["/a/b/quz"],
    ),
    "an end": ("user-agent: BargeBot\ndisallow: /a/b$\nallow: /a/b/qux\n", "BargeBot", ["/a/b/qux", "/a/b/", "/a/b/c"], ["/a/b"]),
    "comments": ("user-agent: BargeBot\n# disallow: /\ndisallow: /a/quz#qux\nallow: /\n", "BargeBot", ["/a/b"], ["/a/quz"]),
    "an index page stands for its folder": (
        "user-agent: *\nallow: /open/index.html\ndisallow: /\n", "BargeBot", ["/open/", "/open/index.html"], ["/open/index.htm", "/a"],
    ),
    "a disallowed index page does not": ("user-agent: *\ndisallow: /open/index.html\n", "BargeBot", ["/open/"], ["/open/index.html"]),
    "/eel": (
        shut("/eel"), "BargeBot",
        ["/eel", "/eel.html", "/eel/smoked.html", "/eels", "/eels/recipes.html", "/eel.html?id=any"],
        ["/heel", "/Eel.asp", "/?id=eel", "/a"],
    ),
    "/eel*": (
        shut("/eel*"), "BargeBot",
        ["/eel", "/eel.html", "/eel/smoked.html", "/eels", "/eels/recipes.html", "/eel.html?id=any"],
        ["/heel", "/Eel.asp", "/?id=eel", "/a"],
    ),
    "/eel/": (
        shut("/eel/"), "BargeBot", ["/eel/", "/eel/smoked", "/eel/?smoked", "/eel/smoked.html", "/eel/?id=any"],
        ["/eel", "/eel.html", "/Eel/Smoked.html", "/a"],
    ),
    "/*.cgi": (
        shut("/*.cgi"), "BargeBot",
        ["/name.cgi", "/folder/name.cgi", "/folder/name.cgi?some", "//folder/any.cgi.file", "/name.cgi/", "/index?f=name.cgi/"],
        ["/cgi/", "/index?cgi", "/windows.CGI", "/a"],
    ),
    "/*.cgi$": (
        shut("/*.cgi$"), "BargeBot", ["/name.cgi", "/folder/name.cgi"],
        ["/name.cgi?some", "/name.cgi/", "/name.cgi5", "/cgi/", "/name?cgi", "/aaacgiaaa", "//windows.CGI", "/a"],
    ),
    "/eel*.cgi": (shut("/eel*.cgi"), "BargeBot", ["/eel.cgi", "/eels/heel.cgi?some"], ["/Eel.CGI", "/a"]),
    "a line too long is cut": (
        f"user-agent: BargeBot\ndisallow: {'/x/'.ljust(LINE - 10, 'a')}/qux\n", "BargeBot",
        ["/fux", "/x/".ljust(LINE - 11, "a")], ["/x/".ljust(LINE - 10, "a") + "/fux"],
    ),
    "two lines too long": (
        shut("/x/".ljust(LINE - 7, "a") + "/qux") + f"allow: {'/x/'.ljust(LINE - 7, 'b')}/qux\n", "BargeBot",
        ["/x/".ljust(LINE - 7, "a") + "/qux", "/x/".ljust(LINE - 7, "b") + "/fux"], ["/", "/x/aaa"],
    ),
    "a byte order mark": ("\ufeffuser-agent: BargeBot\ndisallow: /a\n", "BargeBot", ["/b"], ["/a"]),
    "one in the middle": ("user-agent: BargeBot\n\ufeffdisallow: /a\n", "BargeBot", ["/a", "/b"], []),
    "a sitemap anywhere": (
        "sitemap: https://a.example/s\nuser-agent: BargeBot\nsitemap: https://a.example/s\ndisallow: /a\n", "BargeBot", ["/b"], ["/a"],
    ),
    "a sitemap between names": ("user-agent: BargeBot\nsitemap: /s\nuser-agent: TugBot\ndisallow: /a\n", "BargeBot", ["/b"], ["/a"]),
}  # fmt: skip
ENDS = {"LF": "\n", "CR": "\r", "CRLF": "\r\n", "mixed": "\n\r\n\r"}
PARTS = "user-agent: TugBot", "allow: /some", "user-agent: BargeBot", "", "", "disallow: /"
ROWS = [
    (name, body, token, path, allowed)
    for name, (body, token, may, may_not) in FACTS.items()
    for path, allowed in [*((path, True) for path in may), *((path, False) for path in may_not)]
]


def test_there_are_as_many_facts_as_promised():
    assert len(ROWS) >= 145


@pytest.mark.parametrize(("name", "body", "token", "path", "allowed"), ROWS, ids=[f"{r[0]} {r[3][:30]}" for r in ROWS])
def test_fact(name, body, token, path, allowed):
    assert judge(body.encode(), token, path).allowed is allowed, name


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("last", ["", "\n"])
def test_line_ends(end, last):
    body = (ENDS[end].join(PARTS) + last).encode()
    assert judge(body, "BargeBot", "/any").allowed is False
    assert judge(body, "TugBot", "/any").allowed is True


@pytest.mark.parametrize(
    ("start", "is_read"),
    [(b"\xef\xbb\xbf", True), (b"\xef\xbb", True), (b"\xef", True), (b"\xef\x11\xbf", False), (b"\xff\xfe", False)],
)
def test_half_a_byte_order_mark(start, is_read):
    assert judge(start + b"user-agent: BargeBot\ndisallow: /\n", "BargeBot", "/a").allowed is not is_read


def test_lines_are_counted():
    assert judge(b"#\r\n\r\nuser-agent: *\rdisallow: /a\n", "BargeBot", "/a").line == 4
