import os
from typing import Any, BinaryIO, Mapping, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import Machine

_Path = Union[str, os.PathLike[str]]
_Source = Union[_Path, bytes, BinaryIO]
_Tolerance = Union[float, tuple[float, str]]

__all__ = [
    "Spectra",
    "find_clusters",
    "find_pairs",
    "read_mgf",
    "read_msp",
    "read_mzml",
    "read_mzspeclib",
    "read_mzxml",
    "select",
    "sort",
    "write_arrow",
    "write_mgf",
    "write_parquet",
]

class Spectra:
    mz: NDArray[Any]
    intensity: NDArray[Any]
    offsets: NDArray[Any]
    precursor_mz: NDArray[Any]
    charge: NDArray[Any]
    rt_seconds: NDArray[Any]
    ms_level: NDArray[Any]
    scan: NDArray[Any]
    ion_mobility: NDArray[Any]
    polarity: NDArray[Any]
    titles: list[str]
    native_ids: list[str]
    sequences: list[str]
    def __init__(
        self,
        mz: NDArray[Any],
        intensity: NDArray[Any],
        offsets: NDArray[Any],
        precursor_mz: NDArray[Any],
        charge: NDArray[Any],
        rt_seconds: NDArray[Any],
        ms_level: NDArray[Any],
        titles: list[str],
        scan: Optional[NDArray[Any]] = None,
        ion_mobility: Optional[NDArray[Any]] = None,
        polarity: Optional[NDArray[Any]] = None,
        native_ids: Optional[list[str]] = None,
        sequences: Optional[list[str]] = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    def peaks(self, s: int) -> tuple[NDArray[Any], NDArray[Any]]: ...
    def to_arrow(self) -> Any: ...
    @classmethod
    def from_arrow(cls, table: Any) -> Spectra: ...

def read_mgf(
    source: _Source, *, name: Optional[str] = None, lenient: bool = False, machine: Optional[Machine] = None
) -> Spectra: ...
def read_mzml(
    source: _Source, *, name: Optional[str] = None, lenient: bool = False, machine: Optional[Machine] = None
) -> Spectra: ...
def read_mzxml(
    source: _Source, *, name: Optional[str] = None, lenient: bool = False, machine: Optional[Machine] = None
) -> Spectra: ...
def read_msp(
    source: _Source,
    *,
    name: Optional[str] = None,
    lenient: bool = False,
    rt_unit: Optional[str] = None,
    machine: Optional[Machine] = None,
) -> Spectra: ...
def read_mzspeclib(
    source: _Source, *, name: Optional[str] = None, lenient: bool = False, machine: Optional[Machine] = None
) -> Spectra: ...
def write_mgf(path: _Path, spectra: Spectra) -> None: ...
def write_parquet(
    path: _Path,
    spectra: Spectra,
    *,
    rows: str = "spectra",
    by: Optional[str] = "precursor_mz",
    row_group_size: int = 16384,
    names: Optional[dict[str, str]] = None,
    compression: str = "zstd",
) -> None: ...
def write_arrow(
    path: _Path,
    spectra: Spectra,
    *,
    rows: str = "spectra",
    by: Optional[str] = "precursor_mz",
    row_group_size: int = 16384,
    names: Optional[dict[str, str]] = None,
    compression: Optional[str] = "zstd",
) -> None: ...
def sort(
    mz: Any, intensity: Any, offsets: Any, *, by: str = "mz", descending: bool = False, machine: Optional[Machine] = None
) -> tuple[Any, Any]: ...
def find_pairs(
    spectra: Spectra,
    *,
    precursor: Optional[_Tolerance] = (20, "ppm"),
    min_cosine: float = 0.7,
    peaks: _Tolerance = 0.05,
    modified: bool = False,
    machine: Optional[Machine] = None,
) -> dict[str, NDArray[Any]]: ...
def find_clusters(
    count: int, pairs: Mapping[str, ArrayLike], *, method: str = "connected"
) -> NDArray[np.int64]: ...
def select(
    mz: Any,
    intensity: Any,
    offsets: Any,
    *,
    precursor_mz: Any = None,
    charge: Any = None,
    machine: Optional[Machine] = None,
    preset: Optional[str] = None,
    min_mz: Optional[float] = None,
    max_mz: Optional[float] = None,
    drop_zero: Optional[bool] = None,
    min_intensity: Optional[float] = None,
    remove_precursor: Optional[_Tolerance] = None,
    remove_precursor_above: Optional[_Tolerance] = None,
    all_charges: Optional[bool] = None,
    min_relative: Optional[float] = None,
    dedupe: Optional[_Tolerance] = None,
    merge: Optional[_Tolerance] = None,
    top: Optional[int] = None,
    per: Optional[float] = None,
    around: Optional[float] = None,
    min_peaks: Optional[int] = None,
) -> tuple[Any, Any, Any]: ...
