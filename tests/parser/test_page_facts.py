"""Pages that are a login form and nothing else, and pages that have one beside what they say."""

import pytest

from guarded_webfetch.core.messages import ParseOrder
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.parser.html_page import parse_html

FORM = (
    "<form action='/session' method='post'><label>Name <input name='u' autocomplete='username'></label> "
    "<label>Password <input type='password' name='p'></label><button>Go</button></form>"
)
PARAGRAPH = "<p>The level of the summit pound was read from the painted staff at six in the morning and written in the book.</p>"
ORDER: ParseOrder = {
    "kind": "html",
    "content_type": "text/html",
    "charset_header": "utf-8",
    "base_url": "https://example.com/",
    "truncated": False,
}


def outcome(title: str, body: str) -> str:
    page = f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{body}</body></html>"
    try:
        parse_html(page.encode(), ORDER)
    except Refusal as refusal:
        return refusal.code
    return "ok"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Sign in – The Canal Journal", f"<main><h1>Welcome back</h1>{FORM}</main>"),
        ("Log in", FORM + "<p>New here? <a href='/join'>Join</a></p>"),
        ("The Canal Journal | Login", f"<header>{PARAGRAPH * 5}</header>{FORM}<footer>{PARAGRAPH * 5}</footer>"),
        ("The Canal Journal", f"<h1>Please log in to continue</h1>{FORM}"),
        ("ログイン｜月代市", f"<h1>ログイン</h1>{FORM}<p>パスワードをお忘れの方はこちら</p>"),
        ("ログイン - 月代市", f"{FORM}"),
        ("Anmelden", f"<div>{FORM}</div>"),
        (
            "Sign in - Accounts",
            "<form><input type='email' name='i'><button>Next</button></form><p>Use your account</p>",
        ),
        ("Login required", f"<h2>Members</h2>{FORM}"),
    ],
)
def test_a_form_and_nothing_else(title: str, body: str) -> None:
    assert outcome(title, body) == "login_required"


@pytest.mark.parametrize(
    ("title", "body", "why"),
    [
        (
            "New gates",
            f"<aside>{FORM}</aside><article><h1>New gates</h1>{PARAGRAPH * 2}</article>",
            "a box beside a text",
        ),
        ("Sign in – help", f"<h1>How to sign in</h1>{PARAGRAPH * 6}{FORM}", "a page about it, with a sample form"),
        ("Log in", f"<h1>Log in</h1>{PARAGRAPH * 6}", "no form at all"),
        ("Logging in Python", f"<h1>Logging in Python</h1>{FORM}<p>Loggers have names.</p>", "another meaning"),
        (
            "Short note",
            f"<h1>Short note</h1><p>The lock is shut.</p>{FORM}",
            "a short page that is called something else",
        ),
        ("Subscribe", "<h1>Subscribe</h1><p>News by mail.</p><form><input type='email'></form>", "a newsletter form"),
        (
            "New gates",
            f"<div style='display:none'><h1>Log in</h1>{FORM}</div><article>{PARAGRAPH}</article>",
            "a closed box",
        ),
        ("Login", f"<h1>Login</h1><div style='display:none'>{FORM}</div><p>The park is open.</p>", "a hidden form"),
    ],
)
def test_a_page_with_a_form(title: str, body: str, why: str) -> None:
    assert outcome(title, body) == "ok", why


@pytest.mark.parametrize("title", ["Making sure you're not a bot!", "Vercel Security Checkpoint", "Just a moment..."])
def test_challenge_titles(title: str) -> None:
    assert outcome(title, "<p>Please wait while your browser is checked.</p>") == "bot_challenge"
    assert outcome(title, PARAGRAPH * 30) == "ok"  # an article about them
