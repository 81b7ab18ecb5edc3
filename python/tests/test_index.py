"""`sortwell.Index` beside a dictionary, SQLite, pyarrow and Polars."""

import bisect
import contextlib
import datetime
import decimal
import enum
import fractions
import random
import sqlite3
import threading
import time
import unittest
import uuid

import numpy
import polars
import pyarrow
from test_errors import WithFolder

import sortwell

CITIES = ["Oslo", "Rome", "Bern", "", "Os", "São Paulo", "a,b", 'say "hi"']


class Level(int, enum.Enum):
    """An integer with a name, which is its text."""

    LOW = 1


def quoted(cell):
    """Returns a cell as it stands in CSV."""
    return '"' + cell.replace('"', '""') + '"' if set(cell) & set(',"') else cell


class Indexes(WithFolder):
    """Searches in indexes of random rows."""

    def orders(self, count, seed=1):
        """Writes rows, and returns them as tuples (city, amount, line)."""
        source = random.Random(seed)
        rows = []
        for number in range(count):
            city, amount = source.choice(CITIES), source.randrange(-50, 50)
            rows.append((city, amount, f"{number},{quoted(city)},{amount}\n".encode()))
        text = b"id,city,amount\n" + b"".join(row[2] for row in rows)
        self.folder.joinpath("orders.csv").write_bytes(text)
        return rows

    def built(self, **options):
        """Builds an index of the rows, and opens it."""
        statistics = sortwell.build_index(
            self.folder / "orders.csv", self.folder / "orders.index", **options
        )
        self.assertGreaterEqual(statistics.records, 0)
        return sortwell.Index(self.folder / "orders.index")

    def test_dictionary(self):
        rows = self.orders(3000)
        index = self.built(key="city", threads=2)
        groups = {}
        for city, _, line in rows:
            groups.setdefault(city, []).append(line)
        self.assertEqual(len(index), 3000)
        for city, lines in groups.items():
            self.assertEqual(index[city], lines)
            self.assertEqual(index.get(city), lines)
            self.assertEqual(list(index.find(city)), lines)
            self.assertEqual(list(reversed(index.find(city))), lines[::-1])
            self.assertEqual(index.find(city).count(), len(lines))
            self.assertIn(city, index)
        self.assertNotIn("Paris", index)
        self.assertEqual(index.get("Paris"), [])
        with self.assertRaisesRegex(KeyError, "Paris"):
            index["Paris"]
        self.assertEqual(index.prefix("Os").count(), len(groups["Os"]) + len(groups["Oslo"]))
        self.assertEqual(sorted(index), sorted(line for *_, line in rows))
        self.assertEqual(list(reversed(index)), list(index)[::-1])

    def test_many_records_of_a_key(self):
        rows = [f"{number},a\n".encode() for number in range(5000)]
        self.folder.joinpath("orders.csv").write_bytes(b"id,name\n" + b"".join(rows))
        index = self.built(key="name")
        self.assertEqual(index["a"], rows)
        for count in (1023, 1024, 1025):
            self.folder.joinpath("orders.csv").write_bytes(b"id,name\n" + b"".join(rows[:count]))
            self.assertEqual(self.built(key="name")["a"], rows[:count])

    def test_sqlite(self):
        # Empty cells come last in an index, and are null in the database.
        rows = self.orders(2000, seed=2)
        index = self.built(key=["city", "amount:int:desc"])
        store = sqlite3.connect(":memory:")
        store.execute("CREATE TABLE orders (city TEXT, amount INTEGER, line BLOB)")
        for city, amount, line in rows:
            store.execute("INSERT INTO orders VALUES (?, ?, ?)", (city or None, amount, line))

        def lines(where, *values):
            order = "ORDER BY city NULLS LAST, amount DESC, rowid"
            found = store.execute(f"SELECT line FROM orders WHERE {where} {order}", values)
            return [line for (line,) in found]

        self.assertEqual(list(index), lines("TRUE"))
        source = random.Random(3)
        named = [city for city in CITIES if city]
        for _ in range(100):
            one, other = sorted(source.choices(named, k=2), key=str.encode)
            high, low = sorted(source.choices(range(-60, 60), k=2), reverse=True)
            found = index.range(one, other)
            self.assertEqual(list(found), lines("city >= ? AND city < ?", one, other))
            found = index.range(after=one, to=other)
            self.assertEqual(list(found), lines("city > ? AND city <= ?", one, other))
            found = index.range((one, high), to=(one, low))
            wanted = lines("city = ? AND amount BETWEEN ? AND ?", one, low, high)
            self.assertEqual(list(found), wanted)
            self.assertEqual(index.get((one, low)), lines("city = ? AND amount = ?", one, low))
            found = reversed(index.range(after=(one, high)))
            wanted = lines("city > ? OR city IS NULL OR city = ? AND amount < ?", one, one, high)
            self.assertEqual(list(found), wanted[::-1])

    def test_databases(self):
        rows = self.orders(2000, seed=4)
        database = self.folder / "orders.db"
        options = {"key": ["city", "amount:int:desc"], "include": "id"}
        statistics = sortwell.build_index(
            self.folder / "orders.csv", database, to="sqlite", **options
        )
        self.assertEqual(statistics.records, 2000)
        wanted = list(self.built(**options).find("Oslo").places())
        with contextlib.closing(sqlite3.connect(database)) as store:
            query = "SELECT path, offset, length FROM entries JOIN files USING (file)"
            found = store.execute(f"{query} WHERE city = 'Oslo' ORDER BY number").fetchall()
            self.assertEqual(found, wanted)
            data = self.folder.joinpath("orders.csv").read_bytes()
            lines = [data[offset : offset + length] for _, offset, length in found]
            oslo = sorted((row for row in rows if row[0] == "Oslo"), key=lambda row: -row[1])
            self.assertEqual(lines, [line for *_, line in oslo])
            count = store.execute("SELECT count(*) FROM entries WHERE city IS NULL").fetchone()[0]
            self.assertEqual(count, sum(city == "" for city, *_ in rows))
            ids = store.execute("SELECT DISTINCT typeof(id), typeof(amount) FROM entries")
            self.assertEqual(ids.fetchall(), [("text", "integer")])
        with self.assertRaisesRegex(sortwell.MalformedError, "this is an SQLite database"):
            sortwell.Index(database)
        with self.assertRaisesRegex(sortwell.UsageError, "duckdb"):
            sortwell.build_index(self.folder / "orders.csv", database, key="id", to="duckdb")

    def test_values_of_other_types(self):
        day, number = datetime.date(2026, 1, 2), uuid.uuid4()
        text = f"day,id,price\n2026-01-01,{uuid.uuid4()},1\n{day},{number},2.50\n"
        self.folder.joinpath("orders.csv").write_text(text)
        keys = {"day:date": day, "id:uuid": number, "price:decimal": decimal.Decimal("2.5")}
        for key, value in keys.items():
            (found,) = self.built(key=key)[value]
            self.assertTrue(found.startswith(b"2026-01-02"))
        index = self.built(key="price:decimal")
        self.assertEqual(index[2.5], index[b"2.5"])
        for number in (numpy.float32(2.5), numpy.float64(2.5), fractions.Fraction(5, 2)):
            self.assertEqual(index[number], index[b"2.5"])
        for number in (numpy.int64(1), numpy.uint8(1), numpy.array(1), numpy.float16(1), Level.LOW):
            self.assertEqual(index[number], index[b"1"])
            self.assertEqual(list(index.range(number, 2)), index[b"1"])
        with self.assertRaisesRegex(sortwell.UsageError, "a number of too many digits"):
            index.get(10**5000)
        for wrong in (True, numpy.True_, numpy.datetime64(1, "s"), None, [1], object()):
            with self.assertRaisesRegex(TypeError, "a value of a key is of type"):
                index.get(wrong)
        with self.assertRaisesRegex(sortwell.UsageError, "cannot be a value of the key"):
            index.get("x")
        with self.assertRaisesRegex(sortwell.UsageError, "2 values are given"):
            index.get(("1", "2"))
        with self.assertRaisesRegex(sortwell.UsageError, "both given"):
            index.range("1", after="2")

    def test_numbers_with_an_exponent(self):
        prices = ["100000", "0.0000001", "12345678901234567890000", "-0.00000025", "7"]
        lines = [f"{price}\n".encode() for price in prices]
        self.folder.joinpath("orders.csv").write_bytes(b"price\n" + b"".join(lines))
        for key in ("price:decimal", "price"):
            found = self.built(key=key)
            self.assertEqual(found[decimal.Decimal("1E+5")], [lines[0]])
            self.assertEqual(found[1e-7], [lines[1]])
            self.assertEqual(found[decimal.Decimal("1E-7")], [lines[1]])
            self.assertEqual(found[decimal.Decimal("1.234567890123456789E+22")], [lines[2]])
            self.assertEqual(found[-2.5e-7], [lines[3]])
            self.assertEqual(found[7], [lines[4]])
            self.assertEqual(found.get(1e22), [])

    def test_values_as_keys_read_them(self):
        text = "day,moment,price,id\n02.01.2026,2026-01-02T03:04:05,7,a\n,,,b\n01.01.2026,,2,c\n"
        self.folder.joinpath("orders.csv").write_text(text)
        rows = [f"{line}\n".encode() for line in text.splitlines()[1:]]
        day, moment = datetime.date(2026, 1, 2), datetime.datetime(2026, 1, 2, 3, 4, 5)
        midnight = datetime.datetime(2026, 1, 2)
        number, nan, zone = decimal.Decimal, float("nan"), datetime.timezone(datetime.timedelta())
        infinite = float("inf")

        def refused(index, value):
            for use in (index.get, index.__contains__, lambda value: list(index.range(to=value))):
                with self.assertRaisesRegex(sortwell.UsageError, "as the value of the key"):
                    use(value)

        index = self.built(key="day:date", date_format="%d.%m.%Y", invalid="last")
        for value in (day, midnight):
            self.assertEqual(index[value], rows[:1])
        for value in (moment, midnight.replace(tzinfo=zone), datetime.time(3, 4), 7, uuid.uuid4()):
            refused(index, value)
        index = self.built(key="moment:timestamp", invalid="last")
        self.assertEqual(index[moment], rows[:1])
        refused(index, datetime.time(3, 4))
        for style in ("int", "decimal", "decimal=,", "float"):
            index = self.built(key=f"price:{style}", invalid="last")
            for value in (7, 7.0, number(7), number("7.00"), numpy.float32(7), numpy.int8(7)):
                self.assertEqual(index[value], rows[:1])
            for value in (day, uuid.uuid4(), number("1E-2000")):
                refused(index, value)
        self.assertEqual(index.get(7.5), [])
        self.assertEqual(list(index.range(to=infinite)), [rows[2], rows[0]])
        index = self.built(key="price:decimal=,")
        self.assertEqual(index.get(7.5), [])
        self.assertEqual(list(index.range(7.5)), [rows[1]])
        (self.folder / "lines").write_bytes(b"a 7\nb x\n")
        for style, values in (("int", (7.5, number("7.1"))), ("decimal", (number("1E-2000"),))):
            sortwell.build_index(self.folder / "lines", self.folder / "index", key=f"2:{style}")
            index = sortwell.Index(self.folder / "index")
            self.assertEqual(index[7.0], [b"a 7\n"])
            for value in (*values, nan, infinite, day, uuid.uuid4()):
                refused(index, value)

    def test_bytes_that_are_no_text(self):
        (self.folder / "lines").write_bytes(b"b\na\xff\n\xc3\n")
        sortwell.build_index(self.folder / "lines", self.folder / "index", key="1")
        index = sortwell.Index(self.folder / "index")
        self.assertEqual(index["a\udcff"], [b"a\xff\n"])
        self.assertEqual(index[b"a\xff"], [b"a\xff\n"])
        self.assertEqual(list(index.range("\udcc3")), [b"\xc3\n"])
        self.assertEqual(index.prefix("a\udcff").count(), 1)
        for use in (index.get, index.__contains__, lambda text: list(index.range(text))):
            with self.assertRaises(UnicodeEncodeError):
                use("\ud800")

    def test_binary_records(self):
        numbers = random.Random(4).sample(range(1000), 100)
        records = [number.to_bytes(4, "little") + b"abcd" for number in numbers]
        self.folder.joinpath("orders.csv").write_bytes(b"".join(records))
        index = self.built(format="fixed:8", key="0..4:u32le")
        ordered = sorted(numbers)
        for number in range(1000):
            expected = [number.to_bytes(4, "little") + b"abcd"] * (number in numbers)
            self.assertEqual(index.get(number), expected)
            below = index.range(stop=number).count()
            self.assertEqual(below, bisect.bisect_left(ordered, number))

    def test_places_parts_and_batches(self):
        rows = self.orders(5000, seed=5)
        index = self.built(key="amount:int", include="city,id")
        self.assertEqual(index.keys, ["amount:int"])
        self.assertEqual(index.include, ["city", "id"])
        self.assertEqual(index.data, [str(self.folder / "orders.csv")])
        self.assertEqual(index.meta["entries"], "5000")
        found = index.range(0)
        whole = self.folder.joinpath("orders.csv").read_bytes()
        lines = [whole[offset : offset + size] for _, offset, size in found.places()]
        self.assertEqual(lines, list(found))
        self.assertEqual({path for path, *_ in found.places()}, set(index.data))
        parts = [tuple(line.rsplit(b",", 1)[0].split(b",", 1))[::-1] for line in lines]
        self.assertEqual(list(found.included()), parts)
        table = pyarrow.table(found)
        self.assertEqual(table.column_names, ["record", "file", "offset"])
        self.assertEqual(table["record"].to_pylist(), lines)
        self.assertEqual(table["offset"].to_pylist(), [offset for _, offset, _ in found.places()])
        batches = list(found.batches(batch_rows=100))
        self.assertEqual(sum(map(len, batches)), len(lines))
        self.assertLessEqual(max(map(len, batches)), 100)
        frame = polars.DataFrame(found.batches(included=True))
        self.assertEqual(frame.columns, ["city", "id"])
        self.assertEqual(frame.rows(), parts)
        self.assertEqual(len(rows), len(index))
        nothing = pyarrow.table(index.find(1000))
        self.assertEqual((nothing.num_rows, nothing.num_columns), (0, 3))
        stream = found.batches()
        pyarrow.table(stream)
        for take in (pyarrow.table, list):
            with self.assertRaisesRegex(sortwell.UsageError, "can be taken once"):
                take(stream)
        with self.assertRaisesRegex(sortwell.UsageError, "includes no columns"):
            self.built(key="city").find("Oslo").batches(included=True)

    def test_batches_after_an_error(self):
        rows = self.orders(5000)
        index = self.built(key="id:int")
        path = self.folder / "orders.csv"
        text = path.read_bytes()
        stream, batches = (index.range().batches(batch_rows=2000) for _ in range(2))
        reader = pyarrow.RecordBatchReader.from_stream(stream)
        self.assertEqual(len(next(batches)), 2000)
        reader.read_next_batch()
        with open(path, "r+b") as file:
            file.truncate(len(text) - len(rows[-1][2]) * 1500)
        with self.assertRaises(sortwell.Error):
            next(batches)
        with self.assertRaisesRegex(Exception, "orders.csv"):
            reader.read_next_batch()
        # Later batches would lack the rows before the error.
        path.write_bytes(text)
        with self.assertRaisesRegex(sortwell.UsageError, "could not be read before"):
            next(batches)
        with self.assertRaisesRegex(Exception, "could not be read before"):
            reader.read_next_batch()

    def test_appends_and_changes(self):
        rows = self.orders(10)
        index = self.built(key="id:int")
        with open(self.folder / "orders.csv", "a") as file:
            file.write("10,Oslo,3\n")
        with self.assertRaisesRegex(sortwell.MalformedError, "has grown"):
            sortwell.Index(self.folder / "orders.index")
        stale = sortwell.Index(self.folder / "orders.index", stale_ok=True)
        self.assertEqual(stale[9], [rows[9][2]])
        sortwell.append_index(self.folder / "orders.index")
        self.assertEqual(sortwell.Index(self.folder / "orders.index")[10], [b"10,Oslo,3\n"])
        self.assertEqual(index.get(10), [], "an open index stays as it was")
        self.folder.joinpath("more.csv").write_text("id,city,amount\n11,Bern,1\n")
        sortwell.append_index(self.folder / "orders.index", self.folder / "more.csv")
        index = sortwell.Index(self.folder / "orders.index")
        self.assertEqual(index[11], [b"11,Bern,1\n"])
        self.assertEqual(len(index.data), 2)
        self.folder.joinpath("more.csv").unlink()
        with self.assertRaisesRegex(sortwell.StorageError, "more.csv"):
            sortwell.Index(self.folder / "orders.index")
        with self.assertRaisesRegex(sortwell.MalformedError, "this is no index"):
            sortwell.Index(self.folder / "orders.csv")
        with self.assertRaisesRegex(sortwell.MalformedError, "has the key of the record"):
            self.built(key="city", unique=True)
        with self.assertRaisesRegex(sortwell.UsageError, "needs a key"):
            self.built()

    def test_data_that_is_rewritten(self):
        rows = self.orders(3000)
        index = self.built(key="city", include="id")
        stale = sortwell.Index(self.folder / "orders.index", stale_ok=True)
        batches = index.range().batches(batch_rows=10)
        next(batches)
        path = self.folder / "orders.csv"
        time.sleep(0.02)
        with path.open("r+b") as file:
            file.write(b"x" * path.stat().st_size)
        time.sleep(0.02)
        wanted = "orders.csv: the file was modified since the index was built"
        for use in (index.get, lambda city: list(index.find(city)), lambda _: next(batches)):
            with self.assertRaisesRegex(sortwell.MalformedError, wanted):
                use("Oslo")
        self.assertEqual(len(stale["Oslo"]), len(list(index.find("Oslo").included())))
        self.assertEqual(index.range().count(), len(rows))

    def test_threads(self):
        rows = self.orders(2000, seed=6)
        index = self.built(key="id:int")
        wrong = []

        def look_up(seed):
            source = random.Random(seed)
            for _ in range(500):
                number = source.randrange(2000)
                if index[number] != [rows[number][2]]:
                    wrong.append(number)

        threads = [threading.Thread(target=look_up, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
