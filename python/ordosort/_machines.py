"""The machine that functions use if they get none."""

from ._ordosort import Machine

_default = Machine()


def default_machine():
    """Returns the machine that functions use if they get none. It works where the arrays are.

    >>> import ordosort
    >>> ordosort.default_machine()
    ordosort.Machine('auto')
    """
    return _default


def set_default_machine(machine):
    """Sets the machine that functions use if they get none, and returns the one before.

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
