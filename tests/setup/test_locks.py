"""The locks: complete, exact, hashed, from nowhere in particular, and what pyproject.toml asks for. All without a network."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from .harness import REPOSITORY
from .locks import entries, lock_text

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
WANTED = {
    "runtime": PROJECT["project"]["dependencies"],
    "dev": PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["dev"],
}


@pytest.mark.parametrize("name", WANTED)
def test_every_entry_is_one_version_with_hashes(name: str) -> None:
    found = list(entries(name))
    assert len(found) >= len(WANTED[name])
    for requirement, hashes in found:
        assert re.fullmatch(r"==[^,*]+", str(requirement.specifier)), requirement
        assert not requirement.extras and not requirement.url, "pip 23 fails on extras in hash mode"
        assert hashes, requirement


@pytest.mark.parametrize("name", WANTED)
def test_a_lock_names_no_place(name: str) -> None:
    """No index, no URL, no path of the machine it was made on."""
    assert not re.search(
        r"://|index|find-links|trusted|^-(?!-hash)|/(home|root|tmp|work)/", lock_text(name), re.MULTILINE
    )


@pytest.mark.parametrize("name", WANTED)
def test_what_the_project_asks_for_is_locked(name: str) -> None:
    pins = {canonicalize_name(item.name): item for item, _ in entries(name)}
    for wanted in map(Requirement, WANTED[name]):
        pin = pins[canonicalize_name(wanted.name)]
        assert wanted.specifier.contains(str(pin.specifier).removeprefix("==")), wanted


def test_development_tests_what_is_shipped() -> None:
    """The same versions and files; a marker may be wider, where a development package needs it on more versions."""
    development = {item.name: (item.specifier, hashes) for item, hashes in entries("dev")}
    for item, hashes in entries("runtime"):
        assert development[item.name] == (item.specifier, hashes)


@pytest.mark.parametrize("line", ["x==1 --index-url=https://x/", "x==1 --hash=md5:00", "--find-links y"])
def test_the_reader_of_these_tests_refuses_other_lines(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr("tests.setup.locks.lock_text", lambda _: line)
    from tests.setup import locks

    with pytest.raises(ValueError):
        list(locks.entries("runtime"))
