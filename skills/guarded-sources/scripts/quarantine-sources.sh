#!/usr/bin/env bash
# Reads up to fifteen URLs in quarantine into fenced files and prints the path of their index.json.
# Usage: bash quarantine-sources.sh 'URL' ['URL' ...] [options]
# Decides nothing itself: it finds the environment and starts the program with an allow-listed environment.

# A second start with -p drops exported functions, BASH_ENV, SHELLOPTS and CDPATH; in POSIX mode no function can replace exec.
case $- in *p*) ;; *) POSIXLY_CORRECT=1 && exec "${BASH:-bash}" -p -- "$0" "$@" ;; esac

# shellcheck source=skills/guarded-sources/scripts/find-program.sh
case $0 in */*) . "${0%/*}/find-program.sh" ;; *) . ./find-program.sh ;; esac

case ${1-} in
http://* | https://*) ;;
*) fail 2 usage_invalid "usage: bash quarantine-sources.sh 'URL' ['URL' ...] [options]; a URL comes first." ;;
esac

# shellcheck source=shared/guarded_webfetch/setup/environment.sh
. "$package/setup/environment.sh"
environment_python runtime

# All a run may know of the caller's environment.
passed=()
for name in HOME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_STATE_HOME CODEX_SANDBOX_NETWORK_DISABLED; do
    if [[ -n ${!name-} ]]; then passed+=("$name=${!name}"); fi
done
# A proxy is never taken from the environment; that there is one explains why a direct connection fails.
for name in http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY; do
    if [[ -n ${!name-} ]]; then passed+=(GUARDED_WEBFETCH_PROXY_SEEN=1) && break; fi
done

exec env -i ${passed[@]+"${passed[@]}"} "$ENVIRONMENT_PYTHON" -I -S "$package/boot.py" agent-sources "$@"
