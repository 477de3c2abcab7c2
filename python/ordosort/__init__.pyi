import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Optional, TypeVar, Union, overload

import numpy as np
from numpy.typing import ArrayLike

Array = TypeVar("Array")  # an array of NumPy, CuPy, PyTorch or JAX

__version__: str
built_with_cuda: bool

class InputError(OSError, ValueError): ...

class Machine:
    def __init__(self, device: str = "auto", *, threads: int = 0, memory_limit: int = 0) -> None: ...
    @staticmethod
    def all() -> list[Machine]: ...
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
def sort(
    a: Array,
    axis: Optional[int] = -1,
    kind: Optional[str] = None,
    *,
    descending: bool = False,
    out: Optional[Array] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> Array: ...
def argsort(
    a: Array,
    axis: Optional[int] = -1,
    kind: Optional[str] = None,
    *,
    descending: bool = False,
    out: Optional[Any] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> Any: ...
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
    share: Array, comm: Any, values: None = None, *, descending: bool = False, total_order: bool = False, machine: Optional[Machine] = None
) -> Array: ...
@overload
def sort_share(
    share: Array, comm: Any, values: Any, *, descending: bool = False, total_order: bool = False, machine: Optional[Machine] = None
) -> tuple[Array, Any]: ...
@overload
def sort_shares(
    shares: Sequence[Any], values: None = None, *, descending: bool = False, total_order: bool = False, machine: Optional[Machine] = None
) -> list[Any]: ...
@overload
def sort_shares(
    shares: Sequence[Any],
    values: Sequence[Any],
    *,
    descending: bool = False,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> tuple[list[Any], list[Any]]: ...
@overload
def segmented_sort(
    keys: Array,
    offsets: ArrayLike,
    values: None = None,
    *,
    ends: Optional[ArrayLike] = None,
    max_length: Optional[int] = None,
    descending: bool = False,
    out: Optional[Array] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> Array: ...
@overload
def segmented_sort(
    keys: Any,
    offsets: ArrayLike,
    values: Any,
    *,
    ends: Optional[ArrayLike] = None,
    max_length: Optional[int] = None,
    descending: bool = False,
    out: Optional[tuple[Any, Any]] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> tuple[Any, Any]: ...
def segmented_argsort(
    keys: Any,
    offsets: ArrayLike,
    *,
    ends: Optional[ArrayLike] = None,
    max_length: Optional[int] = None,
    descending: bool = False,
    out: Optional[Any] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> Any: ...
def top_k(
    a: Array, k: int, axis: int = -1, *, largest: bool = True, sorted: bool = True, machine: Optional[Machine] = None
) -> tuple[Array, Any]: ...
def segmented_top_k(
    keys: Array,
    offsets: ArrayLike,
    k: int,
    *,
    max_length: Optional[int] = None,
    largest: bool = True,
    machine: Optional[Machine] = None,
) -> tuple[Array, Any]: ...
def argsort_rows(
    columns: Sequence[Any], *, descending: Union[bool, Sequence[bool]] = False, machine: Optional[Machine] = None
) -> Any: ...
def sort_rows(
    columns: Sequence[Any], *, descending: Union[bool, Sequence[bool]] = False, machine: Optional[Machine] = None
) -> list[Any]: ...
def argsort_strings(strings: Any, *, descending: bool = False, machine: Optional[Machine] = None) -> np.ndarray: ...
def sort_strings(strings: Any, *, descending: bool = False, machine: Optional[Machine] = None) -> Any: ...

Path = Union[str, bytes, os.PathLike]
Text = Union[str, bytes, bytearray, memoryview, np.ndarray]

class SuffixArray(NamedTuple):
    sa: np.ndarray
    lcp: Optional[np.ndarray]
    bwt: Optional[bytes]

class Hits(NamedTuple):
    record: np.ndarray
    offset: np.ndarray
    reverse: np.ndarray

class Repeats(NamedTuple):
    length: np.ndarray
    count: np.ndarray
    first: np.ndarray
    at: Hits

def suffix_array(
    text: Union[Text, Sequence[Text]],
    *,
    sa: bool = True,
    lcp: bool = False,
    bwt: bool = False,
    machine: Optional[Machine] = None,
) -> Any: ...

class Index:
    def __init__(self, prefix: Path) -> None: ...
    @classmethod
    def open(cls, prefix: Path) -> Index: ...
    @classmethod
    def build(
        cls,
        inputs: Union[Path, Sequence[Path]],
        prefix: Path,
        *,
        lcp: bool = False,
        bwt: bool = False,
        options: Sequence[str] = (),
        progress: Optional[Callable[[str], Any]] = None,
    ) -> Index: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def starts(self) -> np.ndarray: ...
    @property
    def arrays(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def array(self, name: str) -> np.ndarray: ...
    @overload
    def count(self, patterns: Union[str, bytes]) -> int: ...
    @overload
    def count(self, patterns: Sequence[Text]) -> np.ndarray: ...
    def locate(self, pattern: Text) -> Hits: ...
    def repeats(self, min_length: int, *, limit: Optional[int] = None) -> Repeats: ...
    def unique(self, length: int) -> np.ndarray: ...

def tool_path(tool: str) -> str: ...
def run_tool(tool: str, arguments: Sequence[Path], *, progress: Optional[Callable[[str], Any]] = None) -> int: ...
def sort_file(
    inputs: Union[Path, Sequence[Path]],
    output: Path,
    *,
    tool: Optional[str] = None,
    options: Sequence[str] = (),
    device: Optional[str] = None,
    progress: Optional[Callable[[str], Any]] = None,
) -> None: ...
