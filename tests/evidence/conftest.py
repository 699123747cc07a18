"""The scorers are modules of scripts/, found there as scripts/score finds them."""

import sys

from tests.conftest import REPOSITORY

sys.path.append(str(REPOSITORY / "scripts"))
