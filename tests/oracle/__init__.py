"""A differential fuzzer of the `sortwell` command, beside an independent model of it."""
