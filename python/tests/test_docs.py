"""The examples of the docstrings."""

import doctest
import importlib
import pkgutil

import pytest

import ordosort

MODULES = ["ordosort", *(f"ordosort.{m.name}" for m in pkgutil.iter_modules(ordosort.__path__) if m.name != "_ordosort")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    results = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.failed == 0


@pytest.mark.parametrize("name", ordosort.__all__)
def test_documented(name):
    assert getattr(ordosort, name).__doc__ or not callable(getattr(ordosort, name))
