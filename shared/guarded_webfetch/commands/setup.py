"""`guarded-webfetch setup`: the launcher's first run ahead of time, before a sandbox takes the network away."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from guarded_webfetch.commands.arguments import Arguments
from guarded_webfetch.core.reasons import Refusal

SETUP_SCRIPT: Final = Path(__file__).resolve().parent.parent / "setup" / "environment.sh"
# Where systems keep bash; never looked up on PATH, which may lead into the working folder.
BASH_FOLDERS: Final = "/bin:/usr/bin:/usr/local/bin:/opt/homebrew/bin:/run/current-system/sw/bin"


def run(argv: list[str]) -> int:
    """Find or build the runtime environment with the launcher's own script and return that script's exit code.

    Takes no arguments. Progress and the one line on failure appear on stderr, nothing on stdout. The script needs PATH,
    HOME and the proxy and certificate variables of the caller, and cleans the environment itself.
    Raises Refusal usage_invalid for any argument, prerequisite_missing without bash.
    """
    Arguments("setup", "Build the launcher's environment now, so that its first run needs no set-up.").parse_args(argv)
    bash = shutil.which("bash", path=BASH_FOLDERS)
    if bash is None:
        raise Refusal("prerequisite_missing")
    command = [bash, "-p", os.fspath(SETUP_SCRIPT), "runtime"]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False).returncode
