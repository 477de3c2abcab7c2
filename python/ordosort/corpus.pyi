import os
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, Optional, Union

_Path = Union[str, os.PathLike[str]]
_Paths = Union[_Path, Iterable[_Path]]

__all__ = ["Deduplicated", "deduplicate"]

class Deduplicated(NamedTuple):
    shards: Any
    documents: Any
    bytes: Any
    removed: Any

def deduplicate(
    paths: _Paths,
    out: _Path,
    *,
    min_length: int,
    column: str = "text",
    keep: Literal["first", "longest", "best", "none"] = "first",
    score: Optional[str] = None,
    sources: Optional[Iterable[_Path]] = None,
    unit: Literal["strings", "lines", "paragraphs", "records", "words"] = "strings",
    annotate: Optional[str] = None,
    against: Optional[_Paths] = None,
    report: Optional[_Path] = None,
    memory: Optional[str] = None,
    work: Optional[_Path] = None,
    bad_lines: Optional[_Path] = None,
    options: Iterable[str] = (),
    progress: Optional[Callable[[str], Any]] = None,
) -> Deduplicated: ...
