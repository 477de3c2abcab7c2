"""Drafts from a text of tokens that grows."""

import sys
from collections import namedtuple
from operator import index as as_index

import numpy as np

from . import _machines
from . import _ordosort as core
from ._libraries import CuPy, NumPy, Torch, library_of, one_dimension

Drafts = namedtuple("Drafts", "tokens lengths matched")
Drafts.__doc__ = """Drafts of a batch of contexts: draft i is `tokens[i, :lengths[i]]`, and follows the last `matched[i]` tokens
of its context.

>>> import ordosort
>>> ordosort.Drafts._fields
('tokens', 'lengths', 'matched')
"""


def _has_32_bits(a):
    return str(a.dtype).rpartition(".")[2] in ("int32", "uint32")


def _tokens(name, a):
    """Returns the library of an array of tokens, and the array: contiguous, of 32 bits."""
    library, a = library_of(a, name)
    if library not in (NumPy, CuPy, Torch):
        raise TypeError(f"{name}: {type(a).__module__}, where arrays of NumPy, CuPy or PyTorch are expected")
    if library is NumPy and not _has_32_bits(a):
        if a.size != 0 and a.dtype.kind not in "iu":
            raise TypeError(f"{name}: dtype {a.dtype}, where integers are expected")
        if a.size != 0 and not -1 <= int(a.min()) <= int(a.max()) < 2**32:
            raise ValueError(f"{name}: a token that is neither -1 nor of 32 bits")
        a = a.astype(np.int64).astype(np.uint32)
    elif not _has_32_bits(a):
        raise TypeError(f"{name}: dtype {a.dtype}, where int32 or uint32 is expected")
    return library, library.contiguous(a)


def _new(library, like, shape):
    """Returns an array of int32 of -1, where `like` is."""
    if library is Torch:
        torch = sys.modules["torch"]
        return torch.full(shape, -1, dtype=torch.int32, device=like.device)
    return (np if library is NumPy else sys.modules["cupy"]).full(shape, -1, np.int32)


def _check(name, is_of_library, array, shape):
    if not is_of_library:
        raise TypeError(f"{name}: not in the library of the contexts")
    if tuple(array.shape) != shape:
        raise ValueError(f"{name}: shape {tuple(array.shape)}, where {shape} is expected")


class TokenIndex:
    """Drafts of continuations from a text of tokens that grows, for speculative decoding: the tokens that followed the longest
    string that a context ends with.

    Tokens are of 32 bits. The token -1, or 2**32 - 1, ends a document: no match has it, and no draft. The text is where the
    first array of `assign` or `append` is, on the host or on a GPU, and all other arrays are there, too: of NumPy, CuPy or
    PyTorch. On a GPU, calls work on the current stream of the library. Any number of threads may use one index, in turn.

    max_match: the maximum number of tokens of a context that are compared.
    machine: an ordosort.Machine, whose device, threads and limit of memory are used; by default the module's.

    >>> import ordosort
    >>> index = ordosort.TokenIndex()
    >>> index.append([1, 2, 3, 4, 1, 2, 5])
    >>> index.draft([[9, 2, 3], [4, 1, 2]], 2).tokens.tolist()
    [[4, 1], [5, -1]]
    """

    def __init__(self, max_match=32, *, machine=None):
        max_match = as_index(max_match)
        if max_match <= 0:
            raise ValueError(f"max_match: {max_match}, where a number above 0 is expected")
        self._index = core.TokenIndex(_machines.chosen(machine), max_match)

    def __len__(self):
        """Returns the number of tokens of the text."""
        return self._index.size()

    def assign(self, tokens):
        """Replaces the text by an array of tokens. On a GPU it waits."""
        self._put(self._index.assign, tokens)

    def append(self, tokens):
        """Appends an array of tokens to the text. On a GPU it waits. Takes O(m log m) time for the m tokens that were appended
        since all were sorted, which they are when these are an eighth of the text."""
        self._put(self._index.append, tokens)

    def _put(self, call, tokens):
        library, tokens = _tokens("tokens", tokens)
        one_dimension("tokens", tokens)
        call(tokens, library.stream(tokens))

    def draft(self, contexts, max_tokens, *, lengths=None, out=None):
        """Returns Drafts of at most `max_tokens` tokens for a batch of contexts, as int32.

        contexts: an array with a row for each context.
        lengths: of each context, which is at the begin of its row; by default all of the row.
        out: Drafts of an earlier call, or of arrays of 32 bits, that are written and returned. What follows the end of a draft
            in its row is not written.

        With `lengths` and `out`, a call on a GPU neither waits nor allocates memory, and a CUDA graph can capture it. The graph
        drafts from the text as it is at each launch. Launches are ordered with other calls of the index, as on one stream they
        are.
        """
        max_tokens = as_index(max_tokens)
        if max_tokens < 0:
            raise ValueError(f"max_tokens: {max_tokens}, where a number that is not negative is expected")
        library, contexts = _tokens("contexts", contexts)
        if len(contexts.shape) != 2:
            raise ValueError(f"contexts: {len(contexts.shape)} dimensions, where two are expected")
        count, width = (int(size) for size in contexts.shape)
        if lengths is None:
            lengths = _new(library, contexts, (count,))
            lengths[...] = width
        else:
            of_lengths, lengths = _tokens("lengths", lengths)
            _check("lengths", of_lengths is library, lengths, (count,))
        shapes = (count, max_tokens), (count,), (count,)
        if out is None:
            out = Drafts(*(_new(library, contexts, shape) for shape in shapes))
        else:
            out = Drafts(*out)
            for field, array, shape in zip(out._fields, out, shapes):
                _check(f"out.{field}", library_of(array)[0] is library, array, shape)
                if not _has_32_bits(array):
                    raise TypeError(f"out.{field}: dtype {array.dtype}, where int32 or uint32 is expected")
                if not library.is_contiguous(array):
                    raise ValueError(f"out.{field}: not contiguous, or not to be written")
        self._index.draft(contexts, lengths, *out, library.stream(contexts))
        return out
