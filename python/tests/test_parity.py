"""The table of jobs that every interface does alike, through the package and the command.

The Rust and C libraries do the same jobs in `crates/capi/tests/library/sameness.rs`.
"""

import json
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import sortwell
from sortwell._command import command_path

TABLE = Path(__file__).parents[2] / "tests" / "parity.json"


def records(count: int) -> bytes:
    """Returns records of 100 bytes in no order, with some keys that are equal."""
    state, made = 7, []
    for number in range(count):
        state = (state * 1_664_525 + 1_013_904_223) % 2**32
        made.append(struct.pack(">II", state >> 12, number) + b"." * 92)
    return b"".join(made)


def keyed(count: int) -> bytes:
    """Returns keyed records of names and numbers."""
    made = []
    for number in range(count):
        key, payload = struct.pack(">I", number * 2_654_435_761 % 2**32 % 1009), b"%d" % number
        made.append(struct.pack("<II", 8 + len(payload), 4) + key + payload)
    return b"".join(made)


def write(path: Path, content: object) -> Path:
    """Writes an input of the table; one that is null is missing."""
    if isinstance(content, str):
        path.write_bytes(content.encode())
    elif isinstance(content, dict):
        ((kind, count),) = content.items()
        path.write_bytes({"keyed": keyed, "records": records}[kind](count))
    return path


def counts(statistics: dict) -> dict:
    """Returns the counts that must not depend on who asked for the job."""
    names = ["records", "bytes", "passes", "proof", "is_order_proven"]
    return {name: statistics[name] for name in names} | {"spills": statistics["runs"] > 0}


class Parity(unittest.TestCase):
    """Every job of the table."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def by_command(self, job, inputs):
        """Does a job through the command: status, words, bytes of the output."""
        kind, output = job.get("kind", "sort"), self.folder / "by-command"
        options = [f"--format={job.get('format', 'lines')}"]
        options += [f"--key={key}" for key in job.get("keys", [])]
        options += [f"--memory={job['memory']}"] if "memory" in job else []
        options += ["--unique"] if job.get("unique") else []
        if kind != "check":
            options += ["--stats=json", f"--output={output}"]
        words = [command_path(), kind, *options, *map(str, inputs)]
        done = subprocess.run(words, capture_output=True, text=True)
        return done.returncode, done.stderr, output.read_bytes() if output.exists() else None

    def by_package(self, job, inputs):
        """Does a job through the package: its result, and the bytes of the output."""
        output = self.folder / "by-package"
        options = {"format": job.get("format", "lines"), "key": job.get("keys", [])}
        options |= {name: job[name] for name in ["memory", "unique"] if name in job}
        match job.get("kind", "sort"):
            case "check":
                return sortwell.check(inputs, **options), None
            case "merge":
                found = sortwell.merge(inputs, output, **options)
            case _:
                found = sortwell.sort(inputs, output, **options)
        return found, output.read_bytes()

    def pushed(self, job, inputs):
        """Does a sort by pushing the inputs, and returns the sorted bytes."""
        options = {"format": job.get("format", "lines"), "key": job.get("keys", [])}
        options |= {name: job[name] for name in ["memory", "unique"] if name in job}
        with sortwell.Sorter(**options) as sorter:
            for path in inputs:
                content = path.read_bytes()
                is_open = options["format"] == "lines" and not content.endswith(b"\n")
                sorter.push(content + b"\n" * is_open)
            return b"".join(bytes(block) for block in sorter.finish())

    def test_jobs_are_the_same(self):
        for job in json.loads(TABLE.read_text()):
            with self.subTest(job["name"]):
                self.same(job)

    def same(self, job):
        inputs = [
            write(self.folder / f"{job['name']}-{number}", content)
            for number, content in enumerate(job["inputs"])
        ]
        for name in ["by-command", "by-package"]:
            (self.folder / name).unlink(missing_ok=True)
        status, words, expected = self.by_command(job, inputs)
        self.assertEqual(status, job.get("status", 0), words)
        if status > 1:
            with self.assertRaises(sortwell.Error) as raised:
                self.by_package(job, inputs)
            self.assertEqual(raised.exception.code, status)
            self.assertEqual(f"sortwell: {raised.exception}\n", words)
            self.assertFalse((self.folder / "by-package").exists())
            return
        found, output = self.by_package(job, inputs)
        if isinstance(found, sortwell.Checked):
            self.assertEqual(found.is_sorted, status == 0)
            return
        self.assertEqual(output, expected)
        self.assertEqual(counts(found.as_dict()), counts(json.loads(words)))
        if job.get("kind", "sort") == "sort":
            self.assertEqual(self.pushed(job, inputs), expected)


if __name__ == "__main__":
    unittest.main()
