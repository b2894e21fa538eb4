"""look.py DIRECTORY -- the site in a browser, read from files: the search finds events, no page is wider than a telephone."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../html"))
from browser import Browser  # noqa: E402

os.chdir(sys.argv[1])
passed, failed = 0, 0


def check(is_so, text):
    global passed, failed
    passed += bool(is_so)
    failed += not is_so
    if not is_so:
        print("FAIL in the browser:", text)


def search(b, words):
    """The addresses that the search page gives, the best first."""
    b.open("index.html", 1600)
    b.run("document.querySelector('input[name=q]').value = %r" % words)
    b.waiting.clear()
    b.run("document.querySelector('form.search').submit()")
    links = []
    for _ in range(150):
        time.sleep(0.1)
        now = b.run("[...document.querySelectorAll('#search-results ul.search li a')].map(a => a.getAttribute('href'))")
        if now and now == links:
            return links
        links = now
    return links


with Browser() as b:
    for words, wanted in (("L2_LINES_IN", "events/p6/L2_LINES_IN.html"), ("BRANCHES", "events/p5/BRANCHES.html"),
                          ("longest legal instruction", "lab/03.html"), ("softpmu-annotate", "man/softpmu-annotate.1.html")):
        found = [link.split("?")[0].split("#")[0] for link in search(b, words)]
        check(wanted in found[:3], "a search for %s finds %s" % (words, found[:5]))
    for page in ("index.html", "events/p6/L2_LINES_IN.html", "events/p6/index.html", "docs/models/dcu.html", "lab/04.html",
                 "man/softpmu-stat.1.html", "docs/MODELS.html" if os.path.exists("docs/MODELS.html") else "docs/CLOCKS.html"):
        for width in (400, 1600):
            b.open(page, width)
            is_so = b.run("document.documentElement.scrollWidth")
            check(is_so <= width, "%s is %s pixels wide at %d" % (page, is_so, width))
            broken = b.run("[...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.getAttribute('src'))")
            check(not broken, "%s lacks pictures: %s" % (page, broken))
    check(not b.complaints, "complaints: %s" % b.complaints[:3])
    outside = [r for r in b.requests if not r.startswith(("file:", "data:", "about:"))]
    check(not outside, "it asks for %s" % outside[:3])
print("%d passed, %d failed" % (passed, failed))
