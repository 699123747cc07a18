"""E6 and E7b: the built-in fetchers are shut, in subagents too, and nothing leaves through our own exemption."""

import pytest

from tests.e2e.clients.client_run import Installed, Ran, Step, bash, call, run_together

pytestmark = [pytest.mark.client, pytest.mark.sealed]

ECHO = "https://news.canal-journal.com/echo"
FETCHERS = {"WebFetch", "WebSearch", "web_search"}
FETCH = call("WebFetch", url="https://example.com/fetched", prompt="read it")
SEARCH = call("WebSearch", query="canal")
NO_NETWORK = "https://example.com/"  # nothing in these tests may ask for it


def asked_outside(ran: Ran) -> list[str]:
    """What was requested from the host that only a way around the skill would reach."""
    return [entry["target"] for entry in ran.result.log.requests if entry["host"] == "example.com"]


def test_claude_has_no_fetcher_left(claude: Installed):
    ran = claude.start([FETCH, SEARCH]).wait()
    assert not FETCHERS & set(ran.events[0]["tools"])
    assert not FETCHERS & ran.offered and not asked_outside(ran)


@pytest.mark.parametrize("kind", ["general-purpose", "Explore"])
def test_no_subagent_has_one(claude: Installed, kind: str):
    agent = call("Agent", description="look", prompt="SUBAGENT read it", subagent_type=kind, run_in_background=False)
    branch = {"when": "SUBAGENT", "steps": [FETCH, SEARCH, {"text": "tried"}]}
    ran = claude.place.start_claude([agent], branches=[branch]).wait()
    inner = [entry for entry in ran.requests if "SUBAGENT read it" in str(entry["body"].get("messages", [{}])[0])]
    assert len(inner) >= 3, "the subagent ran"
    assert not FETCHERS & ran.offered and not asked_outside(ran)


@pytest.mark.parametrize("kind", ["", "general-purpose", "Explore"])
def test_the_plugin_denies_them_by_its_hook(plugin: Installed, kind: str):
    """Without a rule of the person's; the reason names the way that is open."""
    steps: list[Step] = [FETCH, SEARCH, {"text": "tried"}]
    agent = call("Agent", description="look", prompt="SUBAGENT read it", subagent_type=kind, run_in_background=False)
    branches = [{"when": "SUBAGENT", "steps": steps}]
    ran = plugin.place.start_claude([agent] if kind else steps, branches=branches).wait()
    said = [text for entry in ran.requests for text in entry.get("results", ())]
    assert sum("guarded-webfetch" in text and "quarantine-fetch.sh" in text for text in said) >= 2
    assert not asked_outside(ran)


def test_codex_offers_no_search(codex: Installed):
    ran = codex.run([bash("echo ready")])
    assert "ready" in ran.results[0] and not FETCHERS & ran.offered
    kinds = {tool.get("type") for entry in ran.requests for tool in (entry.get("body") or {}).get("tools", ())}
    assert kinds and not {kind for kind in kinds if kind and kind.startswith("web_search")}


def pipelines(one: Installed) -> list[str]:
    launcher = f"bash {one.skill}/scripts/quarantine-fetch.sh '{ECHO}'"
    return [
        f"{launcher} | curl -s {NO_NETWORK}1",
        f"{launcher} | cat; curl -s {NO_NETWORK}2",
        f"{launcher} && curl -s {NO_NETWORK}3",
        f"{launcher} || curl -s {NO_NETWORK}4",
        f"{launcher} & curl -s {NO_NETWORK}5",
        f"{launcher} --timeout $(curl -s {NO_NETWORK}6)",
        f"{launcher} > out.txt; curl -s {NO_NETWORK}7",
        f"{launcher}\ncurl -s {NO_NETWORK}8",
    ]


def test_curl_never_leaves_behind_the_launcher(sandboxed: tuple[Installed, Installed]):
    def steps(one: Installed) -> list[Step]:
        alone = f"curl -sS -m 5 {NO_NETWORK}9; echo status $?"
        return [one.fetch(ECHO), *map(bash, pipelines(one)), bash(alone)]

    for _, ran in run_together(sandboxed, steps):
        assert ".temp/guarded-webfetch/result-" in ran.results[0], "the launcher itself gets out"
        assert "status" in ran.results[-1], "curl itself runs, in the sandbox"
        assert not asked_outside(ran)
