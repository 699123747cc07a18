"""Who may write a summary, as a person's config file and command line say it."""

import os
import re
import stat
from typing import Any, Final, Literal, NamedTuple

from guarded_webfetch.broker import user_folders
from guarded_webfetch.core.reasons import Refusal

Kind = Literal["claude", "codex", "command"]

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]{0,60}")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}")  # the tags of RFC 5646 that people use
_MODEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]{0,99}")
_MAX_WORDS: Final = 30


class Settings(NamedTuple):
    """What the config file says. A command line holds names only, so no agent can have written a command."""

    default: str | None = None  # "claude", "codex" or "command:NAME"
    language: str | None = None
    model: str | None = None
    login: tuple[str, ...] = ()  # names of variables
    programs: tuple[tuple[str, str], ...] = ()  # where claude and codex are
    commands: tuple[tuple[str, tuple[str, ...]], ...] = ()


class Summarizer(NamedTuple):
    """One way to have a summary written."""

    kind: Kind
    argv: tuple[str, ...]  # the program, or the whole command of `command:NAME`
    login: tuple[str, ...]
    model: str | None
    language: str | None


def set_value(settings: Settings, name: str, value: Any) -> Settings | None:
    """`settings` with one entry of the config file, None for a name or value that is not one of ours."""
    if name == "summary" and isinstance(value, str) and _is_choice(value):
        return settings._replace(default=value)
    if name == "summary_language" and isinstance(value, str) and _LANGUAGE.fullmatch(value):
        return settings._replace(language=value)
    if name == "summary_model" and isinstance(value, str) and _MODEL.fullmatch(value):
        return settings._replace(model=value)
    if name == "login" and _are_strings(value) and all(map(_VARIABLE.fullmatch, value)):
        return settings._replace(login=tuple(value))
    if name == "programs" and isinstance(value, dict) and value.keys() <= {"claude", "codex"}:
        return settings._replace(programs=tuple(value.items())) if _are_strings([*value.values()]) else None
    if name == "commands" and isinstance(value, dict) and all(map(_NAME.fullmatch, value)):
        rows = tuple((key, tuple(words)) for key, words in value.items() if _are_strings(words) and words)
        return settings._replace(commands=rows) if len(rows) == len(value) else None
    return None


def language(text: str) -> str:
    """A language tag from a command line; Refusal usage_invalid for anything else."""
    if _LANGUAGE.fullmatch(text) is None:
        raise Refusal("usage_invalid")
    return text


def choose(settings: Settings, choice: str, search_path: str) -> Summarizer:
    """The summarizer `choice` names. Refusal usage_invalid for another word, prerequisite_missing without its program."""
    if not _is_choice(choice):
        raise Refusal("usage_invalid")
    kind, _, name = choice.partition(":")
    if kind == "command":
        argv = dict(settings.commands).get(name)
        if argv is None:
            raise Refusal("usage_invalid")
        if not _is_safe(argv[0]):
            raise Refusal("prerequisite_missing")
        return Summarizer("command", argv, settings.login, None, settings.language)
    if kind == "codex" and settings.model is None:  # its entry in the catalogue we write needs a name
        raise Refusal("config_invalid")
    program = _find(kind, dict(settings.programs).get(kind), search_path)
    found: Kind = "claude" if kind == "claude" else "codex"
    return Summarizer(found, (program,), settings.login, settings.model, settings.language)


def _is_choice(text: str) -> bool:
    kind, _, name = text.partition(":")
    return text in ("claude", "codex") or (kind == "command" and _NAME.fullmatch(name) is not None)


def _are_strings(value: object) -> bool:
    return isinstance(value, list) and len(value) <= _MAX_WORDS and all(isinstance(item, str) for item in value)


def _find(kind: str, configured: str | None, search_path: str) -> str:
    home = os.environ.get("HOME", "/")
    folders = [*search_path.split(os.pathsep), os.path.join(home, ".local/bin"), "/usr/local/bin", "/usr/bin"]
    candidates = [configured] if configured else [os.path.join(folder, kind) for folder in folders]
    for path in candidates:
        if _is_safe(path):
            return path
    raise Refusal("prerequisite_missing")


def _is_safe(path: str) -> bool:
    """Whether an agent cannot have put the program there: absolute, ours or root's, in no folder an agent may write to."""
    if not os.path.isabs(path) or not os.access(path, os.X_OK):
        return False
    if user_folders.below_working_folder(path) or user_folders.exposed(path):
        return False
    found = os.stat(path)
    ours = found.st_uid in (os.geteuid(), 0) and not stat.S_IMODE(found.st_mode) & 0o022
    return ours and stat.S_ISREG(found.st_mode)
