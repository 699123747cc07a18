"""What every test shares: the data folder, the sealed internet, and the rule that CI skips no real part."""

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.internet.fixtures import sealed_internet  # noqa: F401 - a fixture

REPOSITORY = Path(__file__).resolve().parent.parent
REAL_PARTS = ("sealed", "chromium", "setup", "client")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The data sets of GUARDED_WEBFETCH_DATA; a test that needs them is skipped where they are absent."""
    folder = Path(os.environ.get("GUARDED_WEBFETCH_DATA", REPOSITORY / ".." / "shared" / "data")).resolve()
    if not folder.is_dir():
        pytest.skip(f"no data sets at {folder.name}/ (set GUARDED_WEBFETCH_DATA)")
    return folder


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """With CI=true a skipped real part is a failure: a green run must mean that it ran."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("CI") == "true" and any(map(item.get_closest_marker, REAL_PARTS)):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {report.longrepr}"
