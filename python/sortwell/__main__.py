"""`python -m sortwell`: becomes the command that the package has installed."""

import os
import sys

from sortwell._command import command_path

if __name__ == "__main__":
    command = command_path()
    os.execv(command, ["sortwell", *sys.argv[1:]])
