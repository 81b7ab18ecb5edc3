from collections.abc import Callable, Iterable, Iterator
from types import GenericAlias
from typing import Any, Generic, Protocol, SupportsIndex, TypeVar

from sortwell import _native
from sortwell._ending import ClosableSort
from sortwell._options import Paths
from sortwell._progress import Progress

_Item = TypeVar("_Item")

class _Serializer(Protocol):
    @property
    def dumps(self) -> Callable[[Any], bytes]: ...
    @property
    def loads(self) -> Callable[[bytes], Any]: ...

def sorted(  # noqa: A001 - it takes the place of the built-in
    iterable: Iterable[_Item],
    /,
    *,
    key: Callable[[_Item], Any] | None = None,
    reverse: bool = False,
    memory: str | SupportsIndex | float | None = None,
    serializer: _Serializer | tuple[Callable[[Any], bytes], Callable[[bytes], Any]] | None = None,
    temp: Paths | None = None,
    threads: SupportsIndex | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Sorted[_Item]: ...

class Sorted(ClosableSort, Generic[_Item]):
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...
    def __init__(self, native: _native.SortedItems) -> None: ...
    def __iter__(self) -> Iterator[_Item]: ...
    def __next__(self) -> _Item: ...
