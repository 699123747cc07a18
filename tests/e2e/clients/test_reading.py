"""E3 to E5: a normal use asks nobody anything, prints one path, and shows the model no word of the page before stage 2."""

import json
import re
from typing import Any

import pytest

from tests.e2e.clients.client_run import Installed, Step, bash, run_together

pytestmark = [pytest.mark.client, pytest.mark.sealed]

Both = tuple[Installed, Installed]
ARTICLE = "https://news.canal-journal.com/articles/lock-gates"
INJECTED = "https://news.canal-journal.com/injected"
ECHO = "https://news.canal-journal.com/echo"
# What a shell or a rule might stumble over inside single quotes.
SPELLINGS = (
    ECHO, f"{ECHO}?a=1&b=2", f"{ECHO}?a=1;b=2", f"{ECHO}?a=1|2", f"{ECHO}#part", f"{ECHO}?a=%20b", f"{ECHO}?a=(1)",
    f"{ECHO}?a=$HOME", f"{ECHO}?a=`id`", f"{ECHO}?a=>b", f"{ECHO}?a[]=1&b={{2}}", f"{ECHO}?a=*~!", f"{ECHO}?q=運河",
)  # fmt: skip
RECORD = r"{{re:(\.temp/\S+/result-[0-9a-f]+\.json)}}"
STAGE_1 = bash(f"jq -c 'del(.raw_text,.raw_html)' '{RECORD}'")
STAGE_2 = bash(f"jq -r '.fence.begin,.raw_text,.fence.end' '{RECORD}'")
PATH_LINE = re.compile(r"^\.temp/guarded-webfetch/result-[0-9a-f]{16}\.json$", re.MULTILINE)


def read(one: Installed, said: str, beside: str = "") -> dict[str, Any]:
    """The record, or a file beside it, whose path is the one line a call printed."""
    found = PATH_LINE.findall(said)
    assert len(found) == 1, said
    path = one.place.project / found[0]
    record: dict[str, Any] = json.loads(path.with_suffix(f"{beside}.json").read_text("utf-8"))
    return record


def test_no_spelling_of_a_quoted_url_is_refused(both: Both):
    for _, ran in run_together(both, lambda one: [one.fetch(url) for url in SPELLINGS]):
        refused = [url for url, said in zip(SPELLINGS, ran.results, strict=True) if len(PATH_LINE.findall(said)) != 1]
        assert not refused, ran.results


def test_a_page_stays_unseen_until_it_is_read(both: Both):
    for one, ran in run_together(both, lambda one: [one.fetch(ARTICLE), STAGE_1, STAGE_2]):
        record = read(one, ran.results[0])
        text = record["raw_text"]
        canary = next(line for line in text[len(text) // 2 :].splitlines()[1:] if len(line) > 80)[:60]
        shown = json.loads(ran.results[1][ran.results[1].index('{"schema"') :])
        assert (shown["verdict"], shown["summary"]) == (record["verdict"], record["summary"])
        before = [entry for entry in ran.requests if len(entry.get("results", ())) < 3]
        assert len(before) >= 3 and canary not in json.dumps(before, ensure_ascii=False)
        assert canary in ran.sent, "the test would see it"


def test_a_page_with_orders_stays_unseen_whatever_is_read(both: Both):
    def steps(one: Installed) -> list[Step]:
        reader = f"bash {one.skill}/scripts/read-result.sh {RECORD}"
        return [one.fetch(INJECTED), STAGE_1, STAGE_2, bash(f"cat '{RECORD}'"), bash(f"{reader} text")]

    for one, ran in run_together(both, steps):
        record, held = read(one, ran.results[0]), read(one, ran.results[0], ".held")
        assert (record["verdict"], record["raw_text"]) == ("confirm", None)
        lines = [line[:30] for line in held["raw_text"].splitlines() if len(line) > 30]
        assert lines and not [line for line in lines if line in ran.sent]


def test_a_failure_says_nothing_the_site_chose(both: Both):
    for _, ran in run_together(both, lambda one: [one.fetch("https://status.canal-journal.com/404")]):
        line = "guarded-webfetch: http_not_found: The page does not exist. (record: .temp/guarded-webfetch/failure-"
        assert line in ran.results[0]
        assert "canal" not in ran.results[0].replace(".temp", "")


def test_a_link_is_followed_by_its_number(both: Both):
    def steps(one: Installed) -> list[Step]:
        follow = bash(f"bash {one.skill}/scripts/quarantine-fetch.sh --from {RECORD} L1")
        return [one.fetch("https://news.canal-journal.com/"), follow]

    for one, ran in run_together(both, steps):
        assert read(one, ran.results[1])["requested_url"].startswith("https://news.canal-journal.com/articles/")
