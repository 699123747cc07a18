"""What a page is, beside its text: title, challenge pages, login walls, script shells, meta refresh, active markup."""

import re
from collections import Counter
from typing import Final

from guarded_webfetch.core.limits import MAX_TITLE_CHARS
from guarded_webfetch.parser.clean import collapse
from guarded_webfetch.parser.measure import letters_in
from guarded_webfetch.parser.tree import Element, elements_of, tag_of, text_of

_MAX_CHALLENGE_LETTERS: Final = 1_500  # a page that writes about challenges is longer than one
_MAX_TITLED_LETTERS: Final = 600
_CHALLENGE_TITLES: Final = re.compile(
    r"just a moment\b|attention required! \| cloudflare|please wait\b.*cloudflare|checking your browser|ddos-guard|"
    r"access to this page has been denied|pardon our interruption|robot check|are you a (?:robot|human)\??$|verify you are human|"
    r"human verification|bot verification|security check(?:point)?$|you have been blocked|client challenge|one more step$|"
    r"making sure you(?:'|’)re not a bot|vercel security checkpoint",
    re.I,
)
# Scripts and parts that exist on challenge pages only. Cloudflare's /cdn-cgi/challenge-platform/ also serves ordinary pages.
_CHALLENGE_MARKS: Final = re.compile(
    r"_cf_chl_opt|cf-browser-verification|cf-challenge|challenge-error-text|captcha-delivery\.com|px-captcha|perimeterx|"
    r"_Incapsula_Resource|sec-if-cpt|ak-challenge|awswaf\.com/.{0,200}challenge|ddos-guard/js-challenge|__ddg|vercel/security|"
    r"/_sec/cp_challenge|anubis_challenge|\.within\.website/x/cmd/anubis",
    re.I,
)
# How a page that only lets people in is called: in its title or its first heading, as the whole or at either end.
_LOGIN_WORDS: Final = (
    r"(?:please )?(?:log|sign)[ -]?(?:in|on)(?: (?:to|with|or)\b.*| required)?|login|einloggen|anmelden|anmeldung|"
    r"(?:se )?connecter|connexion|iniciar sesión|inicia sesión|acceder|accedi|entrar|inloggen|"
    r"logga in|zaloguj się|войти|вход|登录|登入|ログイン|サインイン|로그인"
)
_LOGIN_TITLE: Final = re.compile(rf"(?:.*(?:[|·–—:：»>]|\s-)\s*)?(?:{_LOGIN_WORDS})(?:\s*(?:[|·–—:：«<]|-\s).*)?", re.I)
_MAX_LOGIN_LETTERS: Final = 300  # beside the form: a hint, links to register; a page with more has something to read
_CHROME: Final = frozenset(("header", "footer", "nav", "form", "script", "style", "noscript", "template"))
_SHELL_IDS: Final = frozenset((
    "root", "app", "__next", "__nuxt", "react-root", "main-app", "svelte", "ember-app", "app-root",
))  # fmt: skip
_MIN_SHELL_SCRIPT_CHARS: Final = 5_000
_SHELL_LETTERS: Final = 200
_FEW_LETTERS: Final = 400
_DATA_SCRIPT_CHARS: Final = 80_000
_DATA_PER_LETTER: Final = 400  # of the text: a page with some words and the rest of them in scripts


def title_of(root: Element) -> str | None:
    """og:title when the title element merely adds a site name to it, else the title element, else og:title, else the first h1."""
    element = next((node for node in root.iter("title") if next(node.iterancestors("svg"), None) is None), None)
    title = text_of(element) if element is not None else ""
    og_title = _meta_property(root, "og:title")
    if og_title and (not title or title.startswith(og_title)):
        title = og_title
    if not title and (heading := next(root.iter("h1"), None)) is not None:
        title = text_of(heading)
    return title[:MAX_TITLE_CHARS].strip() or None


def _meta_property(root: Element, name: str) -> str:
    for meta in root.iter("meta"):
        if (meta.get("property") or meta.get("name")) == name:
            return collapse(meta.get("content") or "")
    return ""


def has_meta_refresh(root: Element) -> bool:
    """Whether the page sends its readers elsewhere (a plain reload is no concern)."""
    return any(
        (meta.get("http-equiv") or "").strip().lower() == "refresh" and "url" in (meta.get("content") or "").lower()
        for meta in root.iter("meta")
    )


def is_challenge(source: str, title: str | None, letters: int) -> bool:
    """Whether this is a page meant to stop automated readers: short, with a mark or a title only such pages have."""
    if letters > _MAX_CHALLENGE_LETTERS:
        return False
    titled = bool(_CHALLENGE_TITLES.match((title or "").strip()))
    marked = bool(_CHALLENGE_MARKS.search(source)) or ("/cdn-cgi/challenge-platform/" in source and titled)
    return marked or (titled and letters <= _MAX_TITLED_LETTERS)


def is_login(root: Element, title: str | None) -> bool:
    """Whether the page is a form to log in and nothing else; call it when hidden parts have been taken out.

    It is called one, it asks for a password (or for the name, as the first of two steps does), and beside its forms, head
    and foot it has hardly a word. A page about logging in, or with a login box beside its content, has more.
    """
    heading = next((text_of(node) for name in ("h1", "h2") for node in root.iter(name)), "")
    if not any(_LOGIN_TITLE.fullmatch(collapse(text)) for text in (title or "", heading)):
        return False
    return any(_asks_who(field) for field in root.iter("input")) and _letters_beside_forms(root) <= _MAX_LOGIN_LETTERS


def _asks_who(field: Element) -> bool:
    complete = (field.get("autocomplete") or "").lower()
    return (field.get("type") or "").lower() in ("password", "email") or "username" in complete


def _letters_beside_forms(root: Element) -> int:
    """Letters that a reader finds outside forms, head and foot."""
    body = root.find("body")
    count, waiting = 0, [root if body is None else body]
    while waiting:
        element = waiting.pop()
        for child in element:
            count += letters_in(child.tail)
            if tag_of(child) not in _CHROME:
                waiting.append(child)
        count += letters_in(element.text) if tag_of(element) else 0
    return count


def script_chars(root: Element) -> int:
    """The size of inline scripts; a script that is loaded counts as a big one."""
    return sum(
        _MIN_SHELL_SCRIPT_CHARS if script.get("src") else letters_in(script.text)
        for script in root.iter("script")
        if "json" not in (script.get("type") or "")
    )


def is_shell(root: Element, letters: int, plain_letters: int, scripts: int) -> bool:
    """Whether a script would have to draw the page: hardly a letter and a mounting point or heavy scripts, or few letters
    outside links (`plain_letters` of the content) and the data of a whole page in scripts."""
    if plain_letters < _FEW_LETTERS and scripts >= max(_DATA_SCRIPT_CHARS, _DATA_PER_LETTER * plain_letters):
        return True
    if letters >= _SHELL_LETTERS or not scripts:
        return False
    mounts = any((node.get("id") or "").lower() in _SHELL_IDS for node in root.iter("div", "main"))
    return mounts or scripts >= 2 * _MIN_SHELL_SCRIPT_CHARS


def active_markup(root: Element) -> Counter[str]:
    """Frames, objects and forms that ask for something; links are counted by the link table."""
    found: Counter[str] = Counter()
    for element in elements_of(root):
        tag = tag_of(element)
        if tag in ("iframe", "frame"):
            found["frame"] += 1
        elif tag in ("object", "embed", "applet"):
            found["object"] += 1
        elif tag == "input" and (element.get("type") or "").lower() == "password":
            found["form"] += 1
    return found
