#!/usr/bin/env bash
# The client's PreToolUse hook: denies the built-in fetchers, and every command that names the launcher but is not exactly one
# call of it. One JSON event on stdin, at most one decision on stdout. pre_tool_use.py decides; this finds a Python for it.

case $- in *p*) ;; *) POSIXLY_CORRECT=1 && exec "${BASH:-bash}" -p -- "$0" "$@" ;; esac

IFS= read -r -d '' event
# Most calls have nothing to do with us and should not wait for a Python. A command spelled so that the name is not to be
# seen is none that a rule lets out of the sandbox.
case $event in *quarantine-fetch.sh* | *read-result.sh* | *WebFetch* | *WebSearch* | *'"ws":'*) ;; *) exit 0 ;; esac

case $0 in */*) scripts=${0%/*} ;; *) scripts=. ;; esac
# Never a Python of a relative PATH entry, which a repository could bring along.
for name in /usr/bin/python3 /usr/local/bin/python3 python3 python3.13 python3.12 python3.11 python3.14 python; do
    python=$(type -P "$name")
    [[ $python == /* ]] || continue
    answer=$(printf '%s' "$event" | "$python" -I -S "$scripts/pre_tool_use.py")
    case $? in
    0) printf '%s' "$answer" && exit 0 ;;
    126 | 127) ;; # no program after all
    *) break ;;
    esac
done 2>/dev/null

# Without a judgement the fetchers stay closed, and so does the way out of the sandbox.
case $event in
*quarantine-fetch.sh* | *read-result.sh* | *'"WebFetch"'* | *'"WebSearch"'* | *'"ws":'*)
    printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"%s"}}' \
        "guarded-webfetch: this call could not be checked; a person can run doctor --client, and install python3 if it is missing."
    ;;
esac
exit 0
