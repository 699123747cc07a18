#!/usr/bin/env bash
# Finds, or on the first run builds, the Python environment that holds the packages of a lock. The one set-up script:
# the skill's launcher and scripts/test.sh source it, `guarded-webfetch setup` and .ci/run execute it.
#
#   environment_python runtime|dev    sets ENVIRONMENT_PYTHON and a safe PATH, or ends with exit 3 and one line
#   bash environment.sh runtime|dev   prints that Python's path
#
# A hostile working folder must not run anything here: tools are started in an empty folder of our own, with an
# allow-listed environment, from absolute PATH entries outside the caller's folder, every Python with -I.
# Written for bash 3.2 and later.

# A second start with -p drops exported functions, BASH_ENV, SHELLOPTS and CDPATH; in POSIX mode no function can replace exec.
case $- in *p*) ;; *) POSIXLY_CORRECT=1 && exec "${BASH:-bash}" -p -- "$0" "$@" ;; esac

SETUP_FOLDER=${BASH_SOURCE[0]%/*}
[[ $SETUP_FOLDER == /* ]] || SETUP_FOLDER=$(cd -P -- "$SETUP_FOLDER" && pwd -P)

# What a tool (Python, pip, uv) may see: where things are, how to reach the network, the person's own package index.
# An index is transport only, since every file has to match a hash of the lock.
TOOL_NAMES=(
    HOME XDG_CACHE_HOME
    http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE PIP_CERT
    PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_DEFAULT_TIMEOUT UV_DEFAULT_INDEX UV_INDEX_URL UV_HTTP_TIMEOUT
)
PYTHON_NAMES=(python3.13 python3.12 python3.11 python3.14 python3 python)
FINISHED_MARK=guarded-webfetch.finished # written by finish.py
LOCK_WAIT_S=900                         # a build with pip takes a minute or two on a slow machine

# Run by each candidate: fails unless it is a CPython the wheels of the locks fit, with the venv module.
# shellcheck disable=SC2016
PYTHON_PROBE='
import sys
if sys.implementation.name != "cpython" or not (3, 11) <= sys.version_info[:2] <= (3, 14):
    sys.exit(1)
import os, sysconfig
from importlib.util import find_spec
if sysconfig.get_config_var("Py_GIL_DISABLED") or not find_spec("venv"):
    sys.exit(1)
print(os.path.realpath(sys._base_executable))
print(sys.implementation.cache_tag)
print("with-pip" if find_spec("ensurepip") else "without-pip")
'

progress() {
    printf 'guarded-webfetch: %s\n' "$1" >&2
}

missing() {
    printf 'guarded-webfetch: prerequisite_missing: %s\n' "$1" >&2
    exit 3
}

cache_not_writable() {
    missing "The folder $CACHE_FOLDER cannot be written; set XDG_CACHE_HOME to a folder of yours."
}

# environment_python runtime|dev
environment_python() {
    LOCK_FILE=$SETUP_FOLDER/$1.lock
    PATH=$(safe_path)
    if [[ ${HOME-} != /* ]]; then
        unset HOME
        HOME=~ # without HOME the shell asks the password database
    fi
    if [[ -n ${GUARDED_WEBFETCH_PYTHON-} ]]; then
        check_named_python "$GUARDED_WEBFETCH_PYTHON"
        ENVIRONMENT_PYTHON=$GUARDED_WEBFETCH_PYTHON
        return
    fi
    local digest
    digest=$(exec sha256sum <"$LOCK_FILE" 2>/dev/null) || digest=$(exec shasum -a 256 <"$LOCK_FILE" 2>/dev/null)
    [[ ${#digest} -ge 64 ]] || missing "The lock of the packages or the command sha256sum is missing."
    ENVIRONMENT_NAME=${digest:0:16}-${HOSTTYPE//[!a-z0-9_]/}
    find_cache_folder
    find_finished && return
    (build_environment) || exit
    find_finished || missing "The environment that was just built cannot be used; see $CACHE_FOLDER."
}

# The absolute, resolved PATH entries that are not below the caller's working folder; the system's own when none is left.
safe_path() {
    local IFS=: entry kept='' caller=$PWD
    if cd -P . 2>/dev/null; then caller=$PWD; fi
    set -f
    for entry in $PATH; do
        if [[ $entry != /* ]] || ! cd -P -- "$entry" 2>/dev/null; then continue; fi
        [[ $caller != / && $PWD/ == "$caller"/* ]] && continue
        case :$kept: in *:"$PWD":*) continue ;; esac
        kept=$kept${kept:+:}$PWD
    done
    printf '%s' "${kept:-/usr/bin:/bin}"
}

# The person's own environment: an absolute path in a virtual environment whose pyvenv.cfg names a version we run on.
check_named_python() {
    local key value version=''
    if [[ $1 == /* && $1 != *=* && -x $1 && ! -d $1 && -r ${1%/*}/../pyvenv.cfg ]]; then
        while IFS=$' \t=' read -r key value; do
            case $key in version | version_info) version=$value ;; esac
        done <"${1%/*}/../pyvenv.cfg"
    fi
    case $version in
    3.11* | 3.12* | 3.13* | 3.14*) ;;
    *) missing "GUARDED_WEBFETCH_PYTHON is not the absolute path of a Python 3.11 to 3.14 in a virtual environment." ;;
    esac
}

find_cache_folder() {
    local base=${XDG_CACHE_HOME-}
    [[ $base == /* ]] || base=$HOME/.cache
    CACHE_FOLDER=$base/guarded-webfetch
    if [[ -d $CACHE_FOLDER ]]; then check_cache_folder; fi
}

# Code is run from this folder, so nobody else may be able to put something there, or to replace a folder above it.
check_cache_folder() {
    local parents=() parent found count overflow owners=(! -user "$EUID" ! -user 0)
    CACHE_FOLDER=$(cd -P -- "$CACHE_FOLDER" && pwd -P) || missing "The folder $CACHE_FOLDER cannot be entered."
    # venv refuses a colon, env takes a word with = for a variable.
    case $CACHE_FOLDER in *[=:[:cntrl:]]*) missing "The cache folder has a character that cannot be used; set XDG_CACHE_HOME." ;; esac
    for ((parent = ${#CACHE_FOLDER}; parent > 0; parent--)); do
        [[ ${CACHE_FOLDER:parent:1} =~ ^/?$ ]] && parents+=("${CACHE_FOLDER:0:parent}")
    done
    # In a user namespace that maps hardly more than the caller, root's folders show the overflow owner.
    if read -r overflow </proc/sys/kernel/overflowuid && read -r _ _ count </proc/self/uid_map; then
        if ((count < overflow)) && [[ -O $CACHE_FOLDER ]]; then owners+=(! -user "$overflow"); fi
    fi 2>/dev/null
    found=$(find / "${parents[@]}" -maxdepth 0 \( \( "${owners[@]}" \) -o \( \( -perm -0020 -o -perm -0002 \) ! -perm -1000 \) \) -print) ||
        missing "The owners of the folders above $CACHE_FOLDER cannot be checked; is the command find installed?"
    [[ -z $found ]] || missing "Others can write to ${found%%$'\n'*}; make it yours and run chmod go-w on it, or set XDG_CACHE_HOME."
}

find_finished() {
    local folder
    for folder in "$CACHE_FOLDER/$ENVIRONMENT_NAME"-*; do
        if [[ -f $folder/$FINISHED_MARK && -x $folder/bin/python ]]; then
            ENVIRONMENT_PYTHON=$folder/bin/python
            return 0
        fi
    done
    return 1
}

# Runs in a subshell: working folder, umask, lock and trap end with it.
build_environment() {
    [[ -z ${CODEX_SANDBOX_NETWORK_DISABLED-} ]] ||
        missing "The first run installs packages, and this sandbox has no network; run the command once outside the sandbox."
    umask 077
    mkdir -p -- "$CACHE_FOLDER" 2>/dev/null || cache_not_writable
    check_cache_folder
    [[ -w $CACHE_FOLDER ]] || cache_not_writable
    BUILD_FOLDER='' HELD_LOCK=''
    trap 'rm -rf -- ${BUILD_FOLDER:+"$BUILD_FOLDER"} ${HELD_LOCK:+"$HELD_LOCK"}' EXIT
    trap 'exit 130' INT TERM HUP
    take_lock
    find_finished && return
    rm -rf -- "$CACHE_FOLDER"/.build.* # of builds that were killed: we hold the lock
    BUILD_FOLDER=$(mktemp -d -- "$CACHE_FOLDER/.build.XXXXXXXXXX") || cache_not_writable
    mkdir -- "$BUILD_FOLDER/empty" "$BUILD_FOLDER/tmp" || cache_not_writable
    UV=$(type -P uv)
    choose_python
    progress "first run: installing the packages its lock names, below $CACHE_FOLDER"
    install_packages >"$BUILD_FOLDER/log" 2>&1 && return
    mv -f -- "$BUILD_FOLDER/log" "$CACHE_FOLDER/setup.log"
    missing "The packages could not be installed (is the package index reachable?); see $CACHE_FOLDER/setup.log."
}

take_lock() {
    if type -P flock >/dev/null; then
        exec 9>"$CACHE_FOLDER/.lock"
        flock -n 9 && return
        progress "waiting for another set-up to finish"
        flock -w "$LOCK_WAIT_S" 9 || missing "Another set-up does not finish; end it, then try again."
        return
    fi
    local holder waited=0 folder=$CACHE_FOLDER/.lock.d
    until mkdir -- "$folder" 2>/dev/null; do
        # A holder that was killed leaves its lock.
        read -r holder 2>/dev/null <"$folder/pid" && ! kill -0 "$holder" 2>/dev/null && rm -rf -- "$folder"
        ((waited++ < LOCK_WAIT_S)) || missing "Another set-up does not finish; end it, then remove $folder."
        sleep 1
    done
    HELD_LOCK=$folder
    printf '%s\n' "$$" >"$folder/pid"
}

# tool COMMAND…: with an allow-listed environment, in an empty folder.
tool() {
    local name variables=("PATH=$PATH" "TMPDIR=$BUILD_FOLDER/tmp" UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1) # new and old name
    for name in "${TOOL_NAMES[@]}"; do
        [[ -n ${!name-} ]] && variables+=("$name=${!name}")
    done
    (cd -- "$BUILD_FOLDER/empty" && exec env -i "${variables[@]}" "$@") 9>&-
}

# Sets BASE_PYTHON, PYTHON_TAG and PYTHON_PIP from the first candidate that can be used with what is there.
choose_python() {
    local name path answer seen=''
    for name in "${PYTHON_NAMES[@]}"; do
        if ! path=$(type -P "$name") || ! answer=$(tool "$path" -I -c "$PYTHON_PROBE" 2>/dev/null); then continue; fi
        { read -r BASE_PYTHON && read -r PYTHON_TAG && read -r PYTHON_PIP; } <<<"$answer" || continue
        [[ -n $UV || $PYTHON_PIP == with-pip ]] && return
        seen=yes
    done
    [[ -z $seen ]] || missing "Python cannot make environments with pip here; run: apt-get install python3-venv (or install uv)."
    missing "No CPython 3.11 to 3.14 was found on PATH; on Debian or Ubuntu run: apt-get install python3 python3-venv."
}

install_packages() {
    local made=$BUILD_FOLDER/environment
    install_with_uv "$made" || install_with_pip "$made" || return
    tool "$BASE_PYTHON" -I "$SETUP_FOLDER/finish.py" "$made" "$CACHE_FOLDER/$ENVIRONMENT_NAME-$PYTHON_TAG"
}

install_with_uv() {
    [[ -n $UV ]] && tool "$BASE_PYTHON" -I -m venv --without-pip "$1" &&
        tool "$UV" pip install --no-config --python "$1/bin/python" --link-mode copy \
            --require-hashes --no-deps --only-binary :all: --requirement "$LOCK_FILE"
}

# pip of Python 3.11 and 3.12 fails on extras in hash mode; the lock is flat and complete, so it need not look at them.
install_with_pip() {
    [[ $PYTHON_PIP == with-pip ]] && tool "$BASE_PYTHON" -I -m venv --clear "$1" &&
        tool "$1/bin/python" -I -m pip install --no-input --disable-pip-version-check --no-compile \
            --require-hashes --no-deps --only-binary :all: --requirement "$LOCK_FILE" &&
        tool "$1/bin/python" -I -m pip uninstall --yes pip setuptools
}

# hand_over_login: sets LOGIN_FD to a descriptor with the variables that the person's config file names as login of a summary
# client (one line: login = ["NAME", …]), empty where there are none. A fetch gets the number and never reads it.
hand_over_login() {
    local line name names=() config=${XDG_CONFIG_HOME:-$HOME/.config}/guarded-webfetch/config.toml
    LOGIN_FD=''
    [[ -f $config && -r $config ]] || return 0
    while IFS= read -r line; do
        [[ $line =~ ^login[[:space:]]*=(.*) ]] || continue
        for name in ${BASH_REMATCH[1]//[^A-Z0-9_]/ }; do [[ -n ${!name-} ]] && names+=("$name"); done
    done <"$config"
    [[ ${#names[@]} -gt 0 ]] || return 0
    exec 7< <(for name in "${names[@]}"; do printf '%s=%s\0' "$name" "${!name}"; done)
    # shellcheck disable=SC2034 # read by the launchers
    LOGIN_FD=7
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
    case $# in 1) ;; *) exit 2 ;; esac
    environment_python "$1"
    printf '%s\n' "$ENVIRONMENT_PYTHON"
fi
