"""`gate queue` and `gate log`: what waits for a person, and which pages each answer rests on. Only what the caller named and our words."""

import time
from typing import Final

from guarded_webfetch.commands import terminal, visible
from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.evidence.job import NO_ANSWER
from guarded_webfetch.evidence.job_store import JobStore

_KEY_DIGITS: Final = 16
_LOG_ROWS: Final = 50
_MAX_LOG_ROWS: Final = 10_000


def queue(argv: list[str]) -> int:
    """Prints the jobs without an answer. Raises Refusal usage_invalid, store_unavailable."""
    arguments = Arguments("gate queue", "List the jobs that have no answer, and why.")
    arguments.add_argument("--due", action="store_true", help="only those that may be tried again now")
    chosen = arguments.parse_args(argv)
    now_s = time.time()
    for row in JobStore().queue():
        due = row.next_try_at is not None and row.next_try_at <= now_s
        if due or not chosen.due:
            when = "after a person's look" if row.next_try_at is None else "now" if due else _time(row.next_try_at)
            terminal.write(
                f"{row.key[:_KEY_DIGITS]}  {row.reason}  tries {row.attempts}  next {when}  {visible.line(row.question)}\n"
            )
            if row.reason in NO_ANSWER:
                terminal.write(f"    {NO_ANSWER[row.reason]}\n")
            terminal.write("".join(f"    {visible.line(url)}\n" for url in row.urls))
    return 0


def log(argv: list[str]) -> int:
    """Prints the ends of jobs. Raises Refusal usage_invalid, store_unavailable."""
    arguments = Arguments("gate log", "Show which pages each answer rests on, and through which way.")
    arguments.add_argument("--last", type=int, default=_LOG_ROWS, metavar="N", help=f"how many (default: {_LOG_ROWS})")
    chosen = arguments.parse_args(argv)
    if not 0 < chosen.last <= _MAX_LOG_ROWS:
        raise Refusal("usage_invalid")
    for entry in JobStore().log(chosen.last):
        why = f" ({entry.reason})" if entry.reason else ""
        terminal.write(f"{_time(entry.at)}  {entry.key[:_KEY_DIGITS]}  {entry.way}{why}\n")
        for row in entry.sources:
            record = f"  {visible.line(row['record'])}" if row["record"] else ""
            fetch = f" ({row['fetch']})" if row["fetch"] and row["fetch"] != "ok" else ""
            terminal.write(f"    {row['status']}{fetch}  {visible.line(row['url'])}{record}\n")
    return 0


def _time(at_s: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(at_s)) + " UTC"
