"""Build backend: maturin, with the native command in the wheel.

The wheel holds the extension module, and the command with its man pages and completions as data
files. cargo builds the command; then maturin builds the rest. SORTWELL_PYTHON_PROFILE names a
profile of cargo other than release.

The source distribution holds the parts of the tree that a wheel is built from, at their places.
Its pyproject.toml is that of this folder with paths from the top.
"""

import gzip
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import maturin

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "target" / "python-data"
PROFILE = os.environ.get("SORTWELL_PYTHON_PROFILE", "release")

# Files and folders that a wheel is built from, and names in them that it does not need.
SOURCES = [
    "Cargo.toml",
    "Cargo.lock",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "crates",
    "packaging/share.sh",
    "python",
]
OMITTED = {"__pycache__", "target", "tests"}

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


def build_sdist(sdist_directory, config_settings=None):
    """Builds the source distribution. It is the same for the same files."""
    metadata = _metadata()
    fields = dict(line.split(": ", 1) for line in metadata.splitlines() if ": " in line)
    name = f"{fields['Name']}-{fields['Version']}"
    members = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in _sources()}
    members["pyproject.toml"] = _project_from_the_top().encode()
    members["PKG-INFO"] = metadata.encode()
    to = Path(sdist_directory) / f"{name}.tar.gz"
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    with (
        to.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=moment) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path, content in sorted(members.items()):
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size, member.mtime = len(content), moment
            member.mode = 0o755 if path.endswith(".sh") else 0o644
            archive.addfile(member, io.BytesIO(content))
    return to.name


def _metadata() -> str:
    """Returns the metadata of the package."""
    DATA.mkdir(parents=True, exist_ok=True)  # maturin requires it, even if it is empty
    with tempfile.TemporaryDirectory() as folder:
        made = maturin.prepare_metadata_for_build_wheel(folder)
        return (Path(folder) / made / "METADATA").read_text()


def _sources():
    """Yields the files that a wheel is built from."""
    for name in SOURCES:
        path = ROOT / name
        paths = sorted(path.rglob("*")) if path.is_dir() else [path]
        for found in paths:
            is_left_out = found.is_symlink() or OMITTED.intersection(found.relative_to(ROOT).parts)
            if found.is_file() and not is_left_out:
                yield found


def _project_from_the_top() -> str:
    """Returns pyproject.toml with paths from the top of the tree."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    if (ROOT / "pyproject.toml").is_file():  # this is an unpacked source distribution
        return (ROOT / "pyproject.toml").read_text()
    for old, new in [
        ('["build_backend"]', '["python/build_backend"]'),
        ('readme = "README.md"', 'readme = "python/README.md"'),
        ('"../crates/python/', '"crates/python/'),
        ('python-source = "."', 'python-source = "python"'),
        ('"../target/', '"target/'),
    ]:
        if text.count(old) != 1:
            raise RuntimeError(f"pyproject.toml has no single {old}")
        text = text.replace(old, new)
    return text


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds a wheel that refers to the sources of the package."""
    _fill_data()
    _arguments()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)
