"""Indexes opened and changed by other programs, and compared with their answers."""

import gzip
import random
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import lmdb
from test_errors import WithFolder

import sortwell

# Key and value of an entry in the text of `mdb_dump`.
DUMPED = 2


def program(name):
    """Returns the path of a program, or leaves the test out."""
    installed = Path(sys.executable).parent / name
    found = str(installed) if installed.exists() else shutil.which(name)
    if found is None:
        print(f"LEFT OUT: no {name} to compare indexes with", file=sys.stderr)
        raise unittest.SkipTest(f"no {name}")
    return found


def printed(*words):
    """Runs a program, and returns what it prints."""
    return subprocess.run(words, check=True, capture_output=True).stdout


def entries_of(path):
    """Returns the entries of an index, as py-lmdb reads them."""
    with lmdb.open(str(path), subdir=False, readonly=True, lock=False, max_dbs=2) as store:
        entries = store.open_db(b"entries", create=False)
        with store.begin(db=entries) as read:
            return list(read.cursor())


class Stores(WithFolder):
    """Programs that know LMDB."""

    def built(self, count):
        """Builds an index of so many rows, and returns its path."""
        source = random.Random(count)
        rows = [f"{number},{source.randrange(99)}\n" for number in range(count)]
        self.folder.joinpath("data.csv").write_text("id,amount\n" + "".join(rows))
        path = self.folder / "data.index"
        sortwell.build_index(self.folder / "data.csv", path, key="amount:int", include="id")
        return path

    def test_lmdb_utils(self):
        stat, dump = program("mdb_stat"), program("mdb_dump")
        for count in (0, 1, 5000):
            path = self.built(count)
            text = printed(stat, "-n", "-e", "-s", "entries", str(path)).decode()
            self.assertIn(f"\n  Entries: {count}\n", text)
            text = printed(dump, "-n", "-s", "entries", str(path)).decode()
            body = text.split("HEADER=END\n")[1].split("DATA=END")[0]
            found = [bytes.fromhex(line) for line in body.split()]
            pairs = list(zip(found[::DUMPED], found[1::DUMPED], strict=True))
            self.assertEqual(pairs, entries_of(path))
            self.assertEqual(len(pairs), count)

    def test_changes_by_lmdb(self):
        path = self.built(5000)
        before = entries_of(path)
        source = random.Random(7)
        removed = set(source.sample(range(len(before)), 2000))
        with lmdb.open(str(path), subdir=False, lock=False, max_dbs=2, map_size=1 << 26) as store:
            entries = store.open_db(b"entries", create=False)
            with store.begin(write=True, db=entries) as write:
                for number in removed:
                    self.assertTrue(write.delete(before[number][0]))
            left = [entry for number, entry in enumerate(before) if number not in removed]
            with store.begin(db=entries) as read:
                self.assertEqual(list(read.cursor()), left)
            with store.begin(write=True, db=entries) as write:
                for number in source.sample(sorted(removed), len(removed)):
                    self.assertTrue(write.put(*before[number]))
        self.assertEqual(entries_of(path), before)
        index = sortwell.Index(path)
        self.assertEqual(len(list(index)), len(before))


class Answers(WithFolder):
    """Programs that answer the same questions."""

    def test_tabix(self):
        tabix, bgzip = program("tabix"), program("bgzip")
        source = random.Random(11)
        places = sorted(
            (source.choice(["chr1", "chr2", "chrX"]), source.randrange(200_000))
            for _ in range(20_000)
        )
        lines = [f"{name}\t{start}\t{start + 1}\tx{start % 7}\n" for name, start in places]
        plain, packed = self.folder / "calls.bed", self.folder / "calls.bed.gz"
        plain.write_text("".join(lines))
        printed(bgzip, str(plain))
        self.assertEqual(gzip.decompress(packed.read_bytes()), "".join(lines).encode())
        printed(tabix, "-p", "bed", str(packed))
        path = self.folder / "calls.index"
        sortwell.build_index(packed, path, key=["1", "2:int"], separator="tab")
        index = sortwell.Index(path)
        for _ in range(60):
            name = source.choice(["chr1", "chr2", "chrX"])
            first, last = sorted(source.choices(range(200_000), k=2))
            last = source.choice([first, first + 50, last])
            # Its regions count from one, and have their last place.
            wanted = printed(tabix, str(packed), f"{name}:{first + 1}-{last + 1}")
            found = list(index.range((name, first), to=(name, last)))
            self.assertEqual(b"".join(found), wanted)

    def test_tpch(self):
        generator = program("tpchgen-cli")
        printed(generator, "tbl", "-s", "0.01", "--tables", "lineitem", "--output-dir", self.folder)
        data, path = self.folder / "lineitem.tbl", self.folder / "lineitem.index"
        keys = ["2:int", "3:int"]
        sortwell.build_index(data, path, key=keys, separator="|", memory="64MiB")
        groups = {}
        with data.open("rb") as lines:
            for line in lines:
                part, supplier = line.split(b"|")[1:3]
                groups.setdefault(int(part), {}).setdefault(int(supplier), []).append(line)
        index = sortwell.Index(path)
        counts = [len(lines) for of in groups.values() for lines in of.values()]
        self.assertEqual(len(index), sum(counts))
        self.assertGreater(len(index), 50_000)
        for part in random.Random(5).sample(sorted(groups), 300):
            suppliers = groups[part]
            for supplier, lines in suppliers.items():
                self.assertEqual(index[part, supplier], lines)
            ordered = [line for supplier in sorted(suppliers) for line in suppliers[supplier]]
            self.assertEqual(index[part], ordered)
            self.assertEqual(index.get((part, 0)), [])
        printed(sys.executable, "-m", "sortwell", "index", "verify", str(path))


if __name__ == "__main__":
    unittest.main()
