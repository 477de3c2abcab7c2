"""Suffix arrays and indexes, in files and of tokens that grow."""

import os
import shutil
import sys
import tempfile
from collections import namedtuple
from operator import index as as_index

import numpy as np

from . import _machines
from . import _ordosort as core
from ._libraries import CuPy, NumPy, Torch, library_of, one_dimension

SuffixArray = namedtuple("SuffixArray", "sa lcp bwt")
SuffixArray.__doc__ = """A suffix array with its LCP array and its BWT; None for those that were not asked for.

>>> import ordosort
>>> ordosort.suffix_array("banana", lcp=True).lcp
array([0, 1, 3, 0, 0, 2], dtype=uint32)
"""
Hits = namedtuple("Hits", "record offset reverse")
Hits.__doc__ = """Where a pattern occurs: the number of the record, the offset in it, and whether it is on the reverse strand.

>>> import ordosort
>>> ordosort.Hits._fields
('record', 'offset', 'reverse')
"""
Matches = namedtuple("Matches", "query begin record offset reverse length")
Matches.__doc__ = """Maximal exact matches: `length` letters that begin at the offset `begin` of a query, and at the offset
`offset` of a record, and whether the record has their reverse complement. Both offsets count on the forward strand.

>>> import ordosort
>>> ordosort.Matches._fields
('query', 'begin', 'record', 'offset', 'reverse', 'length')
"""
Ranges = namedtuple("Ranges", "record begin end")
Ranges.__doc__ = """Letters of records: from `begin` to before `end`, which count from the begin of the record.

>>> import ordosort
>>> ordosort.Ranges._fields
('record', 'begin', 'end')
"""
Repeats = namedtuple("Repeats", "length count first at")
Repeats.__doc__ = """Maximal repeats: repeat r has `length[r]` letters, occurs `count[r]` times, and is at the hits from
`first[r]` to `first[r + 1]` of `at`.

>>> import ordosort
>>> ordosort.Repeats._fields
('length', 'count', 'first', 'at')
"""


def _bytes_of(text, name):
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    if isinstance(text, np.ndarray):
        if text.dtype.itemsize != 1 or text.dtype.kind not in "uiSb":
            raise TypeError(f"{name}: dtype {text.dtype}, where bytes are expected")
        if np.ma.is_masked(text):
            raise ValueError(f"{name}: masked items, where none are expected: fill or drop them")
        return np.ascontiguousarray(text).view(np.uint8)
    return memoryview(text).cast("B") if not isinstance(text, bytes) else text


def suffix_array(text, *, sa=True, lcp=False, bwt=False, machine=None):
    """Returns the suffix array of a text, as uint32, or uint64 for texts of 4 GiB and more. A suffix that is a prefix of
    another one is smaller.

    text: bytes or anything with a buffer of bytes, str (encoded as UTF-8; positions count bytes), or a list of these: records,
        whose suffixes end with them. Equal suffixes compare by position.
    lcp, bwt: return a SuffixArray, also with the lengths of the longest common prefixes, and with the BWT as bytes: a row for
        the end of each record, then one for each entry of the suffix array.
    sa: without it, only these are returned, and a GPU keeps the order in its own memory.

    >>> import ordosort
    >>> ordosort.suffix_array("banana")
    array([5, 3, 1, 0, 4, 2], dtype=uint32)
    >>> ordosort.suffix_array("banana", sa=False, bwt=True).bwt
    b'annb$aa'
    """
    if not sa and not lcp and not bwt:
        raise ValueError("no array to build: suffix_array: sa, lcp and bwt are all False")
    starts, records = None, 1
    if isinstance(text, (list, tuple)):
        parts = [bytes(_bytes_of(part, "text")) for part in text]
        records = len(parts)
        starts = np.zeros(records, np.uint64)
        np.cumsum(np.fromiter(map(len, parts[:-1]), np.uint64, max(records - 1, 0)), out=starts[1:])
        text = b"".join(parts)
        if records == 0:
            starts, records = None, 1
    else:
        text = _bytes_of(text, "text")
    n = len(text)
    index = np.uint32 if core.index_fits(4, n, records) else np.uint64
    arrays = SuffixArray(
        np.empty(n, index) if sa else None,
        np.empty(n, index) if lcp else None,
        np.empty(n + records, np.uint8) if bwt else None,
    )
    core.build_suffix_array(_machines.chosen(machine), text, starts, *arrays)
    if not lcp and not bwt:
        return arrays.sa
    return arrays if arrays.bwt is None else arrays._replace(bwt=arrays.bwt.tobytes())


class Index:
    """An index in files, as `sufsort build` writes them: PREFIX.sa, PREFIX.seq and others.

    Its arrays are maps of the files. Any number of threads may use one index.

    >>> import ordosort, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.fa").write_text(">one\\nGATTACA\\n>two\\nTTAC\\n")
    >>> index = ordosort.Index.build(folder / "a.fa", folder / "a", lcp=True, bwt=True)
    >>> index.count(["TTA", "CAT"])
    array([2, 0], dtype=uint64)
    >>> index.locate("TTA")
    Hits(record=array([0, 1], dtype=uint64), offset=array([2, 0], dtype=uint64), reverse=array([False, False]))
    """

    def __init__(self, prefix):
        """Opens an index. @raises InputError for files that are missing, truncated or malformed"""
        self._prefix = os.fsencode(prefix)
        self._stored = core.StoredIndex(self._prefix)

    @classmethod
    def open(cls, prefix):
        """Opens an index."""
        return cls(prefix)

    @classmethod
    def build(cls, inputs, prefix, *, lcp=False, bwt=False, options=(), progress=None):
        """Builds an index of FASTA files with `sufsort build`, and opens it.

        inputs: a path, or a list of paths.
        options: other options of `sufsort build`, as ["--strands=both"].
        progress: called with a line of text as the work goes on.
        """
        from ._files import run_tool

        paths = [inputs] if isinstance(inputs, (str, bytes, os.PathLike)) else list(inputs)
        flags = [flag for flag, wanted in (("--lcp", lcp), ("--bwt", bwt)) if wanted]
        run_tool("sufsort", ["build", *flags, *options, "-o", prefix, "--", *paths], progress=progress)
        return cls(prefix)

    @classmethod
    def merge(cls, first, second, prefix, *, options=(), progress=None):
        """Merges two indexes to one of the records of both with `sufsort merge`, and opens it.

        first, second: an Index or the prefix of one.
        prefix: of the result; may be that of `first` or `second`.

        >>> import ordosort, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "a.fa").write_text(">one\\nGATTACA\\n"), (folder / "b.fa").write_text(">two\\nTTAC\\n")
        >>> a, b = (ordosort.Index.build(folder / f"{name}.fa", folder / name) for name in "ab")
        >>> ordosort.Index.merge(a, b, folder / "both").count("TTA")
        2
        """
        from ._files import run_tool

        prefixes = [each._prefix if isinstance(each, cls) else each for each in (first, second)]
        run_tool("sufsort", ["merge", *options, "-o", prefix, "--", *prefixes], progress=progress)
        return cls(prefix)

    def add(self, inputs, *, options=(), progress=None):
        """Adds the records of files to the index with `sufsort add`, and opens it again. Arrays of before keep what they show.

        inputs: a path, or a list of paths.

        >>> import ordosort, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "a.fa").write_text(">one\\nGATTACA\\n"), (folder / "b.fa").write_text(">two\\nTTAC\\n")
        >>> index = ordosort.Index.build(folder / "a.fa", folder / "a")
        >>> index.add(folder / "b.fa")
        >>> index.names
        ['one', 'two']
        """
        from ._files import run_tool

        paths = [inputs] if isinstance(inputs, (str, bytes, os.PathLike)) else list(inputs)
        run_tool("sufsort", ["add", *options, "--", self._prefix, *paths], progress=progress)
        self._stored = core.StoredIndex(self._prefix)

    @property
    def names(self):
        """The names of the records, as a list of str."""
        return [name.decode("utf-8", "surrogateescape") for name in self._stored.names()]

    @property
    def starts(self):
        """The position at which each record begins in the text."""
        return np.frombuffer(self._stored.starts(), np.uint64)

    @property
    def arrays(self):
        """The names of the arrays that the index has."""
        return list(self._stored.arrays())

    def __len__(self):
        return self._stored.residues()

    def array(self, name):
        """Returns a read-only map of an array: "sa", "lcp", "bwt", "seq", "kmers" or "pieces". Entries of 40 bits are rows of 5
        bytes."""
        if name not in self.arrays:
            raise KeyError(name)
        stored = self._stored.array(name)
        if name in ("bwt", "seq"):
            return stored
        if name == "pieces":
            return stored.view(np.uint64).reshape(3, -1)
        width = self._stored.width()
        return stored.reshape(-1, 5) if width == 40 else stored.view(f"<u{width // 8}")

    def count(self, patterns):
        """Returns how often a pattern occurs; for a list of patterns an array."""
        if isinstance(patterns, (str, bytes)):
            return int(self.count([patterns])[0])
        patterns = [bytes(_bytes_of(pattern, "pattern")) for pattern in patterns]
        counts = np.empty(len(patterns), np.uint64)
        self._stored.count(patterns, counts)
        return counts

    def locate(self, pattern):
        """Returns the Hits of a pattern, in the order of the text."""
        return _hits(self._stored.locate(bytes(_bytes_of(pattern, "pattern"))))

    def mem(self, queries, min_length=20, *, unique=False, rare=None, super_maximal=False, both_strands=False):
        """Returns the maximal exact Matches of a query or of a list of queries, in the order in which `sufsort mem` prints them.
        They are found on all threads of the CPU. `run_tool` calls the program, which also reads files, takes circular records
        and uses a GPU.

        min_length: of matches, in letters.
        unique: only strings that occur once in the text and once in the query.
        rare: only strings that occur at most so often in the text.
        super_maximal: only matches that lie within no longer match of the query, on any strand.
        both_strands: matches of the reverse complement, too.

        >>> import ordosort, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "a.fa").write_text(">one\\nGATTACA\\n>two\\nTTAC\\n")
        >>> index = ordosort.Index.build(folder / "a.fa", folder / "a")
        >>> index.mem("CCTTACAG", 4).length
        array([5, 4], dtype=uint64)
        """
        min_length, occurrences = as_index(min_length), as_index(1 if unique or rare is None else rare)
        for name, number in (("min_length", min_length), ("rare", occurrences)):
            if not 0 < number < 2**63:
                raise ValueError(f"{name}: {number}, where a number above 0 is expected")
        if rare is None and not unique:
            occurrences = 0  # any number
        query, begin, record, offset, reverse, length = self._stored.mem(
            _queries_of(queries), min_length, occurrences, bool(unique), bool(super_maximal), bool(both_strands)
        )
        numbers = [np.frombuffer(column, np.uint64) for column in (query, begin, record, offset, length)]
        return Matches(*numbers[:4], np.frombuffer(reverse, np.bool_), numbers[4])

    def ms(self, queries):
        """Returns the matching statistics of a query: for each of its letters the length of the longest string that begins there
        and occurs in the text, within a record. For a list of queries, returns a list.

        >>> import ordosort, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "a.fa").write_text(">one\\nGATTACA\\n>two\\nTTAC\\n")
        >>> ordosort.Index.build(folder / "a.fa", folder / "a").ms("CCTTACAG")
        array([1, 1, 5, 4, 3, 2, 1, 1], dtype=uint64)
        """
        is_one = isinstance(queries, (str, bytes, bytearray, memoryview, np.ndarray))
        texts = _queries_of(queries)
        ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
        lengths = np.empty(int(ends[-1]) if len(texts) else 0, np.uint64)
        self._stored.ms(texts, lengths)
        return lengths if is_one else np.split(lengths, ends[:-1]) if texts else []

    def duplicates(self, min_length, *, keep="first", scope="anywhere", against=None, options=(), progress=None):
        """Returns the Ranges of letters that are in copies of at least `min_length` letters, with `sufsort duplicates`.

        keep: "first" of equal strings, the one in the "longest" record, or "none".
        scope: of the copies: "anywhere", "within" a record, or "across" records.
        against: an Index or the prefix of one: what occurs there is found instead of copies.
        options: other options of `sufsort duplicates`, as ["--memory=8G"].

        >>> import ordosort, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "a.fa").write_text(">one\\nGATTACA\\n>two\\nTTAC\\n")
        >>> ordosort.Index.build(folder / "a.fa", folder / "a").duplicates(4)
        Ranges(record=array([1], dtype=uint64), begin=array([0], dtype=uint64), end=array([4], dtype=uint64))
        """
        import tempfile

        from ._files import run_tool

        if scope not in ("anywhere", "within", "across"):
            raise ValueError(f"scope: {scope!r} is none of 'anywhere', 'within' and 'across'")
        flags = [f"--min-length={as_index(min_length)}", "--format=pairs", f"--keep={keep}"]
        if scope != "anywhere":
            flags.append(f"--{scope}")
        if against is not None:
            other = against._prefix if isinstance(against, Index) else os.fsencode(against)
            flags.append(b"--against=" + other)
        with tempfile.TemporaryDirectory(prefix="ordosort-") as folder:
            pairs = os.path.join(folder, "pairs")
            run_tool("sufsort", ["duplicates", *flags, *options, "-o", pairs, "--", self._prefix], progress=progress)
            begin, end = np.fromfile(pairs, "<u8").reshape(-1, 2).T
        record = np.searchsorted(self.starts, begin, "right") - 1
        first = self.starts[record]
        return Ranges(record.astype(np.uint64), begin - first, end - first)

    def repeats(self, min_length, *, limit=None):
        """Returns the maximal Repeats of at least `min_length` letters, with at most `limit` hits each. Needs lcp and bwt."""
        length, count, first, at = self._stored.repeats(min_length, 2**63 - 1 if limit is None else limit)
        return Repeats(*(np.frombuffer(x, np.uint64) for x in (length, count, first)), _hits(at))

    def unique(self, length):
        """Returns for each position of the text how often the `length` letters from there on occur: 1 where they are unique, 0
        where a record or another letter than a nucleotide ends them. Needs lcp."""
        counts = np.empty(len(self), np.uint64)
        self._stored.unique(length, counts)
        return counts


class RunLengthIndex(Index):
    """An index of both strands of many genomes that are alike, as `sufsort build --fm=run-length` makes it.

    Genomes are inserted one after another, in memory that follows the number of runs of the BWT. Searches are count, locate,
    mem and ms; repeats, unique and duplicates need an Index.

    >>> import ordosort, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.fa").write_text(">a#1#chr\\nGATTACA\\n"), (folder / "b.fa").write_text(">b#1#chr\\nGATTCCA\\n")
    >>> index = ordosort.RunLengthIndex(folder / "a.fa")
    >>> index.add(folder / "b.fa")
    >>> index.count(["GATT", "AATC"])
    array([2, 2], dtype=uint64)
    >>> index.locate("TTAC")
    Hits(record=array([0], dtype=uint64), offset=array([2], dtype=uint64), reverse=array([False]))
    >>> index.save(folder / "both")
    >>> ordosort.RunLengthIndex.open(folder / "both").names
    ['a#1#chr', 'b#1#chr']
    """

    def __init__(self, files, prefix=None, *, device=None, options=(), progress=None):
        """Builds an index of FASTA files.

        files: a path, or a list of paths, each of a genome.
        prefix: of the files PREFIX.rlfm, PREFIX.pieces and PREFIX.json; without it, they are in a temporary folder, which is
            removed with this object.
        device: "cpu" or "gpu", which sorts the first genome and inserts the others. Searches are the work of the CPU.
        options: other options of `sufsort build`, as ["--fm-sample=64"].
        progress: called with a line of text as the work goes on.
        """
        from ._files import run_tool

        if prefix is None:
            self._folder = tempfile.TemporaryDirectory(prefix="ordosort-")
            prefix = os.path.join(self._folder.name, "index")
        paths = [files] if isinstance(files, (str, bytes, os.PathLike)) else list(files)
        flags = [] if device is None else [f"--device={device}"]
        run_tool("sufsort", ["build", "--fm=run-length", *flags, *options, "-o", prefix, "--", *paths], progress=progress)
        super().__init__(prefix)

    @classmethod
    def open(cls, prefix):
        """Opens an index. @raises InputError for one that is not of runs"""
        index = cls.__new__(cls)
        Index.__init__(index, prefix)
        if "rlfm" not in index.arrays:
            raise core.InputError(f"no runs: {os.fsdecode(prefix)}.json: build the index with --fm=run-length")
        return index

    def save(self, prefix):
        """Copies the index to PREFIX.rlfm, PREFIX.pieces and PREFIX.json. An index that is there is replaced."""
        to = os.fsencode(prefix)
        for end in (b".rlfm", b".pieces", b".json"):
            shutil.copyfile(self._prefix + end, to + end + b".part")
        for end in (b".rlfm", b".pieces", b".json"):
            os.replace(to + end + b".part", to + end)


def _queries_of(queries):
    """Returns the bytes of a query, or of each query of a list."""
    if isinstance(queries, (str, bytes, bytearray, memoryview, np.ndarray)):
        queries = [queries]
    return [bytes(_bytes_of(query, "queries")) for query in queries]


def aligner_index(inputs, prefix, aligner, *, options=(), progress=None):
    """Builds the index of an aligner of reads with `sufsort aligner-index`: the same files, to the byte, as its own program.

    inputs: a path of FASTA, or a list of paths.
    aligner: "bwa", "bwa-mem2", "minibwa", "bowtie", "bowtie-large", "star", "ropebwt3" or "ropebwt3-fmr".
    options: other options of `sufsort aligner-index`, as ["--index-letters=8"].

    >>> import ordosort, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.fa").write_text(">one\\nGATTACA\\n")
    >>> ordosort.aligner_index(folder / "a.fa", folder / "a.fa", "bwa")
    >>> sorted(path.suffix for path in folder.iterdir())
    ['.amb', '.ann', '.bwt', '.fa', '.pac', '.sa']
    """
    from ._files import run_tool

    paths = [inputs] if isinstance(inputs, (str, bytes, os.PathLike)) else list(inputs)
    run_tool("sufsort", ["aligner-index", f"--for={aligner}", *options, "-o", prefix, "--", *paths], progress=progress)


def _hits(columns):
    record, offset, reverse = columns
    return Hits(np.frombuffer(record, np.uint64), np.frombuffer(offset, np.uint64), np.frombuffer(reverse, np.bool_))


Drafts = namedtuple("Drafts", "tokens lengths matched")
Drafts.__doc__ = """Drafts of a batch of contexts: draft i is `tokens[i, :lengths[i]]`, and follows the last `matched[i]` tokens
of its context.

>>> import ordosort
>>> ordosort.Drafts._fields
('tokens', 'lengths', 'matched')
"""


def _has_32_bits(a):
    return str(a.dtype).rpartition(".")[2] in ("int32", "uint32")


def _as_tokens(name, a):
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


def _new_tokens(library, like, shape):
    """Returns an array of int32 of -1, where `like` is."""
    if library is Torch:
        torch = sys.modules["torch"]
        return torch.full(shape, -1, dtype=torch.int32, device=like.device)
    return (np if library is NumPy else sys.modules["cupy"]).full(shape, -1, np.int32)


def _check_batch(name, is_of_library, array, shape):
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
        library, tokens = _as_tokens("tokens", tokens)
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
        library, contexts = _as_tokens("contexts", contexts)
        if len(contexts.shape) != 2:
            raise ValueError(f"contexts: {len(contexts.shape)} dimensions, where two are expected")
        count, width = (int(size) for size in contexts.shape)
        if lengths is None:
            lengths = _new_tokens(library, contexts, (count,))
            lengths[...] = width
        else:
            of_lengths, lengths = _as_tokens("lengths", lengths)
            _check_batch("lengths", of_lengths is library, lengths, (count,))
        shapes = (count, max_tokens), (count,), (count,)
        if out is None:
            out = Drafts(*(_new_tokens(library, contexts, shape) for shape in shapes))
        else:
            out = Drafts(*out)
            for field, array, shape in zip(out._fields, out, shapes):
                _check_batch(f"out.{field}", library_of(array)[0] is library, array, shape)
                if not _has_32_bits(array):
                    raise TypeError(f"out.{field}: dtype {array.dtype}, where int32 or uint32 is expected")
                if not library.is_contiguous(array):
                    raise ValueError(f"out.{field}: not contiguous, or not to be written")
        self._index.draft(contexts, lengths, *out, library.stream(contexts))
        return out
