"""Times `sortwell.sorted` beside the built-in, on tuples of a str, an int and a float.

python benches/python/sorted.py ITEMS MEMORY [key]

The items are made first. Each function then sorts them once and all results are passed over. With
`key`, the key is the str, otherwise the whole tuple.
"""

import json
import random
import sys
import time

import sortwell


def main():
    """Prints one line of JSON."""
    count, memory, has_key = int(sys.argv[1]), sys.argv[2], "key" in sys.argv[3:]
    seeded = random.Random(1)
    items = [
        (f"{seeded.getrandbits(48):012x}", seeded.getrandbits(40), seeded.random())
        for _ in range(count)
    ]
    key = (lambda item: item[0]) if has_key else None
    begun = time.perf_counter()
    for _ in sorted(items, key=key):
        pass
    builtin = time.perf_counter() - begun
    begun = time.perf_counter()
    found = sortwell.sorted(items, key=key, memory=memory)
    for _ in found:
        pass
    seconds = time.perf_counter() - begun
    figures = {
        "items": count,
        "memory": memory,
        "key": has_key,
        "builtin_seconds": round(builtin, 2),
        "seconds": round(seconds, 2),
        "ratio": round(seconds / builtin, 2),
        "passes": found.statistics.passes,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
