"""`doctor`: a checklist of what a fetch needs here, with the command that puts each failed line right."""

from collections.abc import Iterator
from typing import Final

from guarded_webfetch.commands import doctor_checks as checks
from guarded_webfetch.commands import doctor_client, terminal, visible
from guarded_webfetch.commands import doctor_promises as promises
from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.commands.client_files import CLIENTS
from guarded_webfetch.commands.doctor_checks import Check

_CANNOT_RUN: Final = 3
_STATES: Final = {"ok": "ok  ", "fail": "FAIL", "warn": "warn", "note": "note"}
_COLOURS: Final = {"ok": "32", "fail": "1;31", "warn": "33", "note": "2"}


def run(argv: list[str]) -> int:
    """0 when a fetch can run here, 3 when it cannot. Raises Refusal usage_invalid."""
    arguments = Arguments("doctor", "Check what a fetch needs here.")
    arguments.add_argument("--client", choices=CLIENTS, help="also check the client's skill, rules and hooks")
    client = arguments.parse_args(argv).client
    found = [*_general(), *(doctor_client.client(client) if client else ())]
    failed = sum(check.state == "fail" for check in found)
    terminal.write(render(found, terminal.here()))
    return _CANNOT_RUN if failed else 0


def render(found: list[Check], output: terminal.Terminal) -> str:
    """The checklist, one line for each check and one more for what puts it right, and a last line that sums up."""
    column = max(len(check.name) for check in found)
    lines = []
    for check in found:
        state = output.painted(_STATES[check.state], _COLOURS[check.state])
        lines.append(f"{state}  {check.name:<{column}}  {visible.line(check.finding)}")
        if check.fix:
            lines.append(f"      {'':<{column}}  -> {visible.line(check.fix)}")
    failed = sum(check.state == "fail" for check in found)
    problem = f"A fetch cannot run here: {failed} of {len(found)} checks failed."
    lines += ["", problem if failed else "A fetch can run here."]
    return "\n".join(lines) + "\n"


def _general() -> Iterator[Check]:
    crew = checks.children()  # run first: its processes inherit what the other checks load
    promised = list(promises.all_of_them()) if crew.state == "ok" else []
    yield checks.python()
    yield checks.packages()
    yield checks.libraries()
    yield crew
    yield checks.certificates()
    yield checks.jq()
    yield checks.results_folder()
    yield checks.git_ignore()
    yield checks.cache_folder()
    yield checks.ledger()
    yield checks.config_file()
    yield from checks.outer_sandbox()
    yield from checks.kernel()
    yield from promised
