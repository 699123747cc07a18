"""The generated tables equal what the generator makes of the Unicode data, where that is installed."""

from pathlib import Path

import pytest

from guarded_webfetch.text import unicode_tables
from tests.text.generate_unicode_tables import character_class, tables

SOURCE = Path("/usr/share/unicode")


def test_tables_are_those_of_the_unicode_data():
    if not (SOURCE / "emoji" / "emoji-data.txt").is_file():
        pytest.skip("the package unicode-data is not installed")
    if f"Version {unicode_tables.UNICODE_VERSION} " not in (SOURCE / "ReadMe.txt").read_text(encoding="utf-8"):
        pytest.skip("unicode-data of another version is installed")
    assert Path(unicode_tables.__file__).read_text(encoding="utf-8") == tables(SOURCE)


def test_a_class_is_written_as_ranges():
    assert character_class({0x41, 0x42, 0x43, 0x1F600}) == "\\u0041-\\u0043\\U0001f600"


def test_tables_hold_what_the_rules_stand_on():
    assert "gb" in unicode_tables.REGIONS.split() and "jp" in unicode_tables.REGIONS.split()
    assert all(unicode_tables.REGIONS.split().count(region) == 1 for region in ("us", "fr"))
