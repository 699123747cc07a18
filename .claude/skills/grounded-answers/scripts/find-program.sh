# shellcheck shell=bash
# Sourced by the launchers beside it: sets `package`, the folder of the program, or ends with exit 3.
#
# A copied skill folder has its code in its lib/, and nowhere else. In a checkout or plugin it is two levels up, and three for
# the copies a checkout keeps in .claude/ and .agents/, which only let a client find the skill while somebody works on it.

fail() {
    printf 'guarded-webfetch: %s: %s\n' "$2" "$3" >&2
    exit "$1"
}

case $0 in */*) scripts=${0%/*} ;; *) scripts=. ;; esac
scripts=$(cd -P -- "$scripts" && pwd -P)
skill=${scripts%/*}
package=$skill/lib/guarded_webfetch
if [[ ! -e $skill/lib && ! -L $skill/lib ]]; then
    case $skill in
    */.claude/skills/* | */.agents/skills/*) checkout=${skill%/*/*/*} ;;
    *) checkout=${skill%/*/*} ;;
    esac
    if [[ -f $checkout/skills/guarded-webfetch/SKILL.md ]]; then package=$checkout/shared/guarded_webfetch; fi
fi
[[ -f $package/boot.py && -f $package/setup/environment.sh ]] ||
    fail 3 prerequisite_missing "The program is not beside this skill; install the whole skill folder or plugin again."
