"""Columns of the Arrow C data interface as arrays of NumPy, in the memory where they are."""

import numpy as np

from . import _ordosort as core

_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}
# The formats of numbers: the type in memory, and that of NumPy.
_NAMES = {code: (dtype, dtype) for code, dtype in zip("cCsSiIlLefg", "i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split())}
_NAMES.update({"tdD": ("i4", "M8[D]"), "tdm": ("i8", "M8[ms]")})
for _code, _unit in _UNITS.items():
    _NAMES["tt" + _code] = ("i4" if _code in "sm" else "i8", f"m8[{_unit}]")
    _NAMES["tD" + _code] = ("i8", f"m8[{_unit}]")
_NUMBERS = {format: (np.dtype(held), np.dtype(shown)) for format, (held, shown) in _NAMES.items()}
_TIMES = {code: np.dtype(f"M8[{unit}]") for code, unit in _UNITS.items()}
_UINT8, _INT32, _INT64 = np.dtype(np.uint8), np.dtype(np.int32), np.dtype(np.int64)
# The formats of wider integers, and of decimals by their bits: the type in memory, and the number of ordo_type or 0.
_WIDE = {"_pli128": ("V16", 13), "_plu128": ("V16", 14)}  # of polars
_DECIMALS = {"32": ("i4", 0), "64": ("i8", 0), "128": ("V16", 13), "256": ("V32", 15)}
_STRINGS = {"u": np.int32, "z": np.int32, "U": np.int64, "Z": np.int64}

_HINTS = {
    "n": "a column of nulls alone has no type: cast it",
    "+": "nested values are not sorted: pass their fields as columns of argsort_rows",
    "t": "intervals have no order",
}


def has_interface(a):
    """Returns true for an object with Arrow's C data interface."""
    return hasattr(a, "__arrow_c_stream__") or hasattr(a, "__arrow_c_array__")


def _at(owner, address, length, dtype, skip=0):
    dtype = np.dtype(dtype)
    if length == 0 or not address:
        return np.empty(0, dtype) if length == 0 else np.zeros(length, dtype)
    return core.view(owner, address + skip * dtype.itemsize, length, dtype)


def _bits(owner, address, offset, length):
    """Returns `length` bits as an array of bool."""
    first = offset // 8
    octets = _at(owner, address, (offset + length + 7) // 8 - first, np.uint8, first)
    return np.unpackbits(octets, count=offset % 8 + length, bitorder="little")[offset % 8 :].view(np.bool_)


def times_of(values, format):
    """Returns integers of 32 or 64 bits, or numbers, as the type that NumPy has for a format of them."""
    held, shown = _NUMBERS[format] if format in _NUMBERS else (_INT64, _TIMES[format[2]])
    values = values.view(held)
    return values if shown == held else values.astype(_INT64, copy=False).view(shown)


class Validity:
    """Which items of a column are valid: a bitmap of Arrow, or an array of bool."""

    def __init__(self, bits=None, offset=0, valid=None):
        self._bits, self._offset, self._valid = bits, offset, valid

    def bitmap(self):
        """Returns the bitmap, and the number of its bits before the first item."""
        if self._bits is None:
            return np.packbits(self._valid, bitorder="little"), 0
        return self._bits, self._offset

    def valid(self, length):
        """Returns an array of bool."""
        if self._valid is None:
            end = self._offset + length
            self._valid = np.unpackbits(self._bits, count=end, bitorder="little")[self._offset :].view(np.bool_)
        return self._valid


def _validity(column, chunks):
    """Returns the validity of a column, or None if no item is null."""
    if len(chunks) == 1:
        length, offset, nulls, buffers = chunks[0]
        if nulls == 0 or not buffers or not buffers[0]:
            return None
        first = offset // 8
        found = Validity(_at(column, buffers[0], (offset + length + 7) // 8 - first, np.uint8, first), offset % 8)
        return None if nulls < 0 and found.valid(length).all() else found
    if all(nulls == 0 or not buffers or not buffers[0] for _, _, nulls, buffers in chunks):
        return None
    parts = [
        np.ones(length, np.bool_) if nulls == 0 or not buffers[0] else _bits(column, buffers[0], offset, length)
        for length, offset, nulls, buffers in chunks
    ]
    valid = np.concatenate(parts)
    return None if valid.all() else Validity(valid=valid)


def _joined(parts, dtype):
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, dtype)


class Numbers:
    """A column of numbers, dates or bools: values as they are in memory, the type that NumPy has for them or None, validity, and
    the number of ordo_type for integers of more than 64 bits, or 0."""

    def __init__(self, values, dtype, validity, wide=0):
        self.values, self.dtype, self.validity, self.wide = values, dtype, validity, wide

    def __len__(self):
        return len(self.values)

    def to_numpy(self):
        """Returns the values with NumPy's type."""
        if self.dtype == self.values.dtype:
            return self.values
        return self.values.astype(np.int64, copy=False).view(self.dtype)


class Strings:
    """A column of strings or bytes: `layout` is "offsets", "views" or "fixed", and `buffers` holds what that needs."""

    def __init__(self, layout, buffers, length, validity, format):
        self.layout, self.buffers, self.length, self.validity, self.format = layout, buffers, length, validity, format

    def __len__(self):
        return self.length

    def to_list(self):
        """Returns the strings as bytes, and nulls as None."""
        first = self.buffers[0]
        if self.layout == "offsets":
            bounds = self.buffers[1].tolist()
            items = [first[begin:end].tobytes() for begin, end in zip(bounds, bounds[1:])]
        elif self.layout == "fixed":
            items = [item.tobytes() for item in first]
        else:
            items = [self._view(item) for item in first]
        if self.validity is None:
            return items
        return [item if is_valid else None for item, is_valid in zip(items, self.validity.valid(self.length).tolist())]

    def _view(self, item):
        size = int(item["size"])
        if size <= 12:
            return item.tobytes()[4 : 4 + size]
        address = self.buffers[1][int(item["buffer"])] + int(item["offset"])
        return _at(self.buffers[2], address, size, np.uint8).tobytes()


class Dictionary:
    """A column of codes, and the values that they stand for, as Numbers or Strings."""

    def __init__(self, codes, values, validity, is_ordered):
        self.codes, self.values, self.validity, self.is_ordered = codes, values, validity, is_ordered


def _read_strings(column, format, chunks):
    length, validity = sum(chunk[0] for chunk in chunks), _validity(column, chunks)
    if format in _STRINGS:
        dtype, bytes_, offsets = _STRINGS[format], [], []
        for size, offset, _, (_, begins, data) in chunks:
            bounds = _at(column, begins, size + 1, dtype, offset)
            first, last = int(bounds[0]), int(bounds[-1])
            if len(chunks) == 1:
                return Strings("offsets", (_at(column, data, last, np.uint8), bounds), length, validity, format)
            before = sum(map(len, bytes_))
            bytes_.append(_at(column, data, last - first, np.uint8, first))
            offsets.append(bounds[:-1].astype(np.int64) + (before - first))
        offsets.append(np.array([sum(map(len, bytes_))], np.int64))
        return Strings("offsets", (_joined(bytes_, np.uint8), np.concatenate(offsets)), length, validity, format)
    if format.startswith("w:"):
        width = int(format[2:])
        items = [_at(column, data, size, f"V{width}", offset) for size, offset, _, (_, data) in chunks] if width else []
        return Strings("fixed", (_joined(items, f"V{width}"),), length, validity, format)
    view = np.dtype([("size", "i4"), ("start", "V4"), ("buffer", "i4"), ("offset", "i4")])
    views, addresses = [], []
    for size, offset, _, buffers in chunks:
        items = _at(column, buffers[1], size, view, offset)
        if addresses:
            items = items.copy()
            items["buffer"][items["size"] > 12] += len(addresses)
        views.append(items)
        addresses += buffers[2:-1]  # the last holds their lengths
    return Strings("views", (_joined(views, view), addresses, column), length, validity, format)


def read(column, name="array"):
    """Returns a column of the core's import_arrow as Numbers, Strings or a Dictionary. Refuses other types."""
    plain = column.plain_strings(_UINT8, _INT32, _INT64)
    if plain is not None:
        return Strings("offsets", plain, len(plain[1]) - 1, None, column.format)
    format, chunks = column.format, [chunk for chunk in column.chunks() if chunk[0] != 0]
    if column.is_dictionary:
        codes = _read_numbers(column, format, *_NUMBERS[format], chunks)
        parts = [read(values, name) for values, chunk in zip(column.dictionaries(), column.chunks()) if chunk[0] != 0]
        return _read_dictionary(column, codes, parts, chunks)
    if format == "b":
        parts = [_bits(column, buffers[1], offset, length) for length, offset, _, buffers in chunks]
        return Numbers(_joined(parts, np.bool_), np.dtype(np.bool_), _validity(column, chunks))
    if format.startswith("ts"):
        return _read_numbers(column, format, _INT64, _TIMES[format[2]], chunks)
    if format in _NUMBERS:
        return _read_numbers(column, format, *_NUMBERS[format], chunks)
    if format in _WIDE:
        return _read_wide(column, *_WIDE[format], chunks)
    if format.startswith("d:"):
        return _read_wide(column, *_DECIMALS[(format.split(",") + ["128"])[2]], chunks)
    if format in _STRINGS or format in ("vu", "vz") or format.startswith("w:"):
        return _read_strings(column, format, chunks)
    raise TypeError(f"{name}: Arrow format {format!r}: {_HINTS.get(format[:1], 'not a type of keys')}")


def _read_numbers(column, format, stored, dtype, chunks):
    parts = [_at(column, buffers[1], length, stored, offset) for length, offset, _, buffers in chunks]
    return Numbers(_joined(parts, stored), np.dtype(dtype), _validity(column, chunks))


def _read_wide(column, stored, wide, chunks):
    """Reads integers that NumPy has no type for, and decimals: these have one scale, and the order of their integers."""
    parts = [_at(column, buffers[1], length, stored, offset) for length, offset, _, buffers in chunks]
    values = _joined(parts, stored)
    if values.ctypes.data % 8 != 0:
        values = values.copy()
    return Numbers(values, None, _validity(column, chunks), wide)


def _read_dictionary(column, codes, parts, chunks):
    """Joins the dictionaries of the chunks, of which each has its own."""
    if not parts:
        return Dictionary(codes.values, Numbers(codes.values, codes.dtype, None), None, column.is_ordered)
    if len(parts) == 1:
        return Dictionary(codes.values, parts[0], codes.validity, column.is_ordered)
    if column.is_ordered:
        raise TypeError("several ordered dictionaries, of which each has codes of its own: combine the chunks")
    shifted, first, before = codes.values.astype(np.int64), 0, 0
    for (length, _, _, _), part in zip(chunks, parts):
        shifted[first : first + length] += before
        first, before = first + length, before + len(part)
    if isinstance(parts[0], Numbers):
        joined = np.concatenate([part.values for part in parts])
        valid = np.concatenate([_valid_of(part) for part in parts])
        values = Numbers(joined, parts[0].dtype, None if valid.all() else Validity(valid=valid), parts[0].wide)
    else:
        values = [s for part in parts for s in part.to_list()]
    return Dictionary(shifted, values, codes.validity, False)


def _valid_of(part):
    return np.ones(len(part), np.bool_) if part.validity is None else part.validity.valid(len(part))


def is_table(column):
    """Returns true for a struct, as tables are exported."""
    return column.format == "+s"


def import_column(a):
    """Returns the core's view of an object with Arrow's C data interface."""
    return core.import_arrow(a)
