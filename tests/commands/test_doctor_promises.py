"""Each promise holds, and its check says so when the protection behind it is taken away."""

from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.broker import connect, network
from guarded_webfetch.commands import doctor_promises as promises
from guarded_webfetch.commands import purge
from guarded_webfetch.core import address_policy, redirect_policy
from guarded_webfetch.core.url_policy import parse_url

NAMES = (
    "Who connects", "Internal hosts", "Pinned address", "Redirects", "Limits", "Fence", "Cut PDF", "URL limit", "Deletion",
)  # fmt: skip


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "guarded-webfetch"


def failed() -> list[str]:
    return [check.name for check in promises.all_of_them() if check.state != "ok"]


def test_all_nine_are_kept_and_leave_nothing(state: Path) -> None:
    found = list(promises.all_of_them())
    assert [(check.state, check.name) for check in found] == [("ok", name) for name in NAMES]
    assert list(state.iterdir()) == []


def no_redirect_policy(here: Any, *_: Any, **__: Any) -> redirect_policy.Hop:
    return redirect_policy.Hop(here, ("checked",))


TAKEN_AWAY = {
    "Internal hosts": (address_policy, "judge_answers", lambda answers, **_: answers),
    "Pinned address": (connect, "connect", lambda _, port, deadline: REAL_CONNECT([b"\x7f\0\0\2"], port, deadline)),
    "Redirects": (redirect_policy, "decide", no_redirect_policy),
    "Limits": (promises, "_read", lambda text: {"truncated": False, "raw_text": text, "forged_marks": 1}),
    "Fence": (promises, "fenced", lambda url, title, body, nonce, _: f"{url}\n{title}\n{body}\n{nonce}"),
    "Cut PDF": (network, "read_body", lambda *_: None),
    "URL limit": (promises, "parse_url", lambda text: parse_url(text[:2_000])),
    "Deletion": (purge, "purge_results", lambda *_, **__: 0),
}
REAL_CONNECT = connect.connect


@pytest.mark.parametrize("name", TAKEN_AWAY)
def test_a_promise_that_is_broken_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*TAKEN_AWAY[name])
    assert name in failed()


def test_a_child_that_may_connect_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = promises.Crew.check

    def check(self: Any, child: Any, deadline: Any) -> None:
        real(self, child, deadline)
        self.isolation[child.role] = {**child.isolation, "canaries": {"socket": "succeeded"}}

    monkeypatch.setattr(promises.Crew, "check", check)
    assert failed() == ["Who connects"]
