"""Random sorts and random commands on a cluster."""

import contextlib
import gzip
import os
import pathlib
import random
import shutil
import sys
import unittest
from dataclasses import replace
from unittest import mock

from as_command import read
from cluster_trial import NODES, WithRoots, end_nodes, merged_by_nodes, start_nodes

import sortwell
from sortwell.cluster import _budget
from sortwell.cluster._spec import FORMS

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tests"))
from oracle.generate import draw_case
from oracle.model import EitherFault, Outcome, Unspecified, acceptable, expected
from oracle.run import said_of_keys


def setUpModule():
    """Starts four nodes, which all tests share."""
    global CLUSTER
    CLUSTER = start_nodes()


def tearDownModule():
    """Ends the nodes."""
    end_nodes(CLUSTER)


def random_case(source):
    """Returns a format, a key, a header, and what makes a record of a number."""
    keys = source.choice([3, 50, 10**9])
    ends = source.choice(["", ":desc"])

    def amount():
        return source.randrange(-keys, keys)

    def line(number):
        return b"%d\t%s\t%d\n" % (amount(), source.randbytes(2).hex().encode(), number)

    def row(number):
        cell = source.choice([b"", b"a", b'"b,\n""c"""', b"\xc3\xa9"])
        return b"%s,%d,%d\n" % (cell, amount(), number)

    def record(number):
        return source.choice([b"ab", b"zz"]) + amount().to_bytes(8, "big", signed=True) + bytes(6)

    def prefixed(number):
        body = b"%d" % (number % keys) * source.randrange(1, 9)
        return len(body).to_bytes(2, "big") + body

    header = {"header": 1} if source.random() < 0.3 else {}
    return source.choice(
        [
            ({"key": [f"1:int{ends}"], "separator": "\t"} | header, b"top\n" * len(header), line),
            ({"key": ["2", f"1:int{ends}"], "separator": "\t"}, b"", line),
            ({}, b"", line),
            ({"format": "csv", "key": [f"cell{ends}"]}, b"cell,amount,number\n", row),
            ({"format": "csv", "key": ["amount:int", "cell:desc"]}, b"cell,amount,number\n", row),
            ({"format": "csv", "no_header": True, "key": "1:random"}, b"", row),
            ({"format": "fixed:16", "key": f"2..10:i64be{ends}"}, b"", record),
            ({"format": "fixed:16", "key": "0..2"}, b"", record),
            ({"format": "u16be", "key": "0..2", "pad": "0"}, b"", prefixed),
        ]
    )


def random_operators(source, options):
    """Returns operators that the format of the options allows."""
    is_csv = options.get("format") == "csv" and "no_header" not in options
    places = ("amount", "cell") if is_csv else ("1", "2")
    allowed = [{}, {"unique": True}, {"unique": "last"}, {"count": True}, {"limit": 700}]
    allowed += [{"skip": 600, "limit": 5000}, {"having": "count > 1", "unique": True}]
    if is_csv or "separator" in options:
        amount, other = places
        allowed += [
            {"sum": f"{amount}:int"},
            {"min": f"{amount}:int", "max": f"{other}:bytes", "unique_by": other},
            {"unique_by": other, "having": f"{amount}:int > 0"},
            {"select": [other, amount]},
            {"include": f"{amount}:int > 0"},
        ]
    return source.choice(allowed)


class RandomSorts(WithRoots):
    """Sorts drawn from a seed, compared with those of one machine."""

    def test_random_sorts(self):
        cases = int(os.environ.get("CLUSTER_CASES", "4"))
        seed = int(os.environ.get("CLUSTER_SEED", "1"))
        for number in range(cases):
            source = random.Random(f"{seed} {number}")
            options, header, made = random_case(source)
            files = []
            for file in range(source.randrange(1, 4)):
                records = source.choice([0, 1, 700, 30_000])
                content = header + b"".join(made(at) for at in range(records))
                is_text = "format" not in options or options["format"] == "csv"
                if source.random() < 0.2 and "format" not in options:
                    content = content[:-1]
                if source.random() < 0.2 and is_text:
                    content = gzip.compress(content, 1)
                place = source.choice([".", *NODES])
                files.append(self.write(f"{place}/in{file}", content))
            named = [
                path if path.parent == self.folder else f"node://{path.parent.name}{path}"
                for path in files
            ]
            if "random" not in str(options):
                options |= random_operators(source, options)
            options["form"] = source.choice(FORMS)
            options["memory"] = source.choice(["288MiB", "352MiB", "1GiB"])
            # Runs that are kept are on disk, others in memory.
            options["resume"] = source.random() < 0.5
            parts = source.choice([1, 2, 5, 9])
            if "limit" in options:
                parts = 1
            sent = source.choice([contextlib.nullcontext, merged_by_nodes])
            case = {"options": options, "parts": parts, "sent": sent.__name__}
            with self.subTest(f"case {number} of seed {seed}", **case), sent():
                self.assert_as_one(named, files, parts=parts, **options)


def is_refused(options):
    """Returns whether a cluster has no such sort, although one machine has it."""
    return (
        bool(options.keys() & {"split", "split_by", "union_by_name"})
        or options.get("unique") == ["error"]
        or ("header" in options and options.get("format", ["lines"]) != ["lines"])
    )


class RandomCommands(WithRoots):
    """Commands that the oracle draws, held against its model."""

    def setUp(self):
        """Makes the folder of inputs the working directory: options name files in it."""
        super().setUp()
        self.addCleanup(os.chdir, pathlib.Path.cwd())
        os.chdir(self.folder)

    def test_random_commands(self):
        left = int(os.environ.get("CLUSTER_COMMANDS", "24"))
        seed = int(os.environ.get("CLUSTER_SEED", "1"))
        number = -1
        while left > 0:
            number += 1
            case = draw_case(seed, number)
            job = case.job()
            options, _ = read(list(job.arguments))
            if case.command != "sort" or is_refused(options):
                continue
            try:
                wanted = expected(job)
            except (EitherFault, Unspecified):
                continue
            left -= 1
            with self.subTest(f"case {number} of seed {seed}", arguments=job.arguments):
                self.check(job, options, wanted, random.Random(f"{seed} {number}"))

    def check(self, job, options, wanted, source):
        """Sorts on the cluster under conditions that do not change the result."""
        options["form"] = source.choice(FORMS)
        options["memory"] = source.choice(["288MiB", "352MiB", "1GiB"])
        options["resume"] = source.random() < 0.3
        parts = 1 if options.keys() & {"limit", "skip"} else source.choice([1, 2, 5, 9])
        total = sum(map(len, job.inputs))
        splits = source.choice([1, 2, 5, 50])
        length = mock.patch.object(_budget, "split_length", return_value=total // splits + 1)
        sent = source.choice([contextlib.nullcontext, merged_by_nodes])
        named = self.named_inputs(job, source)
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        made = {"options": options, "parts": parts, "splits": splits, "sent": sent.__name__}
        try:
            with sent(), length:
                found, statistics = self.sorted(named, parts=parts, **options)
        except sortwell.Error as error:
            outcome, said = Outcome(error.code, {}), str(error)
            self.assertFalse(self.folder.joinpath("out").exists(), (made, said))
        else:
            outcome, said = Outcome(0, {"": found}), ""
            self.assertEqual(statistics.ragged_rows_dropped or 0, wanted.dropped or 0, made)
            keys = said_of_keys(statistics.keys)
            # Records are counted where a key can place some of them.
            counted = keys if keys.of_records else replace(keys, of_records=wanted.keys.of_records)
            self.assertEqual(counted, wanted.keys, made)
        if options["resume"]:
            for run in self.folder.joinpath("temp").iterdir():
                shutil.rmtree(run)
        self.assert_no_runs()
        self.assertTrue(acceptable(job, outcome), (wanted.status, outcome.status, said, made))

    def named_inputs(self, job, source):
        """Writes the files of a job. Returns the names of its inputs, some of them on nodes."""
        for name, content in job.files:
            self.write(name, content)
        named = []
        for number, content in enumerate(job.inputs):
            place, end = source.choice([".", *NODES]), ""
            if source.random() < 0.15:
                content, end = gzip.compress(content, 1), ".gz"
            path = self.write(f"{place}/in{number}{end}", content)
            named.append(path if place == "." else f"node://{place}{path}")
        return named


if __name__ == "__main__":
    unittest.main()
