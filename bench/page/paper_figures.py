"""The tables and figures of the five papers: the lists of their pages in one place."""

import papers
from page import Results, Values, table


def values(results: Results) -> Values:
    found = {}
    for page in papers.PAGES:
        if figures := results.figures.get(page):
            body = [results.of_figure(one, page) for one in figures]
            found[page] = table(["", "shows", "here"], body)
    return found
