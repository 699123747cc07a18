"""Credentials in URLs, and the many ordinary URLs that merely look busy. No value here was ever a real credential."""

import random
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guarded_webfetch.core import url_secrets
from guarded_webfetch.core.url_policy import parse_url
from guarded_webfetch.core.url_secrets import carries_secret

_SOURCE = random.Random(20)
ALNUM = "".join(_SOURCE.choices(string.ascii_letters + string.digits, k=120))
HEX = "".join(_SOURCE.choices("0123456789abcdef", k=120))
UPPER = "".join(_SOURCE.choices(string.ascii_uppercase + "234567", k=120))
UUID = f"{HEX[:8]}-{HEX[8:12]}-{HEX[12:16]}-{HEX[16:20]}-{HEX[20:32]}"
JWT = f"eyJ{ALNUM[:20]}.eyJ{ALNUM[20:60]}.{ALNUM[60:100]}"

# Built from parts, so that scanners for leaked tokens do not stumble over this file.
TOKENS = {
    "github": "ghp" + "_" + ALNUM[:36],
    "github fine-grained": "github" + "_pat_" + ALNUM[:82],
    "gitlab": "glpat" + "-" + ALNUM[:20],
    "openai": "sk" + "-proj-" + ALNUM[:32],
    "openai, old": "sk" + "-" + "T3" + ALNUM[:46],
    "anthropic": "sk" + "-ant-api03-" + ALNUM[:80],
    "aws": "AK" + "IA" + UPPER[:16],
    "slack": "xo" + "xb-1234567890-" + ALNUM[:24],
    "google": "AI" + "za" + ALNUM[:35],
    "google oauth": "ya" + "29." + ALNUM[:60],
    "stripe": "sk" + "_live_" + ALNUM[:24],
    "jwt": JWT,
    "npm": "npm" + "_" + ALNUM[:36],
    "hugging face": "hf" + "_" + ALNUM[:34],
    "sendgrid": "SG" + "." + ALNUM[:22] + "." + ALNUM[22:65],
    "tavily": "tvly" + "-dev-" + ALNUM[:32],
    "telegram": "123456789:AA" + ALNUM[:33],
    "private key": "-----BEGIN RSA PRIVATE KEY-----" + ALNUM[:40],
}


@pytest.mark.parametrize("kind", TOKENS)
@pytest.mark.parametrize(
    "form",
    [
        "https://example.com/?q={}",
        "https://example.com/x/{}/y",
        "https://example.com/?u=https%3A%2F%2Fa.com%2F{}",
        "https://example.com/;{}",
    ],
)
def test_known_shapes_anywhere(kind, form):
    assert carries_secret(parse_url(form.format(TOKENS[kind])))


@pytest.mark.parametrize(("held", "shape"), [row for row in url_secrets._SHAPES if row[0]])
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_what_is_looked_for_first_stands_in_every_match(held: str, shape: str, data: st.DataObject) -> None:
    assert held in data.draw(st.from_regex(shape))


@pytest.mark.parametrize("kind", ["github", "aws", "stripe", "npm"])
def test_known_shapes_in_a_host_label(kind):
    assert carries_secret(parse_url(f"https://{TOKENS[kind]}.example.com/"))


def test_an_encoded_token_is_a_token():
    encoded = "".join(f"%{ord(char):02X}" for char in TOKENS["github"])
    twice = encoded.replace("%", "%25")
    assert carries_secret(parse_url(f"https://example.com/?q={encoded}"))
    assert carries_secret(parse_url(f"https://example.com/?q={twice}"))


@pytest.mark.parametrize(
    "rest",
    [
        f"?api_key={HEX[:32]}", f"?apikey={ALNUM[:24]}", f"?API-KEY={UUID}", f"?access_token={ALNUM[:40]}", f"?token={ALNUM[:40]}",
        f"?key={ALNUM[:39]}", f"?client_secret={ALNUM[:32]}", f"?auth={ALNUM[:32]}", f"?user=a&password={'Summer' + '2024!'}",
        f"?x=1;token={ALNUM[:40]}", f"?data[api_key]={HEX[:40]}", f"?X-Api-Key={HEX[:32]}", f"?Authorization=Bearer%20{ALNUM[:40]}",
        f"token={ALNUM[:40]}/x", f"a;secret={ALNUM[:30]}", f"reset-password/{ALNUM[:40]}", f"v1/apikey/{HEX[:32]}/data",
        "?next=https://user:hunter2@internal.example.com/", f"?sub=1&subscription-key={HEX[:32]}",
    ],
)  # fmt: skip
def test_random_values_under_telling_names(rest):
    assert carries_secret(parse_url("https://example.com/" + rest))


def test_web_hooks_are_secrets():
    assert carries_secret(parse_url(f"https://hooks.slack.com/services/T0AB12CD3/B0AB12CD3/{ALNUM[:24]}"))
    assert carries_secret(parse_url(f"https://discord.com/api/webhooks/123456789012345678/{ALNUM[:68]}"))


@pytest.mark.parametrize(
    "url",
    [
        # presigned download links: AWS, Google, CloudFront, Azure SAS, CDN
        f"https://b.s3.amazonaws.com/f.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={TOKENS['aws']}%2F20260101%2Fus-east-1%2Fs3"
        f"%2Faws4_request&X-Amz-Date=20260101T000000Z&X-Amz-Expires=300&X-Amz-Security-Token={ALNUM}&X-Amz-Signature={HEX[:64]}",
        f"https://b.s3.amazonaws.com/f.pdf?AWSAccessKeyId={TOKENS['aws']}&Expires=1790000000&Signature={ALNUM[:27]}%3D",
        f"https://storage.googleapis.com/b/f?X-Goog-Credential=a%40b.iam&X-Goog-Expires=600&X-Goog-Signature={HEX}",
        f"https://d1.cloudfront.net/f.pdf?Expires=1790000000&Signature={ALNUM}&Key-Pair-Id=K{UPPER[:13]}",
        f"https://a.blob.core.windows.net/c/f.pdf?sv=2024-11-04&se=2026-12-01&sr=b&sp=r&sig={ALNUM[:43]}%3D",
        f"https://cdn.example.com/v.pdf?token={ALNUM[:22]}&expires=1790000000",
        f"https://firebasestorage.googleapis.com/v0/b/x/o/y.pdf?alt=media&token={UUID}",
        "https://example.com/x/ok?sig=2",
        # ids, hashes, commits
        f"https://github.com/a/b/commit/{HEX[:40]}",
        f"https://example.com/items/{UUID}",
        f"https://example.com/?id={ALNUM[:32]}&v={HEX[:32]}&hash={HEX[:64]}&rev={HEX[:40]}",
        f"https://www.youtube.com/watch?v={ALNUM[:11]}&list=PL{ALNUM[:32]}",
        f"https://docs.google.com/document/d/{ALNUM[:44]}/edit",
        f"https://drive.google.com/file/d/{ALNUM[:33]}/view?resourcekey=0-{ALNUM[:22]}",
        f"https://example.com/list?pageToken={ALNUM[:40]}&cursor={ALNUM[:40]}",
        f"https://web.archive.org/web/20230101000000/https://example.com/{HEX[:32]}.pdf",
        f"https://citeseerx.example.org/viewdoc;jsessionid={HEX[:32].upper()}?doi=10.1.1.1",
        # words that are not values
        "https://example.com/docs/api-key/how-to-rotate-your-api-key-2024-06",
        "https://example.com/forgot-password/step2-email",
        "https://example.com/blog/kubernetes/secret/2023-10-v1beta2-notes",
        "https://example.com/files/secret-chambers-2018-07-31-330x240.png",
        "https://example.com/?key=value&token=&auth=none&secret=1&password=",
        "https://example.com/?key=how-to-install-python-3-11-on-debian-12",
        "https://example.com/?password=required&reset_password=true",
        "https://example.com/search?q=what+is+an+access_token",
        "https://example.com/sk-SK/sk-aky-je-rozdiel-medzi-tokenom-a-heslom-2024",
        "https://example.com/?q=AKIA+example&t=10:30&at=12:00@home",
        "https://example.com/@user:x@y",
        "https://web.archive.org/web/2020/http://example.com:80/a@b",
        "https://example.com/日本語/認証トークン?キー=値",
        "https://example.com/sk-organic-food-and-more-for-everyone-2024",
        "https://example.com/sk-admin-panel-for-beginners-2024-edition",
        "https://example.com/fc-barcelona-vs-real-madrid-2024-highlights-and-goals",
        "https://sk-admin-panel-for-beginners-2024-edition.example.com/",
        "https://example.com/secret_sauce_of_the_very_best_burgers_in_2024_and_beyond",
        "https://basic-github-tips.example.com/skills/task-sk-management-for-small-teams",
    ],
)  # fmt: skip
def test_ordinary_urls_pass(url):
    assert not carries_secret(parse_url(url))


def test_a_signed_link_still_carries_no_other_token():
    url = f"https://b.s3.amazonaws.com/f?X-Amz-Signature={HEX[:64]}&note={TOKENS['github']}"
    assert carries_secret(parse_url(url))


def test_random_values_are_seen_and_neutral_names_are_not():
    """2,000 random keys: nearly all are seen under a telling name, none under a neutral one."""
    source = random.Random(7)
    alphabets = (string.ascii_letters + string.digits, "0123456789abcdef", string.ascii_lowercase + string.digits)
    values = ["".join(source.choices(alphabets[n % 3], k=source.randint(24, 64))) for n in range(2000)]
    seen = [carries_secret(parse_url(f"https://example.com/?api_key={value}")) for value in values]
    assert sum(seen) > 1940
    assert not any(carries_secret(parse_url(f"https://example.com/{value}?id={value}")) for value in values)
