#!/usr/bin/env bash
# Prints one view of a result record, so that a client can allow some views and ask a person before the others.
# Usage: bash read-result.sh RECORD summary|outline|section N|text|html    (or the view first, then RECORD)
# Decides nothing itself: it finds the environment and starts the program with an allow-listed environment.

# A second start with -p drops exported functions, BASH_ENV, SHELLOPTS and CDPATH; in POSIX mode no function can replace exec.
case $- in *p*) ;; *) POSIXLY_CORRECT=1 && exec "${BASH:-bash}" -p -- "$0" "$@" ;; esac

# shellcheck source=skills/guarded-webfetch/scripts/find-program.sh
case $0 in */*) . "${0%/*}/find-program.sh" ;; *) . ./find-program.sh ;; esac

[[ $# -eq 2 || $# -eq 3 ]] ||
    fail 2 usage_invalid "usage: bash read-result.sh RECORD summary|outline|section N|text|html"

# shellcheck source=shared/guarded_webfetch/setup/environment.sh
. "$package/setup/environment.sh"
environment_python runtime

passed=()
for name in HOME XDG_CONFIG_HOME XDG_STATE_HOME; do
    if [[ -n ${!name-} ]]; then passed+=("$name=${!name}"); fi
done

exec env -i ${passed[@]+"${passed[@]}"} "$ENVIRONMENT_PYTHON" -I -S "$package/boot.py" read-result "$@"
