import os
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import Any, AnyStr, ClassVar, Literal, NamedTuple, Optional, Protocol, TypeVar, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base

from . import corpus as corpus
from . import spectra as spectra

__all__ = [
    "Drafts",
    "Hits",
    "Index",
    "InputError",
    "Machine",
    "Matches",
    "Messages",
    "Ranges",
    "Repeats",
    "RunLengthIndex",
    "SuffixArray",
    "TokenIndex",
    "__version__",
    "aligner_index",
    "argpartition",
    "argsort",
    "argsort_rows",
    "argsort_strings",
    "built_with_cuda",
    "corpus",
    "default_machine",
    "gpus",
    "lexsort",
    "merge_sorted",
    "partition",
    "rank",
    "run_tool",
    "searchsorted",
    "segmented_argsort",
    "segmented_sort",
    "segmented_top_k",
    "set_default_machine",
    "sort",
    "sort_file",
    "sort_pairs",
    "sort_rows",
    "sort_share",
    "sort_shares",
    "sort_strings",
    "spectra",
    "spgemm",
    "suffix_array",
    "tool_path",
    "top_k",
    "unique",
]

class _DeviceArray(Protocol):
    """An array of CuPy, PyTorch or JAX."""

    @property
    def device(self) -> Any: ...
    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...

class _Csr(Protocol):
    """A matrix of scipy.sparse or of cupyx.scipy.sparse, in rows."""

    @property
    def indptr(self) -> Any: ...
    @property
    def indices(self) -> Any: ...
    @property
    def data(self) -> Any: ...
    @property
    def shape(self) -> Any: ...

_Item = TypeVar("_Item", bound=np.generic)
_Value = TypeVar("_Value", bound=np.generic)
_Array = TypeVar("_Array", bound=_DeviceArray)
_Matrix = TypeVar("_Matrix", bound=_Csr)
_Values = TypeVar("_Values", bound=_DeviceArray)
_Index = NDArray[np.int64]
_Fields = Union[str, Sequence[str], None]
_Flags = Union[bool, Iterable[bool]]

__version__: str
built_with_cuda: bool

class InputError(OSError, ValueError): ...
class _MachineType(type): ...

@disjoint_base
class Machine(metaclass=_MachineType):
    def __init__(self, device: str = "auto", *, threads: int = 0, memory_limit: int = 0) -> None: ...
    all: ClassVar[Callable[[], list[Machine]]]
    @property
    def device(self) -> str: ...
    @property
    def threads(self) -> int: ...
    def reserve(self, bytes: int) -> None: ...
    def trim(self, max_bytes: int = 0) -> None: ...
    def peak_memory(self) -> int: ...
    def synchronize(self) -> None: ...

class Messages:
    size: int
    rank: int
    def __init__(self, size: int, rank: int, put: Callable[[int, bytes], Any], get: Callable[[int], bytes]) -> None: ...
    def broadcast(self, data: memoryview, root: int) -> None: ...
    def all_gather(self, own: memoryview, all: memoryview) -> None: ...
    def all_to_all(self, sends: list[memoryview], receives: list[memoryview]) -> None: ...
    def barrier(self) -> None: ...

def default_machine() -> Machine: ...
def set_default_machine(machine: Machine) -> Machine: ...
def gpus() -> list[dict[str, Any]]: ...
@overload
def sort(
    a: NDArray[_Item],
    axis: Optional[int] = -1,
    kind: Optional[str] = None,
    order: _Fields = None,
    *,
    stable: Optional[bool] = None,
    descending: bool = False,
    out: Optional[NDArray[_Item]] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> NDArray[_Item]: ...
@overload
def sort(
    a: _Array,
    axis: Optional[int] = -1,
    kind: Optional[str] = None,
    order: _Fields = None,
    *,
    stable: Optional[bool] = None,
    descending: bool = False,
    out: Optional[_Array] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> _Array: ...
@overload
def sort(
    a: ArrayLike,
    axis: Optional[int] = -1,
    kind: Optional[str] = None,
    order: _Fields = None,
    *,
    stable: Optional[bool] = None,
    descending: bool = False,
    out: Optional[NDArray[Any]] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> NDArray[Any]: ...
@overload
def argsort(
    a: NDArray[Any],
    axis: Optional[int] = -1,
    kind: Optional[str] = None,
    order: _Fields = None,
    *,
    stable: Optional[bool] = None,
    descending: bool = False,
    out: Optional[_Index] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> _Index: ...
@overload
def argsort(
    a: _Array,
    axis: Optional[int] = -1,
    kind: Optional[str] = None,
    order: _Fields = None,
    *,
    stable: Optional[bool] = None,
    descending: bool = False,
    out: Optional[_Array] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> _Array: ...
@overload
def argsort(
    a: ArrayLike,
    axis: Optional[int] = -1,
    kind: Optional[str] = None,
    order: _Fields = None,
    *,
    stable: Optional[bool] = None,
    descending: bool = False,
    out: Optional[_Index] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> _Index: ...
@overload
def sort_pairs(
    keys: NDArray[_Item],
    values: NDArray[_Value],
    *,
    descending: bool = False,
    out: Optional[tuple[NDArray[_Item], NDArray[_Value]]] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> tuple[NDArray[_Item], NDArray[_Value]]: ...
@overload
def sort_pairs(
    keys: _Array,
    values: _Values,
    *,
    descending: bool = False,
    out: Optional[tuple[_Array, _Values]] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> tuple[_Array, _Values]: ...
@overload
def sort_pairs(
    keys: Any,
    values: Any,
    *,
    descending: bool = False,
    out: Optional[tuple[Any, Any]] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> tuple[Any, Any]: ...
@overload
def sort_share(
    share: NDArray[_Item],
    comm: Any,
    values: None = None,
    *,
    descending: bool = False,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> NDArray[_Item]: ...
@overload
def sort_share(
    share: _Array,
    comm: Any,
    values: None = None,
    *,
    descending: bool = False,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> _Array: ...
@overload
def sort_share(
    share: NDArray[_Item],
    comm: Any,
    values: NDArray[_Value],
    *,
    descending: bool = False,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> tuple[NDArray[_Item], NDArray[_Value]]: ...
@overload
def sort_share(
    share: Any,
    comm: Any,
    values: Any = None,
    *,
    descending: bool = False,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> Any: ...
@overload
def sort_shares(
    shares: Iterable[NDArray[_Item]],
    values: None = None,
    *,
    descending: bool = False,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> list[NDArray[_Item]]: ...
@overload
def sort_shares(
    shares: Iterable[Any],
    values: None = None,
    *,
    descending: bool = False,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> list[Any]: ...
@overload
def sort_shares(
    shares: Iterable[Any],
    values: Iterable[Any],
    *,
    descending: bool = False,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> tuple[list[Any], list[Any]]: ...
@overload
def segmented_sort(
    keys: NDArray[_Item],
    offsets: ArrayLike,
    values: None = None,
    *,
    ends: Optional[ArrayLike] = None,
    max_length: Optional[int] = None,
    descending: bool = False,
    out: Optional[NDArray[_Item]] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> NDArray[_Item]: ...
@overload
def segmented_sort(
    keys: _Array,
    offsets: Any,
    values: None = None,
    *,
    ends: Any = None,
    max_length: Optional[int] = None,
    descending: bool = False,
    out: Optional[_Array] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> _Array: ...
@overload
def segmented_sort(
    keys: ArrayLike,
    offsets: ArrayLike,
    values: None = None,
    *,
    ends: Optional[ArrayLike] = None,
    max_length: Optional[int] = None,
    descending: bool = False,
    out: Optional[NDArray[Any]] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> NDArray[Any]: ...
@overload
def segmented_sort(
    keys: NDArray[_Item],
    offsets: ArrayLike,
    values: NDArray[_Value],
    *,
    ends: Optional[ArrayLike] = None,
    max_length: Optional[int] = None,
    descending: bool = False,
    out: Optional[tuple[NDArray[_Item], NDArray[_Value]]] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> tuple[NDArray[_Item], NDArray[_Value]]: ...
@overload
def segmented_sort(
    keys: Any,
    offsets: Any,
    values: Any,
    *,
    ends: Any = None,
    max_length: Optional[int] = None,
    descending: bool = False,
    out: Optional[tuple[Any, Any]] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> tuple[Any, Any]: ...
@overload
def segmented_argsort(
    keys: NDArray[Any],
    offsets: ArrayLike,
    *,
    ends: Optional[ArrayLike] = None,
    max_length: Optional[int] = None,
    descending: bool = False,
    out: Optional[_Index] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> _Index: ...
@overload
def segmented_argsort(
    keys: _Array,
    offsets: Any,
    *,
    ends: Any = None,
    max_length: Optional[int] = None,
    descending: bool = False,
    out: Optional[_Array] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> _Array: ...
@overload
def segmented_argsort(
    keys: ArrayLike,
    offsets: ArrayLike,
    *,
    ends: Optional[ArrayLike] = None,
    max_length: Optional[int] = None,
    descending: bool = False,
    out: Optional[_Index] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> _Index: ...
@overload
def top_k(
    a: NDArray[_Item],
    k: int,
    axis: int = -1,
    *,
    largest: bool = True,
    sorted: bool = True,
    machine: Optional[Machine] = None,
) -> tuple[NDArray[_Item], _Index]: ...
@overload
def top_k(
    a: _Array, k: int, axis: int = -1, *, largest: bool = True, sorted: bool = True, machine: Optional[Machine] = None
) -> tuple[_Array, _Array]: ...
@overload
def top_k(
    a: ArrayLike,
    k: int,
    axis: int = -1,
    *,
    largest: bool = True,
    sorted: bool = True,
    machine: Optional[Machine] = None,
) -> tuple[NDArray[Any], _Index]: ...
@overload
def segmented_top_k(
    keys: NDArray[_Item],
    offsets: ArrayLike,
    k: int,
    *,
    max_length: Optional[int] = None,
    largest: bool = True,
    machine: Optional[Machine] = None,
) -> tuple[NDArray[_Item], _Index]: ...
@overload
def segmented_top_k(
    keys: _Array,
    offsets: Any,
    k: int,
    *,
    max_length: Optional[int] = None,
    largest: bool = True,
    machine: Optional[Machine] = None,
) -> tuple[_Array, _Array]: ...
@overload
def segmented_top_k(
    keys: ArrayLike,
    offsets: ArrayLike,
    k: int,
    *,
    max_length: Optional[int] = None,
    largest: bool = True,
    machine: Optional[Machine] = None,
) -> tuple[NDArray[Any], _Index]: ...
@overload
def argsort_rows(
    columns: Iterable[NDArray[Any]],
    *,
    descending: _Flags = False,
    nulls_first: _Flags = False,
    nan_order: Union[str, Iterable[str]] = "last",
    machine: Optional[Machine] = None,
) -> _Index: ...
@overload
def argsort_rows(
    columns: Iterable[_Array],
    *,
    descending: _Flags = False,
    nulls_first: _Flags = False,
    nan_order: Union[str, Iterable[str]] = "last",
    machine: Optional[Machine] = None,
) -> _Array: ...
@overload
def argsort_rows(
    columns: Any,
    *,
    descending: _Flags = False,
    nulls_first: _Flags = False,
    nan_order: Union[str, Iterable[str]] = "last",
    machine: Optional[Machine] = None,
) -> _Index: ...
@overload
def sort_rows(
    columns: Iterable[NDArray[_Item]],
    *,
    descending: _Flags = False,
    nulls_first: _Flags = False,
    nan_order: Union[str, Iterable[str]] = "last",
    machine: Optional[Machine] = None,
) -> list[NDArray[_Item]]: ...
@overload
def sort_rows(
    columns: Iterable[_Array],
    *,
    descending: _Flags = False,
    nulls_first: _Flags = False,
    nan_order: Union[str, Iterable[str]] = "last",
    machine: Optional[Machine] = None,
) -> list[_Array]: ...
@overload
def sort_rows(
    columns: Any,
    *,
    descending: _Flags = False,
    nulls_first: _Flags = False,
    nan_order: Union[str, Iterable[str]] = "last",
    machine: Optional[Machine] = None,
) -> Any: ...
def partition(
    a: Any,
    kth: ArrayLike,
    axis: Optional[int] = -1,
    kind: Literal["introselect"] = "introselect",
    order: Union[None, str, Iterable[str]] = None,
    *,
    machine: Optional[Machine] = None,
) -> Any: ...
def argpartition(
    a: Any,
    kth: ArrayLike,
    axis: Optional[int] = -1,
    kind: Literal["introselect"] = "introselect",
    order: Union[None, str, Iterable[str]] = None,
    *,
    machine: Optional[Machine] = None,
) -> Any: ...
def lexsort(keys: Any, *, machine: Optional[Machine] = None) -> _Index: ...
def searchsorted(
    a: Any,
    v: Any,
    side: Literal["left", "right"] = "left",
    sorter: Optional[ArrayLike] = None,
    *,
    machine: Optional[Machine] = None,
) -> Any: ...
@overload
def merge_sorted(
    a: NDArray[_Item],
    b: NDArray[_Item],
    *,
    descending: bool = False,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> NDArray[_Item]: ...
@overload
def merge_sorted(
    a: _Array, b: _Array, *, descending: bool = False, total_order: bool = False, machine: Optional[Machine] = None
) -> _Array: ...
@overload
def merge_sorted(
    a: ArrayLike,
    b: ArrayLike,
    *,
    descending: bool = False,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> NDArray[Any]: ...
def spgemm(a: _Matrix, b: Any, *, machine: Optional[Machine] = None) -> _Matrix: ...
def unique(
    a: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    *,
    machine: Optional[Machine] = None,
) -> Any: ...
def rank(
    a: Any,
    method: Literal["average", "min", "max", "dense", "ordinal"] = "average",
    *,
    descending: bool = False,
    machine: Optional[Machine] = None,
) -> NDArray[Any]: ...
def argsort_strings(strings: Any, *, descending: bool = False, machine: Optional[Machine] = None) -> _Index: ...
@overload
def sort_strings(
    strings: NDArray[_Item], *, descending: bool = False, machine: Optional[Machine] = None
) -> NDArray[_Item]: ...
@overload
def sort_strings(
    strings: Union[Sequence[AnyStr], Set[AnyStr], Iterator[AnyStr]],
    *,
    descending: bool = False,
    machine: Optional[Machine] = None,
) -> list[AnyStr]: ...
@overload
def sort_strings(strings: Any, *, descending: bool = False, machine: Optional[Machine] = None) -> Any: ...

_Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]
_Text = Union[str, bytes, bytearray, memoryview, NDArray[Any]]

class SuffixArray(NamedTuple):
    sa: Optional[NDArray[Any]]
    lcp: Optional[NDArray[Any]]
    bwt: Optional[bytes]

class Hits(NamedTuple):
    record: NDArray[np.uint64]
    offset: NDArray[np.uint64]
    reverse: NDArray[np.bool_]

class Matches(NamedTuple):
    query: NDArray[np.uint64]
    begin: NDArray[np.uint64]
    record: NDArray[np.uint64]
    offset: NDArray[np.uint64]
    reverse: NDArray[np.bool_]
    length: NDArray[np.uint64]

class Ranges(NamedTuple):
    record: NDArray[np.uint64]
    begin: NDArray[np.uint64]
    end: NDArray[np.uint64]

class Repeats(NamedTuple):
    length: NDArray[np.uint64]
    count: NDArray[np.uint64]  # type: ignore[assignment]
    first: NDArray[np.uint64]
    at: Hits

@overload
def suffix_array(
    text: Union[_Text, Sequence[_Text]],
    *,
    sa: bool = True,
    lcp: Literal[False] = False,
    bwt: Literal[False] = False,
    machine: Optional[Machine] = None,
) -> NDArray[Any]: ...
@overload
def suffix_array(
    text: Union[_Text, Sequence[_Text]],
    *,
    sa: bool = True,
    lcp: Literal[True],
    bwt: bool = False,
    machine: Optional[Machine] = None,
) -> SuffixArray: ...
@overload
def suffix_array(
    text: Union[_Text, Sequence[_Text]],
    *,
    sa: bool = True,
    lcp: bool = False,
    bwt: Literal[True],
    machine: Optional[Machine] = None,
) -> SuffixArray: ...
@overload
def suffix_array(
    text: Union[_Text, Sequence[_Text]],
    *,
    sa: bool = True,
    lcp: bool = False,
    bwt: bool = False,
    machine: Optional[Machine] = None,
) -> Union[NDArray[Any], SuffixArray]: ...

class Index:
    def __init__(self, prefix: _Path) -> None: ...
    @classmethod
    def open(cls, prefix: _Path) -> Index: ...
    @classmethod
    def build(
        cls,
        inputs: Union[_Path, Iterable[_Path]],
        prefix: _Path,
        *,
        lcp: bool = False,
        bwt: bool = False,
        options: Sequence[str] = (),
        progress: Optional[Callable[[str], Any]] = None,
    ) -> Index: ...
    @classmethod
    def merge(
        cls,
        first: Union[Index, _Path],
        second: Union[Index, _Path],
        prefix: _Path,
        *,
        options: Sequence[str] = (),
        progress: Optional[Callable[[str], Any]] = None,
    ) -> Index: ...
    def add(
        self,
        inputs: Union[_Path, Iterable[_Path]],
        *,
        options: Sequence[str] = (),
        progress: Optional[Callable[[str], Any]] = None,
    ) -> None: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def starts(self) -> NDArray[np.uint64]: ...
    @property
    def arrays(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def array(self, name: str) -> NDArray[Any]: ...
    @overload
    def count(self, patterns: Union[str, bytes]) -> int: ...  # type: ignore[overload-overlap]
    @overload
    def count(self, patterns: Iterable[_Text]) -> NDArray[np.uint64]: ...
    def locate(self, pattern: _Text) -> Hits: ...
    def mem(
        self,
        queries: Union[_Text, Iterable[_Text]],
        min_length: int = 20,
        *,
        unique: bool = False,
        rare: Optional[int] = None,
        super_maximal: bool = False,
        both_strands: bool = False,
    ) -> Matches: ...
    @overload
    def ms(self, queries: Union[str, bytes]) -> NDArray[np.uint64]: ...  # type: ignore[overload-overlap]
    @overload
    def ms(self, queries: Iterable[_Text]) -> list[NDArray[np.uint64]]: ...
    def duplicates(
        self,
        min_length: int,
        *,
        keep: Literal["none", "first", "longest"] = "first",
        scope: Literal["anywhere", "within", "across"] = "anywhere",
        against: Optional[Union[Index, _Path]] = None,
        options: Sequence[str] = (),
        progress: Optional[Callable[[str], Any]] = None,
    ) -> Ranges: ...
    def repeats(self, min_length: int, *, limit: Optional[int] = None) -> Repeats: ...
    def unique(self, length: int) -> NDArray[np.uint64]: ...

class RunLengthIndex(Index):
    def __init__(
        self,
        files: Union[_Path, Iterable[_Path]],
        prefix: Optional[_Path] = None,
        *,
        device: Optional[str] = None,
        options: Sequence[str] = (),
        progress: Optional[Callable[[str], Any]] = None,
    ) -> None: ...
    @classmethod
    def open(cls, prefix: _Path) -> RunLengthIndex: ...
    def save(self, prefix: _Path) -> None: ...

class Drafts(NamedTuple):
    tokens: Any
    lengths: Any
    matched: Any

class TokenIndex:
    def __init__(self, max_match: int = 32, *, machine: Optional[Machine] = None) -> None: ...
    def __len__(self) -> int: ...
    def assign(self, tokens: Any) -> None: ...
    def append(self, tokens: Any) -> None: ...
    def draft(
        self,
        contexts: Any,
        max_tokens: int,
        *,
        lengths: Optional[Any] = None,
        out: Optional[Sequence[Any]] = None,
    ) -> Drafts: ...

def aligner_index(
    inputs: Union[_Path, Iterable[_Path]],
    prefix: _Path,
    aligner: str,
    *,
    options: Sequence[str] = (),
    progress: Optional[Callable[[str], Any]] = None,
) -> None: ...
def tool_path(tool: str) -> str: ...
def run_tool(tool: str, arguments: Iterable[_Path], *, progress: Optional[Callable[[str], Any]] = None) -> int: ...
def sort_file(
    inputs: Union[_Path, Iterable[_Path]],
    output: _Path,
    *,
    tool: Optional[str] = None,
    options: Sequence[str] = (),
    device: Optional[str] = None,
    progress: Optional[Callable[[str], Any]] = None,
) -> None: ...
