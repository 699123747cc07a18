"""What every test shares: the data folder, the sealed internet, and the rule that CI skips no real part."""

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.internet.fixtures import sealed_internet  # noqa: F401 - a fixture

REPOSITORY = Path(__file__).resolve().parent.parent
REAL_PARTS = ("sealed", "chromium", "setup", "client")
LONG_RUN = os.environ.get("GUARDED_WEBFETCH_LONG") == "1"  # set by scripts/check-long


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The data sets of GUARDED_WEBFETCH_DATA; a test that needs them is skipped where they are absent."""
    folder = Path(os.environ.get("GUARDED_WEBFETCH_DATA", REPOSITORY / ".." / "shared" / "data")).resolve()
    if not folder.is_dir():
        pytest.skip(f"no data sets at {folder.name}/ (set GUARDED_WEBFETCH_DATA)")
    return folder


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Where a green run must mean that a part ran, a skip of it is a failure: real parts with CI=true, long ones in the long run."""
    outcome = yield
    report = outcome.get_result()
    is_long = item.get_closest_marker("long") is not None
    is_real = any(map(item.get_closest_marker, REAL_PARTS))
    due = LONG_RUN if is_long else is_real and os.environ.get("CI") == "true"
    if report.skipped and due:
        report.outcome = "failed"
        report.longrepr = f"skipped, but it has to run here: {report.longrepr}"
