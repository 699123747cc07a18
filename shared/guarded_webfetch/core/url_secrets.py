"""Whether a URL carries what looks like a credential, so that it is refused before a name is looked up.

Two signs: a token of a known shape anywhere in the URL, or a random-looking value under a name that says it is secret.
Presigned download links carry signatures that expire, are made to be passed on, and pass.
"""

import itertools
import re
from collections.abc import Iterator
from typing import Final

from guarded_webfetch.core.url_policy import Url

# (what every match holds, shape as its issuer documents it). Few URLs hold any of the first, and only those shapes are compiled:
# all of them take 1.3 ms of every fetch. A letter, digit or underscore before a token means it is part of another word.
_SHAPES: Final = (
    ("gh", r"gh[pousr]_[A-Za-z0-9]{36}"),  # GitHub
    ("github_pat_", r"github_pat_[A-Za-z0-9_]{22}"),
    ("gl", r"gl(?:pat|ptt|rt|dt|cbt|soat|ft|imt|agent)-[\w-]{20}"),  # GitLab
    ("sk-", r"sk-(?:proj|svcacct|admin|ant-[a-z]+\d\d|or-v\d|lf)-(?=[\w-]*[A-Za-z0-9]{16})[\w-]{20}"),  # OpenAI, Anthropic, OpenRouter …
    ("sk-", r"sk-(?=[A-Za-z]*\d)[A-Za-z0-9]{32}"),
    ("A", r"(?:AKIA|ASIA|AROA|AIDA)[A-Z2-7]{16}(?![A-Za-z0-9])"),  # AWS
    ("xox", r"xox[abeoprs]-[A-Za-z0-9]{3,}-[A-Za-z0-9-]{8}"),  # Slack
    ("xapp-", r"xapp-\d-[A-Z0-9]{8}"),
    ("AIza", r"AIza[\w-]{35}"),  # Google
    ("ya29.", r"ya29\.[\w-]{20}"),
    ("GOCSPX-", r"GOCSPX-[\w-]{20}"),
    ("k_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16}"),  # Stripe
    ("whsec_", r"whsec_[A-Za-z0-9+/=]{24}"),
    ("eyJ", r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8}"),  # a JSON Web Token
    ("npm_", r"npm_[A-Za-z0-9]{36}"),
    ("pypi-AgE", r"pypi-AgE[\w-]{40}"),
    ("hf_", r"hf_[A-Za-z0-9]{30}"),  # Hugging Face
    ("dop_v1_", r"dop_v1_[a-f0-9]{64}"),  # DigitalOcean
    ("SG.", r"SG\.[\w-]{20,24}\.[\w-]{39}"),  # SendGrid
    ("shp", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),  # Shopify
    # Tavily, Perplexity, Firecrawl, Linear, Groq, Replicate, xAI, NVIDIA, Docker, Supabase, Postman, Notion
    ("", r"(?:tvly|pplx|fc|lin_api|gsk|r8|xai|nvapi|dckr_pat|sbp|PMAK|ntn)[-_](?:dev-|prod-)?(?=[A-Za-z]*\d)[A-Za-z0-9]{24}"),
    ("figd_", r"figd_[\w-]{40}"),
    ("secret_", r"secret_[A-Za-z0-9]{40}"),  # Notion
    ("sq0", r"sq0(?:atp|csp)-[\w-]{22}"),  # Square
    ("AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{20}"),
    (":AA", r"\d{8,10}:AA[\w-]{32}"),  # Telegram bot
    ("-----BEGIN", r"-----BEGIN[ A-Z0-9]{0,30}PRIVATE KEY"),
)  # fmt: skip
_NOT_INSIDE_A_WORD: Final = r"(?<![A-Za-z0-9_])"

# Secrets that are the path of a web hook, and a nested URL with a password.
_SECRET_PATH: Final = re.compile(
    r"hooks\.slack\.com/(?:services|workflows)/[A-Z0-9]+/[A-Z0-9]+/\w{16}"
    r"|discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d+/[\w-]{40}"
    r"|://[^\s/?#:@]{1,100}:[^\s/?#:@]{1,100}@"
)

# Names (lower case, without - _ .) whose value is a credential whatever stands around it.
_STRONG_ENDS: Final = (
    "apikey", "apitoken", "appkey", "accesskey", "secretkey", "privatekey", "authkey", "secret", "accesstoken",
    "authtoken", "idtoken", "refreshtoken", "bearertoken", "bottoken", "usertoken", "personaltoken", "privatetoken",
    "sessiontoken", "jwt", "bearer", "authorization", "credential", "credentials", "subscriptionkey", "accesskeyid",
)  # fmt: skip
_PASSWORD_ENDS: Final = ("password", "passwd", "passphrase", "pwd")
# Names that often are one; a UUID under them is usually a public handle (storage links), as is a value that
# expires. Session numbers that old servers write into every link (;jsessionid=, sid=) are no credentials of the caller.
_WEAK_NAMES: Final = frozenset({
    "key", "token", "auth", "session", "sessionid", "accesscode", "sharedkey", "appid",
})  # fmt: skip

# Signed links: a set of names that stand together (AWS, Google, CloudFront, Azure SAS, CDN tokens).
_PRESIGNED: Final = (
    {"xamzsignature"},
    {"xgoogsignature"},
    {"signature", "expires"},
    {"signature", "keypairid"},
    {"sig", "se"},
    {"sig", "sv"},
)
_EXPIRY_NAMES: Final = frozenset({"expires", "exp", "expiry", "expire", "expiresat", "e"})
_SIGNED_NAMES: Final = frozenset({
    "xamzsecuritytoken", "xamzcredential", "xamzsignature", "xgoogcredential", "xgoogsignature", "awsaccesskeyid",
    "googleaccessid", "signature", "sig", "keypairid", "policy", "securitytoken",
})  # fmt: skip

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_RUN: Final = re.compile(r"[A-Za-z0-9]+")
_ESCAPE: Final = re.compile(r"%([0-9A-Fa-f]{2})")
_MIN_SECRET_CHARS: Final = 16
_MIN_RUN_CHARS: Final = 12  # without a separator; words and dates of a slug are shorter
_MIN_PASSWORD_CHARS: Final = 8
# Share of neighbours of different kind (lower, upper, digit): hex about 0.47, base 36 0.40, base 62 0.62; words and
# dates in a slug stay below 0.2.
_MIN_CHANGES: Final = 0.25


def carries_secret(url: Url) -> bool:
    """True when the URL seems to carry a credential in its query, a path segment or a host label."""
    if _is_dense(url.host) and _host_carries_token(url.host):
        return True
    path, _, query = url.target.partition("?")
    parameters = list(_parameters(query))
    signed = _is_presigned({name for name, _ in parameters})
    if signed:
        parameters = [(name, value) for name, value in parameters if name not in _SIGNED_NAMES]
        query = "&".join(value for _, value in parameters)
    text = f"{url.host}{_decode(path)}?{_decode(query)}"
    if _holds_token(text) or _SECRET_PATH.search(text):
        return True
    expires = any(name in _EXPIRY_NAMES for name, _ in parameters)
    return any(_is_secret(name, value, expires) for name, value in (*parameters, *_path_parameters(path)))


def _holds_token(text: str) -> bool:
    return any(held in text and re.search(_NOT_INSIDE_A_WORD + shape, text) for held, shape in _SHAPES)


def _host_carries_token(host: str) -> bool:
    """A host is lower case by the time it is judged, so its labels are matched without case (compiled for rare hosts only)."""
    any_shape = _NOT_INSIDE_A_WORD + "(?:" + "|".join(shape for _, shape in _SHAPES) + ")"
    return any(_is_dense(match.group()) for match in re.finditer(any_shape, host, re.IGNORECASE))


def _is_secret(name: str, value: str, expires: bool) -> bool:
    if name.endswith(_PASSWORD_ENDS):
        return len(value) >= _MIN_PASSWORD_CHARS and _changes(value) > 0
    if name.endswith(_STRONG_ENDS):
        return _looks_random(value) or bool(_UUID.fullmatch(value))
    return name in _WEAK_NAMES and not expires and not _UUID.fullmatch(value) and _looks_random(value)


def _is_presigned(names: set[str]) -> bool:
    return any(needed <= names for needed in _PRESIGNED)


def _parameters(query: str) -> Iterator[tuple[str, str]]:
    """(normalized name, decoded value) of each pair."""
    for pair in query.replace(";", "&").split("&"):
        name, _, value = pair.partition("=")
        yield _normalize(name), _decode(value)


def _path_parameters(path: str) -> Iterator[tuple[str, str]]:
    """Pairs in a path: `/name=value`, `;name=value`, and a telling name followed by its value as the next segment."""
    segments = path.replace(";", "/").split("/")
    for segment, following in zip(segments, (*segments[1:], ""), strict=True):
        name, equals, value = segment.partition("=")
        if equals:
            yield _normalize(name), _decode(value)
        elif _normalize(name).endswith(_STRONG_ENDS + _PASSWORD_ENDS) and _looks_random(_decode(following)):
            yield _normalize(name), _decode(following)


def _normalize(name: str) -> str:
    return "".join(char for char in _decode(name).lower() if char not in "-_.[]$ ")


def _decode(text: str) -> str:
    """Percent-decoded twice, since links are often wrapped in links. Bytes beyond ASCII stay as single characters."""
    for _ in range(2):
        text = _ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), text)
    return text


def _is_dense(token: str) -> bool:
    """Lower case hides most of what tells a token from words; a long run with a digit in it remains."""
    return any(len(run) >= _MIN_SECRET_CHARS and not run.isalpha() for run in _RUN.findall(token))


def _looks_random(value: str) -> bool:
    run = max(_RUN.findall(value), key=len, default="")
    return len(value) >= _MIN_SECRET_CHARS and len(run) >= _MIN_RUN_CHARS and _changes(run) >= _MIN_CHANGES


def _changes(value: str) -> float:
    """Share of neighbouring characters that differ in kind: lower case (and signs), upper case, digit."""
    kinds = [_kind(char) for char in value]
    changes = sum(one != other for one, other in itertools.pairwise(kinds))
    return changes / (len(kinds) - 1) if len(kinds) > 1 else 0.0


def _kind(char: str) -> int:
    return 0 if char.isdigit() else 2 if char.isupper() else 1
