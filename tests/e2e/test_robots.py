"""robots.txt in the sealed internet: asked before the page, heeded at every hop, and never heard of by anybody who reads."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.core.limits import MAX_ROBOTS_BYTES
from tests.conftest import REPOSITORY
from tests.internet.client import Result, SealedInternet
from tests.internet.replies import Repeat, Reply, Route, Site
from tests.internet.sites import page, redirect

pytestmark = pytest.mark.sealed
CONSOLE = REPOSITORY / "scripts/guarded-webfetch"
HOST = "robots.canal-journal.com"
OTHER = "robots.harbour-times.net"
PAGE = "/articles/gates"
PLAIN = "http:plain"
WORDS = "Keeper-of-the-rules"


def txt(*lines: str, **more: Any) -> Reply:
    return Reply(headers=(("Content-Type", "text/plain"),), body="\n".join(lines).encode() + b"\n", **more)


SHUT = txt("User-agent: *", f"# {WORDS}", f"Disallow: /articles/  # {WORDS}")
NARROW = txt("User-agent: guarded-webfetch", "Disallow: /private", "User-agent: *", "Disallow: /")
FULL = Reply(body=b"user-agent: *\ndisallow: /articles/\n".ljust(MAX_ROBOTS_BYTES, b"#"))
BEYOND = Reply(body=b"user-agent: *\n".ljust(MAX_ROBOTS_BYTES - 1, b"#") + b"\ndisallow: /articles/\n")
HOPS = {f"/robots-{n}": redirect(f"/robots-{n + 1}", 301) for n in range(1, 6)}


@dataclass
class Job:
    """A finished run and its folder."""

    result: Result
    folder: Path
    rows: list[dict[str, Any]]

    @property
    def outcomes(self) -> list[str]:
        return [row["outcome"] for row in self.rows]

    @property
    def asked(self) -> list[str]:
        return [entry["target"] for entry in self.result.log.requests]


Sources = Callable[..., Job]


@pytest.fixture
def sources(sealed_internet: SealedInternet, environment: str, tmp_path: Path) -> Sources:
    """`sources(routes, *arguments)`: HOST answers by `routes` and with a page at PAGE; state of its own for each test."""
    state = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    (tmp_path / "work").mkdir()

    def run(routes: dict[str, Route], *arguments: str, urls: tuple[str, ...] = (f"https://{HOST}{PAGE}",)) -> Job:
        sealed_internet.add_site(Site(HOST, "a site with a robots.txt", {PAGE: page("lock-gates.html"), **routes}))
        command = ["bash", str(CONSOLE), "sources", "--pause", "0", "--min-ok", "0", *arguments, *urls]
        result = sealed_internet.run(command, cwd=tmp_path / "work", env=state, timeout=60)
        assert result.returncode == 0, result.stderr
        assert not result.log.traps
        written = [path.read_bytes() for path in (tmp_path / "work").rglob("*") if path.is_file()]
        assert not any(WORDS.encode() in data for data in (*written, result.stderr.encode()))
        index = json.loads((tmp_path / "work" / result.stdout.strip()).read_bytes())
        return Job(result, tmp_path, index["sources"])

    return run


CASES: dict[str, tuple[dict[str, Route], str]] = {
    "none": ({}, "ok"),
    "refused": ({"/robots.txt": Reply(403)}, "ok"),
    "shut": ({"/robots.txt": SHUT}, "robots_disallowed"),
    "our own group": ({"/robots.txt": NARROW}, "ok"),
    "a page instead": ({"/robots.txt": page("example.html")}, "ok"),
    "empty": ({"/robots.txt": Reply()}, "ok"),
    "broken server": ({"/robots.txt": Reply(503)}, "robots_unavailable"),
    "cut": ({"/robots.txt": Reply(body=b"user-agent: *\n", length=900)}, "robots_unavailable"),
    "moved": ({"/robots.txt": redirect("/r"), "/r": SHUT}, "robots_disallowed"),
    "moved inside": ({"/robots.txt": redirect("http://10.0.0.1/robots.txt")}, "robots_unavailable"),
    "moved to plain http": ({"/robots.txt": redirect(PLAIN), "/r": NARROW}, "robots_unavailable"),
    "moved five times": ({"/robots.txt": redirect("/robots-2"), **HOPS, "/robots-6": SHUT}, "robots_disallowed"),
    "moved six times": ({"/robots.txt": redirect("/robots-1"), **HOPS, "/robots-6": SHUT}, "ok"),
    "of the full length": ({"/robots.txt": FULL}, "robots_disallowed"),
    "a rule beyond it": ({"/robots.txt": BEYOND}, "ok"),
    "endless": ({"/robots.txt": Reply(body=Repeat(b"#" * 9_999), framing="chunked")}, "ok"),
}  # fmt: skip


@pytest.mark.parametrize("first", [0, 8])
def test_what_the_files_say(sources: Sources, sealed_internet: SealedInternet, first: int) -> None:
    """A site for each case, eight of them in a run."""
    cases = {f"rules{n}.canal-journal.com": case for n, case in enumerate(CASES.values()) if first <= n < first + 8}
    for host, (routes, _) in cases.items():
        named = {path: redirect(f"http://{host}/r") if is_plain(reply) else reply for path, reply in routes.items()}
        sealed_internet.add_site(Site(host, "one case", {PAGE: page("lock-gates.html"), **named}))
    job = sources({}, urls=tuple(f"https://{host}{PAGE}" for host in cases))
    assert job.outcomes == [outcome for _, outcome in cases.values()]
    for host, (_, outcome) in cases.items():
        asked = [entry["target"] for entry in job.result.log.requests if entry["host"] == host]
        assert (asked[0], PAGE in asked) == ("/robots.txt", outcome == "ok")


def is_plain(reply: Route) -> bool:
    """Whether a reply leads to the plain http of its own site."""
    return isinstance(reply, Reply) and ("Location", PLAIN) in reply.headers


def test_a_silent_robots_txt_costs_its_own_time_only(sources: Sources) -> None:
    job = sources({"/robots.txt": Reply(silent=True)}, urls=(f"https://{HOST}{PAGE}", "https://example.com/"))
    assert job.outcomes == ["robots_unavailable", "ok"]
    assert job.result.seconds < 15


def test_asked_once_a_day_and_answered_for_each_path(sources: Sources) -> None:
    routes: dict[str, Route] = {"/robots.txt": NARROW, "/private": page("example.html")}
    urls = (f"https://{HOST}{PAGE}", f"https://{HOST}/private", f"https://{HOST}{PAGE}?2")
    assert sources(routes, urls=urls).outcomes == ["ok", "robots_disallowed", "ok"]
    again = sources({"/robots.txt": Reply(503), "/private": page("example.html")}, urls=urls)
    assert again.outcomes == ["ok", "robots_disallowed", "ok"]
    assert "/robots.txt" not in again.asked


def test_a_failure_is_not_kept_and_old_rules_outlast_one(sources: Sources, tmp_path: Path) -> None:
    assert sources({"/robots.txt": Reply(500)}).outcomes == ["robots_unavailable"]
    assert sources({"/robots.txt": SHUT}).outcomes == ["robots_disallowed"]
    (kept,) = (tmp_path / "state/guarded-webfetch/robots").glob("*.robots")
    mark, meaning, _ = kept.read_bytes().partition(b"\n")[0].split(b" ")
    kept.write_bytes(b"%s %s 1000\n%s" % (mark, meaning, kept.read_bytes().partition(b"\n")[2]))
    job = sources({"/robots.txt": Reply(500)})
    assert (job.outcomes, job.asked) == (["robots_disallowed"], ["/robots.txt"])


def test_the_host_a_page_moved_to_is_asked_as_well(sources: Sources, sealed_internet: SealedInternet) -> None:
    moved: dict[str, Route] = {PAGE: redirect(f"https://{OTHER}{PAGE}")}
    for robots, outcome in ((NARROW, "ok"), (SHUT, "robots_disallowed")):
        other = Site(OTHER, "where it moved", {PAGE: page("lock-gates.html"), "/robots.txt": robots})
        sealed_internet.add_site(other)
        job = sources(moved, urls=(f"https://{HOST}{PAGE}?{outcome}",))
        assert job.outcomes == [outcome]
        for kept in (job.folder / "state/guarded-webfetch/robots").glob("*"):
            kept.unlink()


def test_a_delay_between_two_pages(sources: Sources) -> None:
    slow = txt("User-agent: *", "Crawl-delay: 1.5", "Allow: /")
    job = sources({"/robots.txt": slow}, urls=(f"https://{HOST}{PAGE}?1", f"https://{HOST}{PAGE}?2"))
    first, second = (e["time"] for e in job.result.log.requests if e["target"].startswith(PAGE))
    assert job.outcomes == ["ok", "ok"]
    assert second - first > 1.5


def test_noted_and_ignored(sources: Sources) -> None:
    job = sources({"/robots.txt": SHUT}, "--robots", "note", "--records", "kept")
    (record,) = (job.folder / "work/kept").glob("result-????????????????.json")
    flags = json.loads(record.read_bytes())["flags"]
    assert (job.outcomes, flags["robots_disallowed"]) == (["ok"], True)
    job = sources({"/robots.txt": SHUT}, "--robots", "ignore")
    assert (job.outcomes, job.asked) == (["ok"], [PAGE])


@pytest.mark.parametrize(("policy", "asks"), [([], False), (["--robots", "note"], True)])
def test_fetch_asks_only_on_request(
    sealed_internet: SealedInternet, environment: str, tmp_path: Path, policy: list[str], asks: bool
) -> None:
    sealed_internet.add_site(Site(HOST, "a site", {PAGE: page("lock-gates.html"), "/robots.txt": SHUT}))
    command = ["bash", str(CONSOLE), "fetch", *policy, f"https://{HOST}{PAGE}"]
    state = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    result = sealed_internet.run(command, cwd=tmp_path, env=state)
    record = json.loads((tmp_path / result.stdout.strip()).read_bytes())
    assert record["flags"].get("robots_disallowed", False) is asks
    assert ("/robots.txt" in [entry["target"] for entry in result.log.requests]) is asks


def test_fetch_that_obeys_writes_a_failure(sealed_internet: SealedInternet, environment: str, tmp_path: Path) -> None:
    sealed_internet.add_site(Site(HOST, "a site", {PAGE: page("lock-gates.html"), "/robots.txt": SHUT}))
    command = ["bash", str(CONSOLE), "fetch", "--robots", "obey", f"https://{HOST}{PAGE}"]
    result = sealed_internet.run(command, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (4, "")
    assert result.stderr.startswith("guarded-webfetch: robots_disallowed: ")
