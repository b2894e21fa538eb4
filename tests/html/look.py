"""look.py DIRECTORY -- what the pages one.html, two.html and p5.html there do in a browser; report.json has one.html's numbers."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser  # noqa: E402

os.chdir(sys.argv[1])
passed, failed = 0, 0


def check(is_so, text):
    global passed, failed
    passed += bool(is_so)
    failed += not is_so
    if not is_so:
        print("FAIL in the browser:", text)


with open("report.json") as f:
    report = json.load(f)
counts = {}  # by function and the last part of its object's path
for row in report["rows"]:
    key = (row["function"], row.get("object", "").split("/")[-1])
    for name, n in row["counts"].items():
        counts.setdefault(key, {}).setdefault(name, 0)
        counts[key][name] += n

TABLE = """[...document.querySelectorAll('#function-table tbody tr:not(.rest)')].filter(r => r.querySelector('.fn')).map(r => [r.querySelector('.fn').textContent,
    (r.querySelector('.object') || {textContent: ''}).textContent,
    Object.fromEntries([...r.querySelectorAll('[data-event]')].map(c => [c.dataset.event, Number(c.dataset.value)]))])"""
REST = "(document.querySelector('#function-table .rest button') || {click() {}}).click()"

with Browser() as b:
    # Each unit: a click shows its events, and of the functions those that caused them, with the report's numbers.
    b.open("one.html", 1600)
    units = b.run("[...document.querySelectorAll('.machine svg .box[id]')].map(g => g.id)")
    check(len(units) > 10, "units in the picture: %s" % units)
    events = b.run("JSON.parse(document.getElementById('data').textContent).events")
    for unit in units:
        b.click("#" + unit)
        b.run(REST)
        mine = [e["name"] for e in events if e["unit"] == unit]
        is_open = b.run("document.querySelector('#unit-%s').open" % unit)
        shown = b.run(TABLE)
        names = list(shown[0][2]) if shown else []
        check(is_open and b.run("document.querySelectorAll('.unit-text[open]').length") == 1, unit + ": its text is not shown alone")
        check(b.run("document.querySelector('#%s').classList.contains('chosen')" % unit), unit + ": it is not marked")
        if not mine:
            continue
        check(not shown or set(names) <= set(mine), "%s: columns are %s" % (unit, names))
        wrong = [r for r in shown if {e: counts[r[0], r[1]][e] for e in names} != r[2]]
        check(not wrong, "%s: not the report's numbers: %s" % (unit, wrong[:1]))
        caused = [k for k, c in counts.items() if any(c[e] for e in names)]
        check(len(shown) == len(caused), "%s: %d rows, %d functions caused its events" % (unit, len(shown), len(caused)))
        b.click("#" + unit)  # again: all of them
        check(b.run("document.querySelectorAll('.chosen').length") == 0, unit + ": a second click does not take it back")

    # By keys alone: Tab to a unit, Enter, Escape.
    b.open("one.html", 1600)
    for _ in range(60):
        b.press("Tab", 9)
        if b.run("!!document.activeElement.closest('svg')"):
            break
    check(b.run("!!document.activeElement.closest('svg')"), "Tab does not lead to the picture")
    b.press("Enter", 13, "\r")
    check(b.run("document.querySelectorAll('.unit-text[open]').length") == 1, "Enter does not choose a unit")
    b.press("Escape", 27)
    check(b.run("document.querySelectorAll('.unit-text[open]').length") == 0, "Escape does not take it back")
    b.press(" ", 32, " ")
    check(b.run("document.querySelectorAll('.unit-text[open]').length") == 1, "Space does not choose a unit")
    check(b.run("[...document.querySelectorAll('.machine svg a')].every(a => a.getAttribute('aria-label'))"), "a unit without a label")

    # Finding, other events, sorting.
    b.open("one.html", 1600)
    b.click("#choose input")
    for letter in "use(":
        b.press(letter, 0, letter)
    check([r[0][:4] for r in b.run(TABLE)] == ["use("], "find a function: %s" % b.run(TABLE)[:2])
    b.click("#all-functions")
    b.run("(() => { const s = document.querySelector('#choose select'); s.value = '0'; s.dispatchEvent(new Event('change')); })()")
    first = [r[2][events[0]["name"]] for r in b.run(TABLE)]
    check(first == sorted(first, reverse=True) and first[0] > 0, "another event is not the first column, sorted: %s" % first[:5])
    b.click("#function-table th[data-column]:nth-of-type(3) button")
    check(b.run("document.querySelector('#function-table th:nth-of-type(3)').getAttribute('aria-sort')") == "descending", "sorting by a column")
    b.click("#function-table tbody a")
    check(b.run("document.querySelector(location.hash).open"), "a function's link does not open its source")

    # The graph of call paths: a click makes a frame as wide as all, keys go through it, other events make other widths.
    frame = "[...document.querySelectorAll('.flame > svg')].find(f => f.querySelector('text').textContent === 'main')"
    b.open("paths.html", 1600)
    b.run(frame + ".dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    check(b.run(frame + ".getAttribute('width')") == "100.000%", "a click on a frame does not widen it")
    check("main: " in b.run("document.querySelector('#of-frame').textContent"), "it does not say what main counted")
    wide = b.run("[...document.querySelectorAll('.flame > svg')].filter(f => f.style.display !== 'none' && parseFloat(f.getAttribute('x')) + "
                 "parseFloat(f.getAttribute('width')) > 100.01).length")
    check(wide == 0, "%s frames stick out" % wide)
    b.press("Escape", 27)
    check(b.run(frame + ".getAttribute('width')") != "100.000%", "Escape does not show all frames again")
    b.run("document.querySelector('.flame > svg').focus()")
    b.press("ArrowDown", 40)
    b.press("ArrowRight", 39)
    check(b.run("document.activeElement.querySelector('text').textContent") == "_start", "keys do not lead to the second _start")
    b.press("Enter", 13, "\r")
    check(b.run("document.activeElement.getAttribute('width')") == "100.000%", "Enter does not widen a frame")
    b.press("Escape", 27)
    before = b.run(frame + ".getAttribute('width')")
    b.run("(() => { const s = document.querySelector('#flame-choose select'); s.value = '1'; s.dispatchEvent(new Event('change')); })()")
    check(b.run(frame + ".getAttribute('width')") != before, "another event makes no other widths")
    check(b.run("document.querySelectorAll('.flame > svg[tabindex=\"0\"]').length") == 1, "one frame alone is where Tab leads")

    # Every width, light and dark: nothing is wider than the window, and something is drawn.
    for page in ("one", "two", "p5", "clocks", "clocks2", "paths", "paths2"):
        for width in (400, 800, 1600):
            sizes = []
            for is_dark in (False, True):
                b.open(page + ".html", width, 1000, is_dark)
                wide = b.run("document.documentElement.scrollWidth")
                check(wide <= width, "%s at %d pixels is %d wide" % (page, width, wide))
                dark = b.run("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0] < 100")
                check(dark == is_dark, "%s: the background at %d" % (page, width))
                b.picture("shot.png")
                sizes.append(os.path.getsize("shot.png"))
            check(min(sizes) > 20000, "%s at %d: an empty picture: %s" % (page, width, sizes))

    # Without scripts everything is there, and a unit leads to its text.
    b.open("one.html", 1600, has_scripts=False)
    check(len(b.run(TABLE)) > 20 and not b.run("document.querySelector('#choose').children.length"), "no table without scripts")
    b.click("#dcu")
    check(b.run("location.hash") == "#unit-dcu", "without scripts a unit does not lead to its text: %s" % b.run("location.hash"))

    # On paper.
    b.open("one.html", 800)
    paper = b.ask("Page.printToPDF", printBackground=True)
    check(len(paper["data"]) > 40000, "print")

    check(not b.complaints, "it complains: %s" % b.complaints[:2])
    strange = [r for r in b.requests if not r.startswith("file://") and not r.startswith("data:") or not r.split("#")[0].endswith(".html")
               and not r.startswith("data:")]
    check(not strange, "it asks for %s" % strange[:2])

print("%d passed, %d failed" % (passed, failed))
