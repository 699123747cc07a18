#!/usr/bin/env bash
# Says whether an answer's sources were really fetched, and builds a page whose links no model wrote. Uses no network.
# Usage: bash grounded.sh check|quotes|prompt|build ...
# Decides nothing itself: it finds the environment and starts the program with an allow-listed environment.

# A second start with -p drops exported functions, BASH_ENV, SHELLOPTS and CDPATH; in POSIX mode no function can replace exec.
case $- in *p*) ;; *) POSIXLY_CORRECT=1 && exec "${BASH:-bash}" -p -- "$0" "$@" ;; esac

# shellcheck source=skills/grounded-answers/scripts/find-program.sh
case $0 in */*) . "${0%/*}/find-program.sh" ;; *) . ./find-program.sh ;; esac

case ${1-} in
check | quotes | prompt | build) ;;
*) fail 2 usage_invalid "usage: bash grounded.sh check|quotes|prompt|build ..." ;;
esac

# shellcheck source=shared/guarded_webfetch/setup/environment.sh
. "$package/setup/environment.sh"
environment_python runtime

passed=()
for name in HOME XDG_CONFIG_HOME XDG_STATE_HOME; do
    if [[ -n ${!name-} ]]; then passed+=("$name=${!name}"); fi
done

exec env -i ${passed[@]+"${passed[@]}"} "$ENVIRONMENT_PYTHON" -I -S "$package/boot.py" agent-grounded "$@"
