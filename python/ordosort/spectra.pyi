from __future__ import annotations

import os
from typing import Any, BinaryIO, Optional, Union

import numpy as np

from . import Machine

Source = Union[str, os.PathLike, bytes, BinaryIO]
Tolerance = Union[float, tuple[float, str]]

class Spectra:
    mz: np.ndarray
    intensity: np.ndarray
    offsets: np.ndarray
    precursor_mz: np.ndarray
    charge: np.ndarray
    rt_seconds: np.ndarray
    ms_level: np.ndarray
    titles: list[str]
    def __init__(
        self,
        mz: np.ndarray,
        intensity: np.ndarray,
        offsets: np.ndarray,
        precursor_mz: np.ndarray,
        charge: np.ndarray,
        rt_seconds: np.ndarray,
        ms_level: np.ndarray,
        titles: list[str],
    ) -> None: ...
    def __len__(self) -> int: ...
    def peaks(self, s: int) -> tuple[np.ndarray, np.ndarray]: ...
    def to_arrow(self) -> Any: ...
    @classmethod
    def from_arrow(cls, table: Any) -> Spectra: ...

def read_mgf(
    source: Source, *, name: Optional[str] = None, lenient: bool = False, machine: Optional[Machine] = None
) -> Spectra: ...
def read_mzml(
    source: Source, *, name: Optional[str] = None, lenient: bool = False, machine: Optional[Machine] = None
) -> Spectra: ...
def read_mzxml(
    source: Source, *, name: Optional[str] = None, lenient: bool = False, machine: Optional[Machine] = None
) -> Spectra: ...
def read_msp(
    source: Source, *, name: Optional[str] = None, lenient: bool = False, machine: Optional[Machine] = None
) -> Spectra: ...
def read_mzspeclib(
    source: Source, *, name: Optional[str] = None, lenient: bool = False, machine: Optional[Machine] = None
) -> Spectra: ...
def write_mgf(path: Union[str, os.PathLike], spectra: Spectra) -> None: ...
def write_parquet(
    path: Union[str, os.PathLike],
    spectra: Spectra,
    *,
    rows: str = "spectra",
    by: Optional[str] = "precursor_mz",
    row_group_size: int = 16384,
    names: Optional[dict[str, str]] = None,
    compression: str = "zstd",
) -> None: ...
def sort(
    mz: Any, intensity: Any, offsets: Any, *, by: str = "mz", descending: bool = False, machine: Optional[Machine] = None
) -> tuple[Any, Any]: ...
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
    remove_precursor: Optional[Tolerance] = None,
    remove_precursor_above: Optional[Tolerance] = None,
    all_charges: Optional[bool] = None,
    min_relative: Optional[float] = None,
    dedupe: Optional[Tolerance] = None,
    merge: Optional[Tolerance] = None,
    top: Optional[int] = None,
    per: Optional[float] = None,
    around: Optional[float] = None,
    min_peaks: Optional[int] = None,
) -> tuple[Any, Any, Any]: ...
