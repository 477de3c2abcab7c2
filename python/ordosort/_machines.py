"""The machine that functions use if the caller passes none."""

from . import _ordosort as core
from ._ordosort import Machine

_default = Machine()


def chosen(machine):
    """Returns the machine of a call."""
    if machine is None:
        return _default
    if not isinstance(machine, Machine):
        raise TypeError(f"machine: {type(machine).__name__}, where an ordosort.Machine is expected")
    return machine


def default_machine():
    """Returns the machine that functions use if the caller passes none. It works where the arrays are.

    >>> import ordosort
    >>> ordosort.default_machine()
    ordosort.Machine('auto')
    """
    return _default


def set_default_machine(machine):
    """Sets the machine that functions use if the caller passes none, and returns the one before.

    >>> import ordosort
    >>> before = ordosort.set_default_machine(ordosort.Machine("cpu", threads=1))
    >>> ordosort.set_default_machine(before).threads
    1
    """
    global _default
    if not isinstance(machine, Machine):
        raise TypeError("machine: not an ordosort.Machine")
    before, _default = _default, machine
    return before


def gpus():
    """Returns the GPUs that the driver shows, as dictionaries of index, name, compute_capability and memory.

    >>> import ordosort
    >>> isinstance(ordosort.gpus(), list)
    True
    """
    return core.gpus()
