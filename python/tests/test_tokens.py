"""Drafts from a text of tokens, beside their definition."""

import importlib.util
import threading

import numpy as np
import pytest

import ordosort

SEPARATOR = 2**32 - 1


def plain(text, context, max_match, max_tokens):
    """Returns the length of the longest match, and all drafts that may follow it."""
    best, drafts = 0, {()}
    for p in range(1, len(text)):
        length = 0
        while length < min(len(context), max_match, p) and text[p - 1 - length] == context[-1 - length] != SEPARATOR:
            length += 1
        if length == 0 or length < best:
            continue
        if length > best:
            best, drafts = length, set()
        after = text[p : p + max_tokens]
        drafts.add(tuple(after[: after.index(SEPARATOR)] if SEPARATOR in after else after))
    return best, drafts


def batch(random, text, rows, width):
    """Returns contexts in rows, some from the text, and their lengths."""
    contexts = random.integers(0, 6, (rows, width)).astype(np.uint32)
    lengths = random.integers(0, width + 1, rows).astype(np.uint32)
    for i in range(0, rows, 2):
        if len(text) > width:
            first = random.integers(0, len(text) - width)
            contexts[i] = text[first : first + width]
    return contexts, lengths


def check(drafts, text, contexts, lengths, max_match, max_tokens):
    for i, (context, length) in enumerate(zip(contexts, lengths)):
        matched, allowed = plain(text, context[:length].tolist(), max_match, max_tokens)
        assert drafts.matched[i] == matched
        assert tuple(drafts.tokens[i, : drafts.lengths[i]].tolist()) in allowed


@pytest.mark.parametrize("max_match", [1, 3, 32])
def test_definition(max_match):
    random = np.random.default_rng(72)
    index = ordosort.TokenIndex(max_match)
    text = []
    for size in (0, 1, 5, 60, 3, 200):
        more = random.choice(np.array([0, 1, 2, 5, SEPARATOR], np.uint32), size)
        index.append(more)
        text += more.tolist()
        assert len(index) == len(text)
        contexts, lengths = batch(random, text, 30, 12)
        out = None
        for max_tokens in 4, 4:
            out = index.draft(contexts, max_tokens, lengths=lengths, out=out)
            check(out, text, contexts, lengths, max_match, max_tokens)
    again = ordosort.TokenIndex(max_match, machine=ordosort.Machine("cpu", threads=1))
    again.assign(np.array(text, np.uint32).view(np.int32))
    check(again.draft(contexts, 9), text, contexts, [12] * 30, max_match, 9)


def test_inputs():
    index = ordosort.TokenIndex()
    with pytest.raises(ValueError, match="no text: draft: assign comes first"):
        index.draft([[1]], 1)
    index.assign([])
    assert index.draft([[1]], 1).lengths.tolist() == [0]
    index.append([7, 8, -1, 7])  # lists and 64-bit integers of the host
    index.append(np.array([9, 2**32 - 1]))
    drafts = index.draft([[8, 7]], 3)
    assert drafts.tokens.tolist() in ([[8, -1, -1]], [[9, -1, -1]])
    assert index.draft(np.empty((0, 5), np.int32), 3).tokens.shape == (0, 3)
    assert index.draft(np.empty((2, 0), np.int32), 0).matched.tolist() == [0, 0]
    strided = np.array([[8, 7], [0, 7]], np.int32).T
    assert index.draft(strided, 1).matched.tolist() == [0, 1]
    for wrong, error in (
        (lambda: index.append([2**32]), ValueError),
        (lambda: index.append([1.5]), TypeError),
        (lambda: index.append([[1]]), ValueError),
        (lambda: index.draft([1], 1), ValueError),
        (lambda: index.draft([[1]], -1), ValueError),
        (lambda: index.draft([[1]], 1, lengths=[1, 1]), ValueError),
        (lambda: index.draft([[1]], 2, out=drafts), ValueError),
        (lambda: index.draft([[1]], 3, out=[np.empty((1, 3)), *drafts[1:]]), TypeError),
        (lambda: index.draft([[1]], 3, out=[np.empty((3, 1), np.int32).T, *drafts[1:]]), ValueError),
        (lambda: ordosort.TokenIndex(0), ValueError),
    ):
        with pytest.raises(error):
            wrong()
    assert len(index) == 6


def test_threads():
    index = ordosort.TokenIndex()
    text = np.random.default_rng(1).integers(0, 50, 20000)
    index.assign(text)
    results = [None] * 4

    def draft(k):
        results[k] = [index.draft(text[k : k + 1000].reshape(50, 20), 4).tokens for _ in range(20)]

    threads = [threading.Thread(target=draft, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, result in enumerate(results):
        expected = index.draft(text[k : k + 1000].reshape(50, 20), 4).tokens
        assert all(np.array_equal(tokens, expected) for tokens in result)


@pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="no PyTorch")
def test_torch():
    import torch

    index = ordosort.TokenIndex()
    index.append(torch.tensor([1, 2, 3, 1, 2], dtype=torch.int32))
    drafts = index.draft(torch.tensor([[3, 1]], dtype=torch.int32), 2)
    assert isinstance(drafts.tokens, torch.Tensor) and drafts.tokens.tolist() == [[2, -1]]
    with pytest.raises(TypeError, match="int32"):
        index.append(torch.tensor([1]))


@pytest.mark.skipif(not importlib.util.find_spec("torch") or not ordosort.gpus(), reason="no PyTorch, or no GPU")
def test_torch_graph():
    import torch

    random = np.random.default_rng(5)
    index = ordosort.TokenIndex(16)
    index.assign(torch.empty(0, dtype=torch.int32, device="cuda"))
    contexts = torch.zeros((64, 20), dtype=torch.int32, device="cuda")
    lengths = torch.zeros(64, dtype=torch.int32, device="cuda")
    out = index.draft(contexts, 5, lengths=lengths)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        index.draft(contexts, 5, lengths=lengths, out=out)
    text = []
    for size in (300, 2, 2000, 100):
        more = random.integers(0, 6, size).astype(np.uint32)
        text += more.tolist()
        index.append(torch.from_numpy(more.view(np.int32)).cuda())
        rows, row_lengths = batch(random, text, 64, 20)
        contexts.copy_(torch.from_numpy(rows.view(np.int32)))
        lengths.copy_(torch.from_numpy(row_lengths.view(np.int32)))
        graph.replay()
        torch.cuda.synchronize()
        check(ordosort.Drafts(*(x.cpu().numpy() for x in out)), text, rows, row_lengths, 16, 5)
    with pytest.raises(ValueError, match="not on the device"):
        index.append(torch.tensor([1], dtype=torch.int32))
    with pytest.raises(ValueError, match="not on the device"):
        index.draft(torch.zeros((1, 1), dtype=torch.int32), 1)


@pytest.mark.skipif(not importlib.util.find_spec("cupy") or not ordosort.gpus(), reason="no CuPy, or no GPU")
def test_cupy():
    import cupy

    index = ordosort.TokenIndex()
    with cupy.cuda.Stream(non_blocking=True):
        index.append(cupy.array([1, 2, 3, 1, 2], cupy.int32))
        drafts = index.draft(cupy.array([[3, 1], [0, 2]], cupy.uint32), 2)
        assert drafts.tokens.get().tolist() == [[2, -1], [3, 1]]
