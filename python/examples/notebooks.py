#!/usr/bin/env python3
"""Makes notebooks of the examples: python notebooks.py [--run] FOLDER

The text of a program and the titles of its cells become text, the cells become code. With --run each notebook is executed, in its
folder, and holds what it printed and plotted; that needs nbclient, ipykernel and matplotlib.
"""

import json
import pathlib
import re
import sys

EXAMPLES = ("clean_run", "deduplicate_lines", "reads_against_genome")


def cells_of(program):
    """Returns the cells of a program as pairs: whether it is code, and its text."""
    head, *rest = re.split(r"^# %%", program, flags=re.MULTILINE)
    text = " ".join(head.strip().strip('"').split())
    cells = [(False, text.partition(" The cells (# %%)")[0])]
    for cell in rest:
        title, _, code = cell.partition("\n")
        cells += [(False, "### " + title.strip()), (True, code.strip())]
    return cells


def notebook_of(program):
    """Returns the notebook of a program, as the values of its JSON (nbformat 4.5)."""
    cells = []
    for number, (is_code, text) in enumerate(cells_of(program)):
        cell = {"id": f"cell-{number}", "cell_type": "code" if is_code else "markdown", "metadata": {}}
        cell["source"] = text.splitlines(keepends=True)
        if is_code:
            cell.update(execution_count=None, outputs=[])
        cells.append(cell)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def run(path):
    """Executes a notebook, and stores what its cells print and plot."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, 4)
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(path.parent)}}).execute()
    nbformat.write(notebook, path)


def main(arguments):
    folders = [argument for argument in arguments if argument != "--run"]
    if len(folders) != 1 or folders[0].startswith("-"):
        sys.exit("usage: notebooks.py [--run] FOLDER")
    folder = pathlib.Path(folders[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name in EXAMPLES:
        program = pathlib.Path(__file__).with_name(f"{name}.py").read_text()
        path = folder / f"{name}.ipynb"
        path.write_text(json.dumps(notebook_of(program), indent=1) + "\n")
        if "--run" in arguments:
            run(path)
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
