"""pytest's way in: one sealed internet for a whole session."""

from collections.abc import Iterator

import pytest

from tests.internet.client import SealedInternet, Unavailable


@pytest.fixture(scope="session")
def sealed_internet() -> Iterator[SealedInternet]:
    """A running sealed internet; the test is skipped, with the reason, where the machine cannot have one."""
    try:
        net = SealedInternet()
    except Unavailable as reason:
        pytest.skip(f"no sealed internet: {reason}")
    with net:
        yield net
