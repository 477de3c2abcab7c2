"""The tables and figures of the five papers: the lists of their pages in one place."""

import papers
from page import SECOND_CARD, Results, Values, table


def values(results: Results) -> Values:
    found = {}
    for page in papers.PAGES:
        if figures := results.figures.get(page):
            body = [results.of_figure(one, page) for one in figures]
            header = ["", "shows", "here"]
            if results.other:
                header = ["", "shows", results.card.upper(), SECOND_CARD.upper()]
                body = [[*row, results.verdict_on_second_card(one, page)] for row, one in zip(body, figures)]
            found[page] = table(header, body)
    return found
