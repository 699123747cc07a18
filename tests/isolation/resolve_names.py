"""`python resolve_names.py NAME…` prints, for each name, what a locked and what an unlocked resolver answers."""

import json
import sys

from guarded_webfetch.broker.child import spawn
from guarded_webfetch.broker.crew import _resolve
from guarded_webfetch.broker.deadline import Deadline
from guarded_webfetch.core import dns_answers
from guarded_webfetch.core.limits import FRAME_CONTROL_BYTES
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.ipc import frames
from guarded_webfetch.ipc.channel import Channel, Lock


def unlocked(channel: Channel, lock: Lock) -> None:
    _resolve(channel, lambda: {"level": "none"})


def answer(main: object, host: str) -> tuple[str, object]:
    deadline = Deadline.after(20, "dns_timeout")
    child = spawn("resolver", main)  # type: ignore[arg-type]
    try:
        child.await_ready(deadline)
        child.send_message({"host": host}, deadline)
        frame = child.receive({frames.BYTES: FRAME_CONTROL_BYTES}, deadline)
        return child.isolation["level"], sorted(packed.hex() for packed in dns_answers.decode(frame.payload))
    except Refusal as refusal:
        return child.isolation["level"], refusal.code
    finally:
        child.kill()


if __name__ == "__main__":
    print(json.dumps({host: [answer(_resolve, host), answer(unlocked, host)] for host in sys.argv[1:]}))
