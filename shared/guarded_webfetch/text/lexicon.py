"""Words of which orders to a reader are made: enough to put back together what was taken apart."""

from typing import Final

from guarded_webfetch.text.lazy_pattern import LazyPattern

KEYWORDS: Final = (
    "ignore",
    "instructions",
    "previous",
    "disregard",
)  # in nearly every order, in hardly any other text together
# One of these stands in every order that the rules know in the languages that are spelled in such ways.
CUES: Final = (
    "ignor", "disregard", "forget", "bypass", "overrid", "instruct", "previous", "prior", "prompt", "reveal", "secret", "password",
    "api key", "system", "send", "execute", "delete", "confirm", "指示", "命令", "無視", "忽略", "忽视", "指令", "秘密", "送信",
    "プロンプト", "지시", "무시",
)  # fmt: skip
WORDS: Final = frozenset({
    "above", "act", "all", "and", "any", "api", "are", "as", "assistant", "before", "bypass", "command", "commands", "confidential",
    "context", "conversation", "credentials", "data", "delete", "directive", "directives", "disregard", "do", "don't", "earlier", "email",
    "execute", "exfiltrate", "file", "files", "follow", "following", "for", "forget", "forward", "from", "given", "guidelines", "hidden",
    "history", "ignore", "immediately", "in", "inform", "initial", "instead", "instruction", "instructions", "is", "it", "its", "key",
    "keys", "mention", "message", "messages", "must", "my", "new", "not", "now", "obey", "of", "on", "only", "original", "our", "output",
    "override", "password", "passwords", "policy", "post", "preceding", "previous", "print", "prior", "private", "prompt", "prompts",
    "repeat", "respond", "reveal", "rule", "rules", "run", "safety", "say", "secret", "secrets", "send", "show", "system", "tell", "that",
    "the", "them", "then", "these", "this", "to", "token", "tokens", "transmit", "upload", "use", "user", "users", "user's", "visit",
    "will", "with", "word", "you", "your",
})  # fmt: skip
_KNOWN: Final = LazyPattern("|".join(sorted(WORDS, key=lambda word: (-len(word), word))))


def spaced_out(letters: str) -> str:
    """Known words in a run of letters without blanks, with a blank after each."""
    parts: list[str] = []
    place = 0
    lowered = letters.lower()
    for match in _KNOWN.finditer(lowered):
        parts += (letters[place : match.start()], " ", match[0], " ")
        place = match.end()
    return " ".join("".join([*parts, letters[place:]]).split())
