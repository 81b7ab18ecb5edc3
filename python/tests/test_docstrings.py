"""The docstrings of the package: each has an example that works, and names its errors."""

import contextlib
import inspect
import io
import os
import pathlib
import re
import sys
import tempfile
import textwrap
import types
import unittest
import unittest.mock

import numpy
import polars
import pyarrow

import sortwell

# A paragraph that is indented. Lines of a list of terms follow their term without an empty line.
EXAMPLE = re.compile(r"\n\n((?: {4}.*\n|\n)+)")


def examples(documentation):
    """Yields the programs in a docstring."""
    for block in EXAMPLE.findall(f"\n{inspect.cleandoc(documentation)}\n"):
        lines = textwrap.dedent(block).strip("\n").splitlines()
        yield "\n".join(line.removeprefix(">>> ").removeprefix("... ") for line in lines)


def public_classes():
    """Yields the names and the public classes that are written in Python."""
    for name in sortwell.__all__:
        value = getattr(sortwell, name)
        # Those of the extension have no methods but those of protocols.
        if inspect.isclass(value) and value not in (sortwell.Batch, sortwell.Block):
            yield name, value


def public_functions():
    """Yields the names of functions and of methods, also inherited ones, and what they are."""
    for name in sortwell.__all__:
        if inspect.isfunction(value := getattr(sortwell, name)):
            yield name, value
    for name, kind in public_classes():
        for member, value in inspect.getmembers(kind, inspect.isfunction):
            if not member.startswith("_"):
                yield f"{name}.{member}", value


class Bar:
    """Stand-in for `tqdm.tqdm`, with its attributes and method that are documented for this."""

    made: "Bar"

    def __init__(self, *, unit, unit_scale):
        """Begins at 0, without a total."""
        self.n, self.total, self.shown = 0, None, []
        Bar.made = self

    def update(self, n=1):
        """Moves the bar."""
        self.n += n
        self.shown.append((self.n, self.total))


class Docstrings(unittest.TestCase):
    """Documentation that `help` shows."""

    def write_files(self, text):
        """Writes the files of an example into the working directory."""
        for name in ("orders", "in", "a", "b", "big"):
            rows = "id,city,amount\n3,Oslo,7\n1,Rome,10.5\n2,Bern,-3.25\n"
            pathlib.Path(f"{name}.csv").write_text(rows)
        for name in ("in.txt", "names.txt", "more.txt", "monday.log", "tuesday.log"):
            pathlib.Path(name).write_text("1\n2\n")
        if "records.bin" in text or "sorted.bin" in text:
            sortwell.generate(100, "unsorted.bin")
            for name in ("records.bin", "sorted.bin"):
                sortwell.sort("unsorted.bin", name, format="fixed:100", key="0..10")
        keys = {"key": ["city", "amount:decimal"], "include": "id"}
        sortwell.build_index("orders.csv", "orders.index", **keys)

    def names(self):
        """Returns the values of names in examples."""
        dtype = numpy.dtype([("key", ">u8"), ("value", "<u8")])
        # As bytes, these are also records of 100 bytes.
        array = numpy.zeros(25, dtype)
        sorter = sortwell.Sorter(format="fixed:16", key="0..8:u64be")
        sorter.push(array)
        self.addCleanup(sorter.close)
        return {
            "array": array,
            "dtype": dtype,
            "index": sortwell.Index("orders.index"),
            "items": [2, 1],
            "numpy": numpy,
            "pathlib": pathlib,
            "polars": polars,
            "pyarrow": pyarrow,
            "rows": [{"city": "Oslo", "age": 7, "name": "Lee"}],
            "sorter": sorter,
            "sortwell": sortwell,
            "statistics": sortwell.sort("in.txt", "report.txt"),
            "table": pyarrow.table({"ts": [1, 2], "id": [2, 1]}),
        }

    def run_example(self, text):
        """Runs an example in a folder of its own."""
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                self.write_files(text)
                names = self.names()
                # Examples make these files, which are there for others.
                if "build_index(" in text:
                    os.remove("orders.index")
                if "generate(" in text:
                    os.remove("records.bin")
                self.execute(text, names)
            finally:
                os.chdir(before)

    def execute(self, text, names):
        """Runs a program with values for names."""
        modules = {"tqdm": types.SimpleNamespace(tqdm=Bar)}
        with (
            # It would measure for a while, and note the result for this machine.
            unittest.mock.patch.object(sortwell, "calibrate", autospec=True),
            unittest.mock.patch.dict(sys.modules, modules),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            exec(text, names)

    def test_each_has_an_example(self):
        for name, value in [*public_classes(), *public_functions()]:
            # The example of `Error` shows the attributes that all exceptions have.
            is_fault = inspect.isclass(value) and issubclass(value, BaseException)
            if not is_fault or value is sortwell.Error:
                with self.subTest(name):
                    self.assertTrue(list(examples(value.__doc__ or "")))

    def test_each_function_names_its_errors(self):
        for name, value in public_functions():
            with self.subTest(name):
                self.assertRegex(value.__doc__ or "", "\n +Raises ")

    def test_examples_work(self):
        documented = {id(value): (name, value) for name, value in public_functions()}
        found = [("sortwell", sortwell), *public_classes(), *documented.values()]
        for name, value in found:
            for text in examples(value.__doc__ or ""):
                with self.subTest(name, example=text):
                    self.run_example(text)

    def test_progress_with_tqdm(self):
        (example,) = examples(sortwell.Progress.__doc__)
        self.run_example(example)
        self.assertGreater(Bar.made.n, 0)
        for done, total in Bar.made.shown:
            self.assertLessEqual(done, total or done)


if __name__ == "__main__":
    unittest.main()
