"""Our parser against Node's URL (a WHATWG URL implementation with its own UTS 46 tables).

Among URLs we accept, Node must read the same host and send the same request: a host that two readers understand differently
is how a guard is bypassed.
"""

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.redirect_policy import resolve
from guarded_webfetch.core.url_policy import WIDE_PORTS, Url, parse_url

CASES = json.loads((Path(__file__).parents[1] / "cases" / "url_policy.json").read_text("utf-8"))
BASE = "https://www.example.com/a/b?c"
NODE = shutil.which("node")
READER = """
const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(rows.map(([text, base]) => {
  try { const u = base ? new URL(text, base) : new URL(text);
        return [u.protocol, u.hostname, u.port, u.pathname + u.search]; } catch { return null; }
})));
"""
_PIECES = (
    "http:// https:// // / \\ : @ . .. ? # [ ] % %2e %2F %00 :80 :443 :8080 ::1 ::ffff:1.2.3.4 127.0.0.1 0x7f 1 09 a b A . 。 ． "
    "ß ẞ İ ſ K Ⅷ ㎏ ℡ ½ é e\u0301 日 本 ー ａ １ ① ❤ 😀 а я α ς א ا ب ١ ๑ \u00ad \u200b \u200c \u200d \ufe0f \u0300 \u05b0 _ - -- "
    "xn-- xn--a xn--fa-hia xn--mnchen-3ya xn--qei xn--mgba3gch31f060k com de jp co example local "
    "& = + ~ ' \" < > { } | ^ ` ! $ ( ) * , ;"
)
PIECES = (*_PIECES.split(" "), " ", "\t")


def mutants(count: int, seed: int) -> list[str]:
    """URLs near the hand-made ones: pieces put in, taken out, doubled, swapped."""
    source = random.Random(seed)
    seeds = [row["url"] for row in CASES["accepted"] + CASES["refused"] if len(row["url"]) < 200]
    seeds += [
        "http://a.b.example.com/",
        "https://xn--bcher-kva.example/x",
        "http://1.2.3.4:80/",
        "https://bücher.example.com/ä?ö",
    ]
    found = []
    for _ in range(count):
        text = source.choice(seeds)
        for _ in range(source.randint(1, 4)):
            at = source.randint(0, len(text)) if source.random() < 0.4 else source.randint(0, min(len(text), 30))
            cut = source.randint(0, 2) if source.random() < 0.5 else 0
            text = text[:at] + source.choice(PIECES) * source.randint(0, 2) + text[at + cut :]
        found.append(text)
    return found


def read_with_node(rows: list[tuple[str, str | None]]) -> list[list[str] | None]:
    if NODE is None:
        pytest.skip("node is not installed")
    run = subprocess.run([NODE, "-e", READER], input=json.dumps(rows), capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def as_node_says(url: Url) -> list[str]:
    host, _, port = url.host_header.partition("]")
    host, port = (host + "]", port.removeprefix(":")) if host.startswith("[") else url.host_header.partition(":")[::2]
    return [url.scheme + ":", host, port]


def check(ours: list[tuple[str, Url]], theirs: list[list[str] | None]) -> None:
    wrong = []
    for (text, url), node in zip(ours, theirs, strict=True):
        # Node keeps one final dot of a name, which changes nothing about who is asked.
        if node is None or [node[0], node[1].removesuffix("."), node[2]] != as_node_says(url):
            wrong.append((text, url.text, node))
    assert wrong == []


@pytest.mark.parametrize(("count", "seed"), [(6_000, 1), pytest.param(150_000, 2, marks=pytest.mark.long)])
def test_no_accepted_url_has_another_host_in_node(count, seed):
    accepted = []
    for text in [row["url"] for row in CASES["accepted"]] + mutants(count, seed):
        try:
            accepted.append((text, parse_url(text, ports=WIDE_PORTS)))
        except Refusal:
            continue
    assert len(accepted) > count // 20  # the mutants are worth something only while many are accepted
    check(accepted, read_with_node([(text, None) for text, _ in accepted]))


def test_node_sends_the_same_target():
    """Except an apostrophe in the query, encoded dots, and what only our caller's text may hold raw."""
    rows = [row for row in CASES["accepted"] if not any(part in row["url"] for part in ("'", "%2e", "#"))]
    theirs = read_with_node([(row["url"], None) for row in rows])
    for row, node in zip(rows, theirs, strict=True):
        target = parse_url(row["url"]).target
        assert node is not None
        assert node[3] == (target.removesuffix("?") if target.endswith("/?") else target), row["why"]


@pytest.mark.parametrize(("count", "seed"), [(6_000, 3), pytest.param(150_000, 4, marks=pytest.mark.long)])
def test_no_accepted_location_leads_to_another_host_in_node(count, seed):
    source = random.Random(seed)
    current = parse_url(BASE)
    accepted = []
    for text in mutants(count, seed):
        reference = text if source.random() < 0.3 else text[source.randint(0, 8) :]
        try:
            accepted.append((reference, resolve(current, reference.encode("utf-8", "surrogatepass"), ports=WIDE_PORTS)))
        except Refusal:
            continue
    assert len(accepted) > count // 20
    check(accepted, read_with_node([(text, BASE) for text, _ in accepted]))
