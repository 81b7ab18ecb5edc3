"""The ways in which a job ends without an output, and the one in which the model does not know."""

from __future__ import annotations


class Unspecified(Exception):
    """An outcome that the documentation leaves open; the message names the question."""


class EitherFault(Unspecified):
    """A wrong command line with a malformed header: the documentation lets either be reported."""


class RefusedError(Exception):
    """A job that ends with an exit status other than 0 and without an output."""

    status = 70


class UsageError(RefusedError):
    """A command line that cannot be carried out as given: exit status 2."""

    status = 2


class MalformedError(RefusedError):
    """An input that does not have the form it was said to have: exit status 3."""

    status = 3


class ShortRecordError(MalformedError):
    """A record that ends before a range of bytes."""
