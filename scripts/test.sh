#!/usr/bin/env bash
# Runs the tests; sets up its own environment on the first run. Arguments go to pytest, paths relative to the repository.
# Usage: bash scripts/test.sh [PYTEST ARGUMENTS]

# A second start with -p drops exported functions, BASH_ENV, SHELLOPTS and CDPATH; in POSIX mode no function can replace exec.
case $- in *p*) ;; *) POSIXLY_CORRECT=1 && exec "${BASH:-bash}" -p -- "$0" "$@" ;; esac

case $0 in */*) scripts=${0%/*} ;; *) scripts=. ;; esac
scripts=$(cd -P -- "$scripts" && pwd -P)
root=${scripts%/*}

# shellcheck source=shared/guarded_webfetch/setup/environment.sh
. "$root/shared/guarded_webfetch/setup/environment.sh"
environment_python dev
"$ENVIRONMENT_PYTHON" -I -c 'import pytest' 2>/dev/null ||
    missing "GUARDED_WEBFETCH_PYTHON names an environment without the packages of dev.lock; unset it to have one made."

cd -- "$root" || exit
exec "$ENVIRONMENT_PYTHON" -I -m pytest "$@"
