"""The examples of the docstrings."""

import doctest
import importlib
import importlib.util
import pkgutil
import shutil

import pytest

import ordosort

NEEDS = {"arrow": "pyarrow", "parquet": "pyarrow", "spgemm": "scipy"}  # the libraries of examples, by words of their functions
MODULES = ["ordosort", *(f"ordosort.{m.name}" for m in pkgutil.iter_modules(ordosort.__path__) if m.name != "_ordosort")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    if name in ("ordosort.jax", "ordosort.torch"):
        framework = name.partition(".")[2]
        if not importlib.util.find_spec(framework):
            pytest.skip(f"{framework} is not installed")
        if framework == "jax" and not shutil.which("c++"):
            pytest.skip("no C++ compiler, which the first sort of ordosort.jax needs")
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in doctest.DocTestFinder().find(module, name):
        needs = [library for word, library in NEEDS.items() if word in test.name]
        if all(map(importlib.util.find_spec, needs)):
            runner.run(test)
    assert runner.summarize().failed == 0


@pytest.mark.parametrize("name", ordosort.__all__)
def test_documented(name):
    assert getattr(ordosort, name).__doc__ or not callable(getattr(ordosort, name))
