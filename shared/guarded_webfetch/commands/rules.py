"""`guarded-webfetch rules [--check]`: the rules with their examples, or a run of every example."""

import sys
from collections.abc import Iterator, Sequence

from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.core.reasons import REASONS
from guarded_webfetch.rules.loader import RULES_VERSION, Rule, RuleError, load
from guarded_webfetch.text.match_view import fold, join_blanks, views
from guarded_webfetch.text.patterns import Budget, Matcher

# A shipped rule whose own example fails is a bug of this package.
FAILED = REASONS["internal_error"].exit_code


def run(argv: list[str]) -> int:
    """Prints the rules, or with --check what failed and how many examples ran. 0, or 70 when an example fails."""
    parser = Arguments("rules", "Lists the pattern rules with their examples.")
    parser.add_argument("--check", action="store_true", help="run every example")
    checking = parser.parse_args(argv).check
    try:
        rules = load()
    except RuleError as error:
        sys.stderr.write(f"guarded-webfetch: rules: {error}\n")
        return FAILED
    return check(rules) if checking else show(rules)


def show(rules: Sequence[Rule]) -> int:
    """One paragraph for each rule, grouped by category, and the counts."""
    write = sys.stdout.write
    for category in sorted({rule.category for rule in rules}):
        write(f"{category}\n")
        for rule in (rule for rule in rules if rule.category == category):
            write(f"  {rule.id:<28} {rule.tier:<7} {rule.why}\n")
            if rule.near:
                write(f"      {1 + len(rule.near)} cues within {rule.within} characters\n")
            for sign, examples in (("+", rule.match), ("-", rule.not_match)):
                for example in examples:
                    write(f"      {sign} {' '.join(example.split())}\n")
        write("\n")
    strong = sum(rule.tier == "strong" for rule in rules)
    write(f"rules {RULES_VERSION}: {len(rules)} rules, {strong} strong, {len(rules) - strong} weak\n")
    return 0


def check(rules: Sequence[Rule]) -> int:
    """Runs every example of `rules`; a run that checked nothing fails."""
    failures = [failure for rule in rules for failure in failures_of(rule)]
    ran = sum(len(rule.match) + len(rule.not_match) for rule in rules)
    for failure in failures:
        sys.stderr.write(f"{failure}\n")
    sys.stdout.write(f"rules {RULES_VERSION}: {len(rules)} rules, {ran} examples ran, {len(failures)} failed\n")
    return 0 if ran and not failures else FAILED


def failures_of(rule: Rule) -> Iterator[str]:
    """What is wrong with one rule, a line each: a literal that is not folded, an example that fails."""
    for literal in (*rule.anchors, *map(_letters, (rule.pattern, *rule.near, rule.unless))):
        if join_blanks(fold(literal)).text != literal.replace("`", "'") and fold(literal).text != literal:
            yield f"{rule.id}: not in folded form: {literal[:60]!r}"
    matcher = Matcher([rule])
    for example in rule.match:
        if not _matches(matcher, example):
            yield f"{rule.id}: does not match {example!r}"
    for example in rule.not_match:
        if _matches(matcher, example):
            yield f"{rule.id}: matches {example!r}"


def _letters(pattern: str) -> str:
    """The letters of a pattern: what folding could change. Escapes such as backslash-S are not letters."""
    kept = "".join(" " if pattern[at - 1 : at] == "\\" else pattern[at] for at in range(len(pattern)))
    return " ".join("".join(c if c.isalpha() else " " for c in kept).split())


def _matches(matcher: Matcher, example: str) -> bool:
    view = next(iter(views(example)))
    return bool(matcher.search(view, Budget()))
