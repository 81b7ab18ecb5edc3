"""Build backend: maturin, with the native command in the wheel.

The wheel holds the extension module, and the command with its man pages and completions as data
files. cargo builds the command; then maturin builds the rest. SORTWELL_PYTHON_PROFILE names a
profile of cargo other than release.
"""

import os
import shutil
import subprocess
from pathlib import Path

import maturin

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "target" / "python-data"
PROFILE = os.environ.get("SORTWELL_PYTHON_PROFILE", "release")

get_requires_for_build_wheel = maturin.get_requires_for_build_wheel
get_requires_for_build_editable = maturin.get_requires_for_build_editable


def _command() -> Path:
    """Builds the command, and returns its path."""
    cargo = os.environ.get("CARGO", "cargo")
    # Features are resolved for the extension too, so that what both need is built once.
    packages = ["--package", "sortwell-cli", "--package", "sortwell-python"]
    words = [cargo, "build", "--locked", *packages, "--bin", "sortwell", "--profile", PROFILE]
    subprocess.run(words, cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", "target"))
    folder = "debug" if PROFILE == "dev" else PROFILE
    return ROOT / target / folder / "sortwell"


def _fill_data() -> None:
    """Puts the command and what it prints about itself into the data of the wheel."""
    built = _command()
    shutil.rmtree(DATA, ignore_errors=True)
    script = DATA / "scripts" / "sortwell"
    script.parent.mkdir(parents=True)
    shutil.copy(built, script)
    if strip := shutil.which("strip"):
        subprocess.run([strip, script], check=True)
    share = [ROOT / "packaging" / "share.sh", built, DATA / "data" / "share"]
    subprocess.run(share, check=True)


def _arguments() -> None:
    """Makes maturin build in the chosen profile."""
    os.environ.setdefault("MATURIN_PEP517_ARGS", f"--profile {PROFILE}")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the wheel."""
    _fill_data()
    _arguments()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds a wheel that refers to the sources of the package."""
    _fill_data()
    _arguments()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)
