from typing import Any, Optional, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

Array = TypeVar("Array")  # an array of NumPy, CuPy, PyTorch or JAX

__version__: str
built_with_cuda: bool

class InputError(OSError, ValueError): ...

class Machine:
    def __init__(self, device: str = "auto", *, threads: int = 0, memory_limit: int = 0) -> None: ...
    @property
    def device(self) -> str: ...
    @property
    def threads(self) -> int: ...
    def reserve(self, bytes: int) -> None: ...
    def trim(self, max_bytes: int = 0) -> None: ...
    def peak_memory(self) -> int: ...
    def synchronize(self) -> None: ...

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
def segmented_sort(
    keys: Array,
    offsets: ArrayLike,
    values: None = None,
    *,
    ends: Optional[ArrayLike] = None,
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
    descending: bool = False,
    out: Optional[Any] = None,
    total_order: bool = False,
    machine: Optional[Machine] = None,
) -> Any: ...
