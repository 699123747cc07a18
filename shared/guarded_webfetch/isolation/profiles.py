"""What each role may use."""

from typing import Final, Literal, NamedTuple

from guarded_webfetch.core import limits

RoleName = Literal["resolver", "fetcher", "parser", "sanitizer"]


class Profile(NamedTuple):
    """Limits of one role. `memory_bytes` is address space, `cpu_s` a backstop behind the broker's own deadline."""

    memory_bytes: int
    cpu_s: int
    more_descriptors: int  # how many it may open or be given after the lock
    needs_system: bool = False  # works with the system's files and networks: at most level "strict"


PROFILES: Final[dict[RoleName, Profile]] = {
    # a socket per name server, files, name service modules
    "resolver": Profile(limits.RESOLVER_MEMORY_BYTES, 5, 32, needs_system=True),
    "fetcher": Profile(limits.FETCHER_MEMORY_BYTES, int(limits.MAX_TIMEOUT_S), 1),  # the one socket passed to it
    "parser": Profile(limits.PARSER_MEMORY_BYTES, int(limits.MAX_TIMEOUT_S), 0),
    "sanitizer": Profile(limits.SANITIZER_MEMORY_BYTES, int(limits.MAX_TIMEOUT_S), 0),
}

# Kinds of limit (resource.RLIMIT_*) that are zero for every role; output leaves through pipes, which FSIZE does not bind.
ZERO_LIMITS: Final = ("CORE", "FSIZE", "NPROC", "MEMLOCK", "MSGQUEUE")
