"""The first lines that run: finds the code and the libraries, drops the environment, hands over.

The launcher starts this file as `env -i NAMES… python -I -S boot.py COMMAND …`; the console script re-executes itself the same way,
because clearing os.environ would leave the C environment readable to a child.
"""

import gc
import os
import sys

# What a run may know of its caller's environment; everything else, credentials above all, is dropped.
ALLOWED_ENVIRONMENT = (
    "HOME", "PATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "LANG", "LC_ALL", "TERM", "NO_COLOR", "COLUMNS",
    "CODEX_SANDBOX_NETWORK_DISABLED", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GUARDED_WEBFETCH_PROXY_SEEN",
)  # fmt: skip
PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def console() -> None:
    """The console script: starts over with a clean environment and the library folders named on the command line."""
    # `setup` needs the person's proxy, certificates and package index; its script makes its own allow-list of them.
    keep = os.environ if sys.argv[1:2] == ["setup"] else ALLOWED_ENVIRONMENT
    environment = {name: os.environ[name] for name in keep if name in os.environ}
    if any(os.environ.get(name) for name in PROXY_VARIABLES):
        environment["GUARDED_WEBFETCH_PROXY_SEEN"] = "1"
    if sys.argv[1:2] == ["fetch"] or sys.argv[1:3] == ["gate", "run"]:
        environment |= _hand_over_login()
    libraries = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    paths = [word for path in libraries for word in ("--path", path)]
    command = [sys.executable, "-I", "-S", os.path.abspath(__file__), *paths, *sys.argv[1:]]
    os.execve(sys.executable, command, environment)


def _hand_over_login() -> dict[str, str]:
    """The number of a pipe with the variables that the config file names as login of a summary client, where there are any.

    Whether the file is to be believed is decided where it is read; here it only chooses among the caller's own variables.
    """
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.environ.get("HOME", "/"), ".config")
    try:
        with open(os.path.join(base, "guarded-webfetch", "config.toml"), encoding="utf-8", errors="replace") as file:
            lines = [line.partition("=")[2] for line in file if line.startswith("login")]
    except OSError:
        return {}
    names = [word.strip("\"' ") for line in lines for word in line.strip("[] \t\n").split(",")]
    data = b"".join(os.fsencode(f"{name}={os.environ[name]}\0") for name in names if name in os.environ)
    if not data or len(data) > 32_000:  # what fits a pipe that nobody reads yet
        return {}
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    os.set_inheritable(reader, True)
    return {"GUARDED_WEBFETCH_LOGIN_FD": str(reader)}


def _environment_libraries() -> list[str]:
    """The site-packages of the virtual environment whose interpreter runs this, if it is one."""
    prefix = os.path.dirname(os.path.dirname(sys.executable))
    if not os.path.exists(os.path.join(prefix, "pyvenv.cfg")):
        return []
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return [os.path.join(prefix, "lib", version, "site-packages")]


def _start(argv: list[str]) -> int:
    # Every process here lives for one piece of work; looking for cycles takes 5 % of its CPU time and frees nothing that matters.
    gc.disable()
    while (
        os.open(os.devnull, os.O_RDWR) <= 2
    ):  # started with a standard stream closed: a pipe must never take its place
        pass
    paths: list[str] = []
    while argv[:1] == ["--path"]:
        paths.append(argv[1])
        argv = argv[2:]
    package = os.path.dirname(os.path.abspath(__file__))
    sys.path += [os.path.dirname(package), *(paths or _environment_libraries())]
    from guarded_webfetch.commands.cli import main

    return main(argv)


if __name__ == "__main__":
    os._exit(_start(sys.argv[1:]))  # everything is written and flushed; taking the interpreter apart costs 4 ms
