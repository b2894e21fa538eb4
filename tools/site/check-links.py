#!/usr/bin/env python3
"""check-links.py DIRECTORY -- every link and picture of the HTML pages below it leads to a file that is there, and to an anchor in it.

Addresses of other machines are listed by --outside, and not asked for. Status 1, with a line for each, when one leads nowhere.
"""
import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = set(), set()
        with open(path, encoding="utf-8") as f:
            self.feed(f.read())

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key in ("href", "src") and value:
                self.links.add(value)
            elif key in ("id", "name") and value:
                self.anchors.add(value)


is_outside = sys.argv[1:2] == ["--outside"]
root = sys.argv[-1]
pages, failed, outside = {}, 0, set()
for folder, _, files in os.walk(root):
    for name in files:
        if name.endswith(".html"):
            path = os.path.normpath(os.path.join(folder, name))
            pages[path] = Page(path)
for path, page in sorted(pages.items()):
    for link in sorted(page.links):
        to = urlsplit(link)
        if to.scheme or to.netloc:
            outside.add(link)
            continue
        target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(to.path))) if to.path else path
        if not os.path.exists(target):
            problem = "which is not there"
        elif to.fragment and target in pages and unquote(to.fragment) not in pages[target].anchors:
            problem = "which has no such anchor"
        else:
            continue
        failed += 1
        print(f"{os.path.relpath(path, root)}: {link}, {problem}")
if is_outside:
    print("\n".join(sorted(outside)))
elif not failed:
    print(f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links")
sys.exit(1 if failed or not pages else 0)
