"""scripts/install: places the skills and their rules for one client, or takes them away again, and prints what it changed.

Nothing of a person's settings is replaced: entries are added, values that differ are named and left. Everything is checked before the
first change. Installing again changes nothing more; --uninstall restores every file exactly, or, where a person has edited it
since, takes away only what was added.
"""

import argparse
import hashlib
import os
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "shared"), str(ROOT / "scripts")]

from shipping import bundle, json_settings, rules  # noqa: E402
from shipping.journal import Entry, Journal, current, digest, replace, restore  # noqa: E402

from guarded_webfetch.broker import user_folders  # noqa: E402
from guarded_webfetch.commands import environments  # noqa: E402
from guarded_webfetch.commands.client_files import CLIENTS, SCOPES, SKILL, Client, Places, Scope, places  # noqa: E402

_REFUSED = 3
_NEXT = {
    "claude": "start Claude Code again, so that it reads its settings",
    "codex": "start Codex again and open /hooks once to trust the hook; until then Codex skips it without a word",
}


class Refused(Exception):
    """Why nothing was changed, for the person."""


class Change(NamedTuple):
    """One file as it is to be, or None where it stays as it is, and what was left of a person's own choice."""

    path: Path
    after: bytes | None
    added: dict[str, Any] | None = None
    left: tuple[str, ...] = ()


class Install:
    """One skill for one client in one scope. Only the launcher of guarded-webfetch has rules: nothing else is exempt from anything."""

    def __init__(self, client: Client, scope: Scope, project: Path, name: str = SKILL) -> None:
        self.name = name
        self.client, self.scope, self.project = client, scope, project
        self.places: Places = places(client, scope, str(project))
        self.skill = Path(self.places.skills) / name
        state = user_folders.state()
        if state is None:
            raise Refused("HOME is not set")
        place = hashlib.sha256(os.fsencode(self.skill)).hexdigest()[:16]
        self.journal = Journal(Path(state) / "installs" / f"{client}-{scope}-{place}")

    def install(self) -> list[str]:
        """Does it and returns what changed, one line each. Raises Refused before anything is changed."""
        self._check_links()
        noted = self.journal.read()
        changes = [self._change(path, make, noted) for path, make in self._files()]
        before = {entry.path: entry for entry in noted}
        self.journal.write([self._entry(change, before.get(change.path)) for change in changes])
        foreign = not noted or not (self.skill / bundle.SUMS).is_file()
        lines = [self._place_skill(kept=foreign and not self.journal.replaced_skill.exists())]
        for change in changes:
            lines += _apply(change)
        return lines

    def uninstall(self) -> list[str]:
        if not self.journal.exists:
            raise Refused(f"nothing was installed for {self.client} here (scope {self.scope})")
        lines = [line for entry in self.journal.read() for line in _take_back(entry)]
        shutil.rmtree(self.skill, ignore_errors=True)
        lines.append(f"removed  {self.skill}")
        if self.journal.replaced_skill.exists():
            shutil.move(self.journal.replaced_skill, self.skill)
            lines.append(f"restored {self.skill}, as it was before")
        else:
            _remove_empty(self.skill.parent, self.skill.parent.parent)
        self.journal.forget()
        return lines

    def _files(self) -> list[tuple[Path, Callable[[Path, str], Change]]]:
        skill, settings = str(self.skill), Path(self.places.settings[0])
        if self.name != SKILL:
            return []
        if self.client == "claude":
            exemption = rules.claude_exemption(skill)
            if self.scope == "user":
                fences = rules.claude_user(skill, environments.folder() or "")
                return [(settings, lambda path, text: _json_change(path, text, fences, exemption))]
            own = Path(self.places.settings[1])
            return [
                (settings, lambda path, text: _json_change(path, text, rules.claude_project())),
                (own, lambda path, text: _json_change(path, text, exemption)),
            ]
        assert self.places.config and self.places.rules
        rule, hooks = rules.codex_rules(skill), rules.codex_hooks(skill)
        return [
            (Path(self.places.rules) / rules.CODEX_RULES, lambda path, _: Change(path, rule.encode())),
            (Path(self.places.config), _config_change),
            (settings, lambda path, text: _json_change(path, text, hooks)),
        ]

    def _change(self, path: Path, make: Callable[[Path, str], Change], noted: list[Entry]) -> Change:
        """What `make` says about the file as it would be without an earlier install."""
        data = current(path)
        for entry in noted:
            if entry.path == path:
                data = _without(entry, data)
        try:
            return make(path, (data or b"").decode())
        except (json_settings.Unreadable, tomllib.TOMLDecodeError, UnicodeDecodeError):
            raise Refused(f"{path} cannot be read; correct it first, nothing was changed") from None

    def _entry(self, change: Change, noted: Entry | None) -> Entry:
        data = current(change.path)
        before = _without(noted, data) if noted else data
        after = data if change.after is None else change.after
        return Entry(change.path, before, digest(after or b""), change.added)

    def _check_links(self) -> None:
        """In a project, a link could lead an install out of it."""
        if self.scope == "user":
            return
        for path in (self.skill, *(path for path, _ in self._files())):
            for part in (path, *path.parents):
                if part == self.project:
                    break
                if part.is_symlink():
                    raise Refused(f"{part} is a link; replace it by a real file or folder, nothing was changed")

    def _place_skill(self, *, kept: bool) -> str:
        """The bundle under its final name in two renames; a folder that was there before us is kept for the uninstall."""
        if bundle.is_current(self.skill, self.name):
            return f"same     {self.skill}"
        folder = self.skill.parent
        folder.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{self.name}.", dir=folder))
        old = made.with_name(f"{made.name}.old")
        try:
            made.chmod(0o755)
            bundle.build(made, self.name)
            if self.skill.exists() and kept:
                shutil.move(self.skill, self.journal.replaced_skill)
            elif self.skill.exists():
                self.skill.rename(old)
            made.rename(self.skill)
        finally:
            for folder in (made, old):
                shutil.rmtree(folder, ignore_errors=True)
        return f"placed   {self.skill}"


def _json_change(path: Path, text: str, *additions: dict[str, Any]) -> Change:
    addition: dict[str, Any] = {}
    for one in additions:
        addition = json_settings.merge(addition, one)[0]
    merged, added, left = json_settings.merge(json_settings.read(text or "{}"), addition)
    if not added:
        return Change(path, None, None, tuple(left))
    return Change(path, json_settings.write(merged, text).encode(), added, tuple(left))


def _config_change(path: Path, text: str) -> Change:
    after = rules.with_web_search_off(text)
    if after is None:
        return Change(path, None, None, (f'web_search; set it to "{rules.WEB_SEARCH}" yourself',))
    return Change(path, after.encode() if after != text else None)


def _apply(change: Change) -> list[str]:
    lines = [f"left     {change.path}: {name}" for name in change.left]
    old = current(change.path)
    if change.after is None or change.after == old:
        return [*lines, f"same     {change.path}"]
    replace(change.path, change.after)
    lines.append(f"{'created ' if old is None else 'changed '} {change.path}")
    return lines + [f"           + {line}" for line in _news(change, old or b"")]


def _news(change: Change, old: bytes) -> list[str]:
    """What was added, one line each; in a file that is no JSON, its new lines."""
    if change.added is not None:
        return list(_leaves("", change.added))
    known = set(old.splitlines())
    return [line.decode() for line in (change.after or b"").splitlines() if line not in known]


def _leaves(name: str, value: Any) -> Iterator[str]:
    """What was added, one line for each entry."""
    if isinstance(value, dict) and "hooks" in value and "matcher" in value:
        yield f"{name}: {value['hooks'][0]['command']}"
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(f"{name}.{key}".lstrip("."), inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(name, inner)
    else:
        yield f"{name}: {value}"


def _without(entry: Entry, data: bytes | None) -> bytes | None:
    """A file without what an install added to it: as it was, if nobody has touched it since."""
    if data is None or data == entry.before:
        return data
    if digest(data) == entry.after:
        return entry.before
    text = data.decode()
    if entry.added is not None:
        kept = json_settings.remove(json_settings.read(text), entry.added)
        return json_settings.write(kept, text).encode()
    if entry.path.suffix == ".toml":
        return rules.without_web_search_off(text).encode()
    return data  # a rules file of ours that a person has edited is theirs now


def _take_back(entry: Entry) -> list[str]:
    data = current(entry.path)
    after = _without(entry, data)
    if after == data:
        return [] if data in (None, entry.before) else [f"left     {entry.path}: edited since, so it is yours"]
    if after is not None:
        replace(entry.path, after)
        return [f"restored {entry.path}"]
    restore(entry.path, None)
    return [f"removed  {entry.path}"]


def _remove_empty(*folders: Path) -> None:
    for folder in folders:
        try:
            folder.rmdir()
        except OSError:
            return


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/install", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--client", required=True, choices=CLIENTS)
    parser.add_argument("--scope", required=True, choices=SCOPES)
    parser.add_argument("--project", type=Path, default=Path.cwd(), help="instead of the working folder")
    parser.add_argument("--skill", action="append", choices=bundle.NAMES, help="one of them (default: all)")
    parser.add_argument("--uninstall", action="store_true")
    given = parser.parse_args()
    os.umask(0o022)
    try:
        works = [
            Install(given.client, given.scope, given.project.resolve(), name) for name in given.skill or bundle.NAMES
        ]
        if given.uninstall:  # what was never installed is no fault, unless none was
            works = [work for work in works if work.journal.exists] or works
        lines = [line for work in works for line in (work.uninstall() if given.uninstall else work.install())]
    except Refused as refused:
        print(f"scripts/install: {refused}", file=sys.stderr)
        return _REFUSED
    print(*lines, sep="\n")
    if not given.uninstall:
        print(f"next     {_NEXT[given.client]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
