#!/usr/bin/env python3
"""site_links.py SITE: checks that every link of the site leads to a file and a place in it that are there; prints how many."""

import html.parser
import os
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.names, self.links = {"", "__top"}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.names |= {value for key in ("id", "name") if (value := attributes.get(key))}
        self.links += [value for key in ("href", "src") if (value := attributes.get(key))]


def main() -> int:
    site = pathlib.Path(sys.argv[1])
    pages = {str(file.relative_to(site)): Page(file.read_text()) for file in site.rglob("*.html")}
    links, anchors, wrong = 0, 0, []
    for name, page in pages.items():
        if name == "404.html":  # whose links begin at the root of the server
            continue
        for link in page.links:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(name), urllib.parse.unquote(url.path))) if url.path else name
            path = os.path.join(path, "index.html") if (site / path).is_dir() else path
            links, anchors = links + 1, anchors + bool(url.fragment)
            if not (site / path).is_file():
                wrong.append(f"{name}: no {link}")
            elif url.fragment and path in pages and urllib.parse.unquote(url.fragment) not in pages[path].names:
                wrong.append(f"{name}: no place {link}")
    print(*wrong, f"{len(pages)} pages, {links} links, {anchors} of them to a place in a page", sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
