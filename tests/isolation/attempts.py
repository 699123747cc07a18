"""All escape attempts: what a locked child must not be able to do, each judged by what it brought about."""

from tests.isolation import (  # noqa: F401 - importing them registers their attempts
    attempts_on_files,
    attempts_on_itself,
    attempts_on_processes,
    attempts_on_sockets,
    attempts_on_the_kernel,
)
from tests.isolation.attempt import ATTEMPTS, Attempt

__all__ = ["ATTEMPTS", "Attempt"]
