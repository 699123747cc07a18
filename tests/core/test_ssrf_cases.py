"""The case file ssrf.jsonl through the pure decisions: parser, name policy, address table, answers, redirects.

What only a socket can show (connects made, look-ups counted, environment) is scored on the running product.
"""

import json
from collections import Counter
from pathlib import Path

from guarded_webfetch.core.address_policy import is_public, judge_answers, parse_ipv4, parse_ipv6
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.redirect_policy import decide
from guarded_webfetch.core.url_policy import DEFAULT_PORTS, WIDE_PORTS, Url, parse_url


def answers_of(table: dict[str, list[str]], ports: frozenset[int]) -> dict[str, list[bytes]]:
    """Packed answers by ASCII host. Names of the table that no URL may hold keep their spelling."""
    found = {}
    for name, texts in table.items():
        try:
            host = parse_url(f"http://{name}/", ports=ports).host
        except Refusal:
            host = name
        found[host] = [parse_ipv4(text) or parse_ipv6(text) or b"" for text in texts]
    return found


class Case:
    def __init__(self, row: dict) -> None:
        self.row = row
        self.profile = row.get("profile", "default")
        self.ports = WIDE_PORTS if self.profile == "ports-wide" else DEFAULT_PORTS
        self.lookups = 0

    def look_up(self, url: Url) -> None:
        if url.is_literal:
            judge_answers([parse_ipv4(url.host) or parse_ipv6(url.host) or b""])
            return
        table = self.row.get("dns", {})
        for name, sequence in self.row.get("dns_sequence", {}).items():
            table = {name: sequence[min(self.lookups, len(sequence) - 1)]}
        self.lookups += 1
        judge_answers(answers_of(table, self.ports).get(url.host, []), fake_ip_allowed=self.profile == "fake-ip-optin")

    def run(self) -> None:
        if self.row["kind"] == "ip":
            packed = parse_ipv4(self.row["ip"]) or parse_ipv6(self.row["ip"])
            if packed is None or not is_public(packed):
                raise Refusal("address_not_public")
            return
        url = parse_url(self.row["url"], ports=self.ports)
        self.look_up(url)
        visited = [url.text]
        for step in self.row.get("redirects", []):
            location = step["location"]
            values = [] if location is None else [location] if isinstance(location, str) else location
            encoded = [value.encode("utf-8") for value in values]
            url = decide(url, step["status"], encoded, visited=visited, ports=self.ports).url
            self.look_up(url)
            visited.append(url.text)


def judge(row: dict) -> str:
    try:
        Case(row).run()
    except Refusal as refusal:
        return f"refuse ({refusal.code})"
    return "allow"


def test_no_case_is_judged_wrong(data_folder: Path):
    rows = [json.loads(line) for line in (data_folder / "ssrf.jsonl").read_text("utf-8").splitlines()]
    kinds = Counter(row["kind"] for row in rows)
    assert kinds["url"] > 100 and kinds["ip"] > 50 and kinds["redirect"] > 30 and kinds["dns"] > 10
    wrong = [(row["id"], row["expect"], judge(row)) for row in rows if not judge(row).startswith(row["expect"])]
    assert wrong == []
