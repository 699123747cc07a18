"""The sanitizer process: everything is imported and read before the lock; then one order in, one answer out."""

from typing import cast

from guarded_webfetch.core.limits import FRAME_PARSED_BYTES
from guarded_webfetch.core.messages import SanitizeOrder
from guarded_webfetch.ipc.channel import Channel, Lock
from guarded_webfetch.rules.compact import load
from guarded_webfetch.sanitizer.sanitize import sanitize
from guarded_webfetch.text.patterns import Matcher


def main(channel: Channel, lock: Lock) -> None:
    """Loads the rules, locks itself, answers one SanitizeOrder with one Sanitized."""
    matcher = Matcher(load())
    channel.send_ready(lock())
    order = cast("SanitizeOrder", channel.receive_message(FRAME_PARSED_BYTES))
    channel.send_message(sanitize(order, matcher))
