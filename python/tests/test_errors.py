"""Errors of the package: their classes, their places, and what is left after them."""

import enum
import gc
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unittest
import unittest.mock
import weakref
from pathlib import Path

import numpy
import pyarrow

import sortwell

ITEMS = 12_000
PADDING = "x" * 3000


def large_items(count=ITEMS):
    """Yields items of 3 KB in no order."""
    for number in range(count):
        yield (number * 7919 % 10007, number, PADDING)


def stop(*_):
    """Raises the exception that ends an iteration."""
    raise StopIteration


class Unreadable:
    """An object whose bytes `pickle` cannot read."""

    def __reduce__(self):
        """Makes `pickle` call a function that fails."""
        return stop, ()


class Owner:
    """An owner of a sort that has methods of it as callbacks."""

    def __init__(self, kind, folder):
        """Begins a sort of a kind with temporary files in a folder."""
        self.shown = 0
        options = {"memory": "24MiB", "temp": folder, "progress": self.show}
        if kind == "items":
            self.sort = sortwell.sorted(large_items(), **options)
        elif kind == "serializer":
            options |= {"serializer": (self.dumps, self.loads), "progress": None}
            self.sort = sortwell.sorted(large_items(), **options)
        elif kind == "batches":
            numbers = numpy.arange(1_000_000) * 7919 % 100_003
            table = pyarrow.table({"n": numbers, "more": numbers})
            self.sort = sortwell.sort_batches(table, "n", **options)
        else:
            self.sort = sortwell.Sorter(format="fixed:100", **options)
            self.sort.push(bytes(40_000_000))
            self.blocks = self.sort.finish()

    def show(self, progress):
        """Counts the calls."""
        self.shown += 1

    def dumps(self, item):
        """Returns an item as bytes."""
        return repr(item).encode()

    def loads(self, data):
        """Returns the item."""
        return eval(data)


class WithFolder(unittest.TestCase):
    """Tests with a folder of their own."""

    def setUp(self):
        """Makes the folder."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_nothing_left(self):
        """Checks that the folder is empty."""
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), [])

    def start_python(self, code):
        """Starts a program with the folder as its working directory."""
        words, pipe = [sys.executable, "-c", code], subprocess.PIPE
        return subprocess.Popen(words, cwd=self.folder, stdout=pipe, stderr=pipe, text=True)

    def run_python(self, code):
        """Runs a program. Returns its exit status and what it wrote to both streams."""
        with self.start_python(code) as program:
            out, err = program.communicate(timeout=60)
        return program.returncode, out, err

    def interrupt_python(self, code, *, after):
        """Interrupts a program `after` seconds from its first line.

        Returns what `run_python` returns, and the seconds from the signal to its end.
        """
        with self.start_python(code) as program:
            program.stdout.readline()
            time.sleep(after)
            sent = time.monotonic()
            program.send_signal(signal.SIGINT)
            out, err = program.communicate(timeout=60)
            seconds = time.monotonic() - sent
        return program.returncode, out, err, seconds


class Classes(WithFolder):
    """Classes and attributes."""

    def test_classes(self):
        self.assertTrue(issubclass(sortwell.UsageError, ValueError))
        self.assertTrue(issubclass(sortwell.NoSpaceError, OSError))
        self.assertTrue(issubclass(sortwell.Interrupted, KeyboardInterrupt))
        self.assertFalse(issubclass(sortwell.Interrupted, Exception))

    def test_usage(self):
        for options in ({"memory": "1X"}, {"keys": "1"}, {"stats": "x"}, {"force": "maybe"}):
            with self.assertRaises(sortwell.UsageError) as caught:
                sortwell.sort("in", "out", **options)
            self.assertEqual(caught.exception.code, 2)
        for name in ("", "report=page.html", "-k"):
            with self.assertRaisesRegex(sortwell.UsageError, "is not the name of an option"):
                sortwell.sort("in", "out", **{name: True})
        with self.assertRaisesRegex(sortwell.UsageError, "no output; name the file"):
            sortwell.sort("in")

    def test_true_and_false(self):
        source = self.folder / "in.gz"
        source.write_bytes(b"b\na\n")
        with self.assertRaises(sortwell.MalformedError):
            sortwell.sort(source, self.folder / "out")
        # False is "off" for an option that has the word, and leaves a flag out.
        options = {"decompress": False, "unique": False, "in_place": False}
        for is_on in (True, False):
            for name in ("sync", "verify", "resume", "direct"):
                options[name] = is_on
            done = sortwell.sort(source, self.folder / "out", **options, force=True)
            self.assertEqual((self.folder / "out").read_bytes(), b"a\nb\n")
            for name in ("sync", "verify", "resume", "direct"):
                self.assertIn(f"--{name}={'on' if is_on else 'off'}", done.job.command)
            self.assertNotIn("unique", done.job.command)
            self.assertEqual(done.is_order_proven, is_on)
        self.assertGreater(len(sortwell.explain(source, self.folder / "out", decompress=False)), 0)
        with self.assertRaisesRegex(sortwell.UsageError, "compressed input"):
            sortwell.explain(source, self.folder / "out", decompress="gzip")
        for name in ("key", "temp", "memory"):
            for value in (True, False):
                with self.assertRaisesRegex(sortwell.UsageError, f"--{name} .*{value}".lower()):
                    sortwell.sort(source, self.folder / "out", **{name: value})
        with self.assertRaisesRegex(sortwell.UsageError, "did you mean '--unique'"):
            sortwell.sort(source, self.folder / "out", uniqe=False)

    def test_values_of_options(self):
        source, output = self.folder / "in", self.folder / "out"
        source.write_text("2\n1\n")

        class BytesPath:
            def __fspath__(self):
                return os.fsencode(folder)

        folder, unit = self.folder, enum.Enum("Unit", {"MEMORY": "64MiB"}, type=str)
        for name, value, word in (
            ("temp", os.fsencode(folder), str(folder)),
            ("temp", BytesPath(), str(folder)),
            ("temp", [os.fsencode(folder), folder], str(folder)),
            ("memory", numpy.int64(1 << 30), "1073741824"),
            ("memory", 1e16, "10000000000000000"),
            ("memory", unit.MEMORY, "64MiB"),
            ("memory", numpy.float32(1 << 30), "1073741824"),
            ("threads", 2.0, "2"),
            ("threads", numpy.float16(2), "2"),
            ("threads", numpy.array(2), "2"),
            ("key", numpy.array([1]), "1"),
        ):
            done = sortwell.sort(source, output, force=True, **{name: value})
            self.assertIn(f"--{name}={word}", done.job.command)
        for name, value in (
            ("key", ["1", None]),
            ("key", ["1", True]),
            ("key", [["1"]]),
            ("memory", object()),
            ("memory", 1j),
            ("threads", 1.5),
        ):
            with self.assertRaisesRegex(sortwell.UsageError, f"{name}"):
                sortwell.sort(source, output, **{name: value})

    def test_storage(self):
        missing = self.folder / "missing"
        with self.assertRaises(sortwell.StorageError) as caught:
            sortwell.sort(missing, self.folder / "out")
        error = caught.exception
        self.assertEqual((error.errno, error.filename, error.code), (2, str(missing), 4))
        self.assertEqual(error.file, str(missing))
        self.assertIn("No such file", str(error))

    def test_names_that_are_no_text(self):
        source, output = self.folder / os.fsdecode(b"in\xff"), self.folder / "out\udcff"
        source.write_bytes(b"2\n1\n")
        sortwell.sort(source, output)
        self.assertEqual(output.read_bytes(), b"1\n2\n")
        for call in (
            lambda: sortwell.sort("in\ud800", output),
            lambda: sortwell.sort(source, "out\ud800"),
            lambda: sortwell.check(source, key="\ud800"),
        ):
            with self.assertRaises(UnicodeEncodeError):
                call()

    def test_places_of_malformed_files(self):
        rows, cut, output = self.folder / "rows.csv", self.folder / "cut", self.folder / "out"
        rows.write_text("id,name\n1,Lee\n2,Bob,x\n3,Dee\n")
        cut.write_bytes(b"aaaabbbbcc")
        unsorted, good = self.folder / "unsorted", self.folder / "good"
        unsorted.write_text("1\n3\n2\n")
        good.write_text("1\n")
        fixed = {"format": "fixed:4"}
        for call, *place in (
            # The offset of a row counts the header; its number does not.
            (lambda: sortwell.sort(rows, output, key="id"), rows, 14, 2),
            (lambda: sortwell.sort(rows, output, key="name:int"), rows, 8, 1),
            (lambda: sortwell.sort(cut, output, **fixed), cut, 8, 3),
            (lambda: sortwell.merge([cut], output, **fixed), cut, 8, 3),
            (lambda: sortwell.check(cut, **fixed), cut, 8, 3),
            (lambda: sortwell.merge([good, unsorted], output), unsorted, 4, 3),
        ):
            with self.assertRaises(sortwell.MalformedError) as caught:
                call()
            error = caught.exception
            with self.subTest(str(error)):
                found = [error.file, error.offset, error.record]
                self.assertEqual(found, [str(place[0]), *place[1:]])
                self.assertEqual(error.code, 3)
            self.assertFalse(output.exists())
        self.assertIn("record 3 at offset 4 is out of order", str(error))

    def test_places_of_malformed_records_that_were_pushed(self):
        for options, pushed, place in (
            ({"format": "fixed:4"}, b"aaaabb", (4, 2)),
            ({"format": "csv", "key": "id"}, b"id,name\n1,Lee\n2\n", (14, 2)),
        ):
            sorter = sortwell.Sorter(**options)
            with self.assertRaises(sortwell.MalformedError) as caught, sorter:
                sorter.push(pushed)
                list(sorter.finish())
            error = caught.exception
            self.assertEqual((error.file, error.offset, error.record), (None, *place))

    def test_no_space(self):
        options = {"memory": "24MiB", "temp": self.folder, "temp_limit": "1MiB"}
        sorter = sortwell.Sorter(format="fixed:100", **options)
        with self.assertRaises(sortwell.NoSpaceError) as caught, sorter:
            for _ in range(100):
                sorter.push(bytes(1_000_000))
            list(sorter.finish())
        self.assertEqual(caught.exception.errno, 28)
        self.assert_nothing_left()


class Callers(WithFolder):
    """Faults of the code that calls."""

    def test_contiguous(self):
        array = numpy.arange(16, dtype="<u8")
        with sortwell.Sorter(format="fixed:8") as sorter:
            for wrong in (array[::2], array[::-1], array.reshape(4, 4).T):
                with self.assertRaisesRegex(BufferError, "np.ascontiguousarray"):
                    sorter.push(wrong)
            sorter.push(array)
            self.assertEqual(sum(len(block) for block in sorter.finish()), 128)
        with self.assertRaises(TypeError):
            sortwell.Sorter().push("text")

    def test_arrays_without_bytes_of_their_own(self):
        times = numpy.array(["2024-01-02", "2024-01-01"], "M8[s]")
        fields = numpy.zeros(2, [("Order", "u4"), ("object", "u4")])
        objects = [("id", "u8"), ("city", "O")]
        with sortwell.Sorter(format="fixed:8") as sorter:
            for wrong in (numpy.array(["b", "a"], object), numpy.zeros(2, objects)):
                with self.assertRaisesRegex(TypeError, r"Python objects.* array\.astype\('S8'\)"):
                    sorter.push(wrong)
                with self.assertRaisesRegex(TypeError, "Python objects"):
                    sortwell.Sorter().push_keyed(b"key", wrong)
            for wrong in (times, numpy.zeros(2, [("time", "M8[s]")])):
                with self.assertRaisesRegex(TypeError, r"dtype .*\[s\].* array\.view\('i8'\)"):
                    sorter.push(wrong)
            with self.assertRaisesRegex(BufferError, r"no dimensions; pass array\.reshape\(1\)"):
                sorter.push(numpy.array(5))
            sorter.push(times.view("i8"))
            sorter.push(numpy.zeros(2, [("time", "M8[s]")]).view("u1"))
            sorter.push(numpy.array(5).reshape(1))
            # Names of fields are no types.
            sorter.push(fields)
            self.assertEqual(sum(len(block) for block in sorter.finish()), 56)

    def test_a_key_that_raises(self):
        def key(item):
            return 1 / (item[1] - 11_000)

        with self.assertRaises(ZeroDivisionError):
            sortwell.sorted(large_items(), key=key, memory="24MiB", temp=self.folder)
        self.assert_nothing_left()

    def test_an_iterator_that_fails(self):
        def items():
            yield from large_items(11_000)
            raise LookupError("midway")

        with self.assertRaisesRegex(LookupError, "midway"):
            sortwell.sorted(items(), memory="24MiB", temp=self.folder)
        self.assert_nothing_left()

    def test_a_consumer_that_stops(self):
        for end in ("close", "with", "drop"):
            found = sortwell.sorted(large_items(), memory="24MiB", temp=self.folder)
            self.assertEqual(next(found)[0], 0)
            self.assertTrue(list(self.folder.iterdir()))
            if end == "close":
                found.close()
                with self.assertRaisesRegex(sortwell.UsageError, "closed"):
                    next(found)
            elif end == "with":
                with found:
                    pass
            else:
                del found
                gc.collect()
            self.assert_nothing_left()

    def test_close_during_a_call(self):
        def loads(data):
            self.assertTrue(list(self.folder.iterdir()))
            found.close()
            return pickle.loads(data)

        options = {"memory": "24MiB", "temp": self.folder}
        found = sortwell.sorted(large_items(), serializer=(pickle.dumps, loads), **options)
        self.assertEqual(next(found)[0], 0)
        self.assert_nothing_left()
        with self.assertRaisesRegex(sortwell.UsageError, "closed"):
            next(found)

    def test_close_by_another_thread(self):
        def push():
            while True:
                sorter.push(bytes(1_000_000))

        def pushed():
            with self.assertRaises(sortwell.Interrupted):
                push()

        sorter = sortwell.Sorter(format="fixed:100", memory="24MiB", temp=self.folder)
        thread = threading.Thread(target=pushed)
        thread.start()
        while not list(self.folder.iterdir()):
            time.sleep(0.01)
        sorter.close()
        thread.join()
        self.assert_nothing_left()

    def test_an_owner_that_is_gone(self):
        for kind in ("items", "serializer", "batches", "blocks"):
            with self.subTest(kind):
                owner = Owner(kind, self.folder)
                gone = weakref.ref(owner)
                gc.collect()
                self.assertTrue(list(self.folder.iterdir()))
                del owner
                gc.collect()
                self.assertIsNone(gone())
                self.assert_nothing_left()

    def test_an_owner_of_a_stream(self):
        owner = Owner("batches", self.folder)
        gone = weakref.ref(owner)
        reader = pyarrow.RecordBatchReader.from_stream(owner.sort)
        del owner
        gc.collect()
        # The stream calls the method, so it keeps the owner.
        before = gone().shown
        self.assertEqual(reader.read_all().num_rows, 1_000_000)
        self.assertGreater(gone().shown, before)
        del reader
        gc.collect()
        self.assertIsNone(gone())
        self.assert_nothing_left()

    def test_a_progress_callback_that_raises(self):
        def show(progress):
            raise LookupError(progress.phase)

        with self.assertRaises(LookupError):
            sortwell.sorted(large_items(), memory="24MiB", temp=self.folder, progress=show).close()
            time.sleep(0.2)
            list(sortwell.sorted([1], progress=show))
        self.assert_nothing_left()

    def test_an_exception_after_the_end_of_a_job(self):
        numbers, output = self.folder / "numbers", self.folder / "sorted"
        numbers.write_text("2\n1\n")
        for raised, expected in (
            (LookupError(), LookupError),
            (KeyboardInterrupt(), KeyboardInterrupt),
        ):

            def show(progress, raised=raised):
                if output.exists():
                    raise raised

            output.unlink(missing_ok=True)
            with self.subTest(expected), self.assertRaises(expected) as caught:
                sortwell.sort(numbers, output, progress=show)
            self.assertNotIsInstance(caught.exception, sortwell.Interrupted)
            notes = ["the job had succeeded: its output is complete"]
            self.assertEqual(caught.exception.__notes__, notes)
            self.assertEqual(output.read_text(), "1\n2\n")

    def test_stop_iteration_ends_no_result_early(self):
        def late(progress):
            if is_taking:
                raise StopIteration

        def blocks():
            sorter = sortwell.Sorter(progress=late)
            sorter.push(b"line\n")
            return sorter.finish()

        items = [(n, Unreadable()) for n in range(3)]
        table = pyarrow.table({"n": [2, 1]})
        for result in (
            lambda: sortwell.sorted([2, 1], serializer=(lambda _: b"", stop)),
            lambda: sortwell.sorted(items, key=lambda item: item[0]),
            lambda: sortwell.sorted([2, 1], progress=late),
            blocks,
            lambda: sortwell.sort_batches(table, "n", progress=late),
        ):
            is_taking = False
            result = result()
            is_taking = True
            with self.assertRaisesRegex(RuntimeError, "raised StopIteration") as caught:
                list(result)
            self.assertIsInstance(caught.exception.__cause__, StopIteration)

    def test_keyboard_interrupts_of_functions(self):
        class OwnInterrupt(KeyboardInterrupt):
            pass

        def interrupt(*_):
            raise raised()

        def pushed():
            sorter = sortwell.Sorter(progress=interrupt)
            time.sleep(0.2)
            sorter.push(bytes(100_000))

        def searched():
            data = unittest.mock.Mock(__arrow_c_stream__=interrupt)
            sortwell.sort_batches(data, "n")

        def at_end(progress):
            if progress.share == 1.0:
                interrupt()

        class Unwilling:
            def __iter__(self):
                interrupt()

        def pulled():
            sorter = sortwell.Sorter(progress=at_end)
            sorter.push(b"b\na\n")
            list(sorter.finish())

        calls = (
            pulled,
            lambda: sortwell.sorted(Unwilling()),
            lambda: sortwell.sorted(map(interrupt, [1])),
            lambda: sortwell.sorted([1], key=interrupt),
            lambda: sortwell.sorted([1], serializer=(interrupt, bytes)),
            lambda: list(sortwell.sorted([1], serializer=(lambda _: b"", interrupt))),
            pushed,
            searched,
        )
        for call in calls:
            raised = KeyboardInterrupt
            with self.assertRaises(sortwell.Interrupted) as caught:
                call()
            self.assertEqual(caught.exception.code, 130)
            self.assertIs(type(caught.exception.__cause__), KeyboardInterrupt)
            raised = OwnInterrupt
            with self.assertRaises(OwnInterrupt):
                call()

    def test_order_of_calls(self):
        sorter = sortwell.Sorter(format="fixed:1")
        sorter.push(b"b")
        self.assertIsNone(sorter.statistics)
        blocks = sorter.finish()
        with self.assertRaisesRegex(sortwell.UsageError, "push: the input is complete"):
            sorter.push(b"a")
        with self.assertRaisesRegex(sortwell.UsageError, "finish: the input is complete"):
            sorter.finish()
        self.assertEqual([bytes(block) for block in blocks], [b"b"])
        self.assertEqual(list(blocks), [])
        self.assertEqual(sorter.statistics.records, 1)
        sorter.close()
        with self.assertRaisesRegex(sortwell.UsageError, "closed"):
            sorter.push(b"a")
        self.assertEqual(sorter.statistics.records, 1)
        with self.assertRaisesRegex(sortwell.UsageError, "keys need the format 'keyed'"):
            sortwell.Sorter(format="lines").push_keyed(b"", b"")
        # A push that is refused changes nothing.
        with sortwell.Sorter(key="2") as sorter:
            with self.assertRaises(sortwell.UsageError):
                sorter.push_keyed(b"b", b"x")
            sorter.push(b"x b\ny a\n")
            self.assertEqual(b"".join(bytes(block) for block in sorter.finish()), b"y a\nx b\n")

    def test_one_thread_at_a_time(self):
        inside, outside = threading.Event(), threading.Event()

        def loads(data):
            inside.set()
            outside.wait(10)
            return data

        found = sortwell.sorted([1], serializer=(lambda item: b"x", loads))
        thread = threading.Thread(target=lambda: next(found))
        thread.start()
        inside.wait(10)
        with self.assertRaisesRegex(sortwell.UsageError, "from one thread at a time"):
            next(found)
        outside.set()
        thread.join()


def again(call):
    """Returns a program that repeats a call, whatever it raises."""
    return f"while True:\n        try: {call}\n        except BaseException: ..."


class Processes(WithFolder):
    """Signals, forks, and the end of the interpreter."""

    def in_child(self, work):
        """Runs `work` in a process that a fork makes, and checks that it succeeds."""
        child = os.fork()
        if child == 0:
            status = 1
            try:
                work()
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_fork(self):
        options = {"memory": "24MiB", "temp": self.folder}
        table = pyarrow.table({"n": numpy.arange(1_000_000)[::-1]})
        sorts = {
            "items": sortwell.sorted(large_items(), **options),
            "batches": sortwell.sort_batches(table, "n", **options),
            "stream": sortwell.sort_batches(table, "n", **options),
            "pushed": sortwell.Sorter(format="fixed:8", **options),
            "pulled": sortwell.Sorter(format="fixed:8", **options),
        }
        sorts["pushed"].push(bytes(40_000_000))
        sorts["pulled"].push(bytes(40_000_000))
        blocks = [sorts["pulled"].finish()]
        counts = [1, len(next(sorts["batches"])), len(next(blocks[0]))]
        self.assertEqual(next(sorts["items"])[0], 0)

        def use_in_child():
            for use in (
                lambda: next(sorts["items"]),
                lambda: next(sorts["batches"]),
                lambda: sorts["pushed"].push(bytes(8)),
                lambda: sorts["pushed"].finish(),
                lambda: next(blocks[0]),
            ):
                with self.assertRaisesRegex(sortwell.UsageError, "after a fork"):
                    use()
            with self.assertRaisesRegex(pyarrow.ArrowInvalid, "after a fork"):
                pyarrow.table(sorts["stream"])
            # Neither that nor the end of the objects removes a file of the parent.
            sorts["stream"].close()
            sorts.clear()
            blocks.clear()
            gc.collect()
            self.assertEqual(list(sortwell.sorted([2, 1])), [1, 2])
            found = sortwell.sort_batches(pyarrow.table({"n": [2, 1]}), "n")
            self.assertEqual(pyarrow.table(found)["n"].to_pylist(), [1, 2])
            with sortwell.Sorter(format="fixed:1") as own:
                own.push(b"ba")
                self.assertEqual([bytes(block) for block in own.finish()], [b"ab"])

        self.in_child(use_in_child)
        counts[0] += sum(1 for _ in sorts["items"])
        counts[1] += sum(len(batch) for batch in sorts["batches"])
        counts[2] += sum(len(block) for block in blocks[0])
        self.assertEqual(counts, [ITEMS, 1_000_000, 40_000_000])
        found = pyarrow.table(sorts["stream"])["n"].to_numpy()
        self.assertTrue(numpy.array_equal(found, numpy.arange(1_000_000)))
        sorts["pushed"].push(bytes(8))
        self.assertEqual(sum(len(block) for block in sorts["pushed"].finish()), 40_000_008)
        self.assert_nothing_left()

    def test_fork_with_an_index(self):
        rows = self.folder / "rows.csv"
        rows.write_text("id,name\n" + "".join(f"{n},{n % 7}\n" for n in range(5000)))
        sortwell.build_index(rows, self.folder / "index", key="name", include="id")
        index = sortwell.Index(self.folder / "index")
        found = iter(index.range())
        first = next(found)

        def use():
            self.assertEqual(first, b"0,0\n")
            self.assertEqual(sum(1 for _ in found), 4999)
            self.assertEqual((len(index), len(index["3"])), (5000, 714))
            self.assertEqual(next(index.find("3").included()), (b"3",))
            self.assertEqual(pyarrow.table(index.range("5")).num_rows, 2 * 714)
            self.assertEqual(len(sortwell.Index(self.folder / "index")), 5000)

        self.in_child(use)
        use()

    def test_subinterpreters(self):
        code = (
            "import sys, sortwell\n"
            "try: import _interpreters as interpreters\n"
            "except ImportError: import _xxsubinterpreters as interpreters\n"
            "items = sortwell.sorted([3, 1, 2])\n"
            "print(next(items))\n"
            "other = interpreters.create()\n"
            "try: failed = interpreters.run_string(other, 'import sortwell')\n"
            "except interpreters.RunFailedError as error: failed = error\n"
            "print('subinterpreter; use threads or processes' in str(failed))\n"
            "interpreters.destroy(other)\n"
            # The sorts of the main interpreter go on.
            "print(list(items), list(sortwell.sorted([2, 1])))\n"
            "try: sortwell.sort('in', 'out', memory='x')\n"
            "except sortwell.UsageError: print('the end')\n"
        )
        self.assertEqual(self.run_python(code), (0, "1\nTrue\n[2, 3] [1, 2]\nthe end\n", ""))

    def test_end_of_the_interpreter(self):
        code = (
            "import sortwell\n"
            "keep = [sortwell.Sorter(format='fixed:100', memory='24MiB', temp='.')]\n"
            "keep.append(keep)\n"
            "for _ in range(50): keep[0].push(bytes(1_000_000))\n"
            "items = sortwell.sorted(((n * 7 % 1000, 'x' * 3000) for n in range(12000)),\n"
            "    memory='24MiB', temp='.')\n"
            "print(next(items)[0])\n"
        )
        self.assertEqual(self.run_python(code), (0, "0\n", ""))
        self.assert_nothing_left()

    def test_end_of_the_interpreter_during_calls_of_daemon_threads(self):
        (self.folder / "large").write_bytes(os.urandom(100_000_000))
        (self.folder / "rows").write_text(
            "".join(f"{n * 7919 % 100_003}\n" for n in range(100_000))
        )
        sortwell.build_index(self.folder / "rows", self.folder / "index", key="1")
        given = {path.name for path in self.folder.iterdir()}
        options = "memory='24MiB', temp='.'"
        programs = {
            "sorted": f"sortwell.sorted(items(), {options})",
            "slow": f"sortwell.sorted(slow(items()), {options})",
            "key": f"sortwell.sorted(items(), key=lambda item: item[0], {options})",
            "taken": f"while True:\n        for _ in sortwell.sorted(few, {options}): ...",
            "push": f"s = sortwell.Sorter(format='fixed:100', {options})\n"
            "    while True: s.push(bytes(5_000_000))",
            "file": f"while True: sortwell.sort('large', 'out', format='fixed:100', {options})",
            "batches": f"sortwell.sort_batches(batches(), 'n', {options})",
            "index": "while True:\n        for _ in sortwell.Index('index'): ...",
            "index batches": "while True: list(sortwell.Index('index').range().batches())",
            # Calls that begin when the interpreter ends.
            "sort again": again("sortwell.sort('rows', 'out', force=True)"),
            "sorted again": again(f"list(sortwell.sorted([2, 1], {options}))"),
            "push again": again(f"sortwell.Sorter({options}).push(bytes(100_000))"),
            "batches again": again("list(sortwell.sort_batches(batch, 'n'))"),
            "index again": again("'5' in sortwell.Index('index')"),
            "places again": again("list(sortwell.Index('index').find('5').places())"),
            "check again": again("sortwell.check('rows')"),
            "usage again": again("sortwell.Sorter(memory='x')"),
        }
        for name, program in programs.items():
            code = (
                "import itertools, random, threading, time\n"
                "import pyarrow, sortwell\n"
                "few = [(n * 7 % 1000, 'x' * 3000) for n in range(12_000)]\n"
                "batch = pyarrow.record_batch({'n': [2, 1]})\n"
                "def items(): return ((n * 7 % 1000, 'x' * 300) for n in itertools.count())\n"
                "def slow(items):\n"
                "    for n, item in enumerate(items):\n"
                "        if n == 200_000: time.sleep(60)\n"
                "        yield item\n"
                "def batches():\n"
                "    schema = pyarrow.schema([('n', pyarrow.int64())])\n"
                "    def made():\n"
                "        while True:\n"
                "            numbers = [random.randrange(1 << 60) for _ in range(10_000)]\n"
                "            yield pyarrow.record_batch([pyarrow.array(numbers)], schema)\n"
                "    return pyarrow.RecordBatchReader.from_batches(schema, made())\n"
                "def call():\n"
                f"    {program}\n"
                "threading.excepthook = lambda raised: None\n"
                "threading.Thread(target=call, daemon=True).start()\n"
                f"time.sleep({1.5 if name == 'slow' else 0.7})\n"
                "print('the end')\n"
            )
            with self.subTest(name):
                self.assertEqual(self.run_python(code), (0, "the end\n", ""))
                self.assertEqual({path.name for path in self.folder.iterdir()} - {"out"}, given)

    def test_interrupt_of_each_call(self):
        (self.folder / "zeros").touch()
        # No block of it is on the disk.
        os.truncate(self.folder / "zeros", 10**12)
        options = "memory='24MiB', temp='.'"
        fixed = f"format='fixed:100', {options}"
        large = fixed.replace("24MiB", "64MiB")
        programs = {
            "sort": f"sortwell.sort('/dev/zero', 'out', {fixed})",
            "sort of a pipe": f"sortwell.sort(waiting, 'out', {fixed})",
            "merge": f"sortwell.merge(['zeros', '/dev/zero'], 'out', {fixed})",
            "check": "sortwell.check('zeros', format='fixed:100')",
            "build_index": f"sortwell.build_index('zeros', 'out', key='0..10', {large})",
            "sorted": f"for _ in sortwell.sorted(itertools.count(), {options}): ...",
            # Ctrl-C may also come between two calls.
            "push": f"with sortwell.Sorter({fixed}) as sorter:\n"
            "        while True: sorter.push(zeros)",
            "sort_batches": f"sortwell.sort_batches(endless(), 'n', {options})",
            "generate": "sortwell.generate(10**12, '/dev/null')",
            "validate": "sortwell.validate('zeros')",
        }
        for name, program in programs.items():
            code = (
                "import itertools, os, signal, pyarrow, sortwell\n"
                "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
                "waiting, zeros = f'/dev/fd/{os.pipe()[0]}', bytes(50_000_000)\n"
                "def endless():\n"
                "    batch = pyarrow.record_batch({'n': pyarrow.array(range(10_000))})\n"
                "    batches = itertools.repeat(batch)\n"
                "    return pyarrow.RecordBatchReader.from_batches(batch.schema, batches)\n"
                "print('begun', flush=True)\n"
                "try:\n"
                f"    {program}\n"
                "except sortwell.Interrupted as error:\n"
                "    print('interrupted', error.code, type(error.__cause__).__name__, flush=True)\n"
                "except KeyboardInterrupt:\n"
                "    print('interrupted 130 KeyboardInterrupt', flush=True)\n"
                "os._exit(0)\n"
            )
            with self.subTest(name):
                times = []
                # Other programs may run: one of three times has to be short.
                while len(times) < 3 and min(times, default=1) >= 1:
                    status, out, err, seconds = self.interrupt_python(code, after=0.5)
                    self.assertEqual((status, out), (0, "interrupted 130 KeyboardInterrupt\n"), err)
                    self.assertEqual(os.listdir(self.folder), ["zeros"])
                    times.append(seconds)
                self.assertLess(min(times), 1, times)

    def test_signal_handlers_run_during_a_sort(self):
        sortwell.generate(300_000, self.folder / "in")
        code = (
            "import signal, sortwell\n"
            "seen = []\n"
            "class Stop(Exception): pass\n"
            "def handler(*_):\n"
            "    seen.append(1)\n"
            "    if len(seen) == 3: raise Stop()\n"
            "signal.signal(signal.SIGALRM, handler)\n"
            "signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)\n"
            "try:\n"
            "    while True:\n"
            "        sortwell.sort('in', 'out', format='fixed:100', memory='24MiB', temp='.')\n"
            "except Stop:\n"
            "    signal.setitimer(signal.ITIMER_REAL, 0)\n"
            "    print(len(seen) >= 3)\n"
        )
        status, out, err = self.run_python(code)
        self.assertEqual((status, out), (0, "True\n"), err)
        names = {path.name for path in self.folder.iterdir()}
        self.assertLessEqual(names, {"in", "out"})


if __name__ == "__main__":
    unittest.main()
