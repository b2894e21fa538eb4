#!/usr/bin/env python3
"""pages.py SOFTPMU OUT -- write the sources of the site, for Sphinx, into the directory OUT.

What is a page: the documents of the repository as they lie; docs/MODELS.md in a page for each unit, with the unit's picture
and events; each event as `softpmu explain` tells it; each lesson of the laboratory as `softpmu lab` runs it now; each manual
page as mandoc renders it. Everything comes from the tree and from the softpmu that is named; nothing is kept here.
--quick leaves the lessons' runs and the manual pages out.
"""
import json
import os
import re
import subprocess
import sys

FAMILIES = {"p6": ("P6", ["pentiumpro", "pentium2", "pentium3"]), "p5": ("Pentium", ["pentium", "pentium-mmx"])}
GROUPS = [  # of the documents: a caption, and which
    ("Use it", ["README.md", "docs/TOUR.md", "NEWS.md", "docs/HOWTO_CI.md", "docs/HOWTO_PLUGINS.md", "docs/HOWTO_CLIENTS.md",
                "docs/HOWTO_RABBIT.md", "docs/COMPATIBILITY.md", "docs/KNOWN_GAPS.md"]),
    ("What is counted", ["docs/models/index.md", "events/p6/index.md", "events/p5/index.md", "docs/GLOSSARY.md", "docs/EXPLANATIONS.md",
                         "docs/COMMENTARY.md", "docs/CASES.md", "docs/CLOCKS.md", "catalog/README.md"]),
    ("Laboratory and manual", ["lab/index.md", "man/index.md", "bench/RESULTS.md"]),
    ("Change it", ["CONTRIBUTING.md", "docs/ARCHITECTURE.md", "docs/LIFE_OF_A_RECORD.md", "docs/LIFE_OF_A_CALL.md", "docs/TESTING.md",
                   "docs/HOWTO_*.md", "docs/SYSCALLS.md", "docs/SYSCALL_TABLE.md", "docs/ROADMAP.md", "docs/decisions/README.md", "docs/lab/README.md",
                   "docs/*.md"]),
]
UNIT_PARTS = "Does|Takes|Chosen|Not modelled|Code|Tests"


def run(*argv, status_matters=True):
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode and status_matters:
        sys.exit(f"pages.py: {' '.join(argv)}: status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def write(path, text):
    path = os.path.join(out, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def escape(text):
    return re.sub(r"([\\`*\[\]<>|#$])", r"\\\1", text)


def toctree(entries, caption=None, depth=1, hidden=True):
    lines = ["```{toctree}", f":maxdepth: {depth}"] + ([f":caption: {caption}"] if caption else []) + ([":hidden:"] if hidden else [])
    return "\n".join(lines + [""] + [re.sub(r"\.md$", "", e) for e in entries] + ["```", ""])


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


# ---- events ----------------------------------------------------------------------------------------
def read_events():
    """family -> name -> (what list --json says, the last processor that has it)"""
    events = {}
    for family, (_, cpus) in FAMILIES.items():
        events[family] = {}
        for cpu in cpus:
            for e in json.loads(run(softpmu, "list", "--cpu", cpu, "--json")):
                # twins of the Pentium have one name on both counters
                events[family][e["name"]] = (e, cpu)
    return events


def file_of(family, name):
    return f"events/{family}/{name.replace('/', '-')}.md"


def link_events(text, family, here):
    """The text, escaped, with names of events of the family as links from the page `here`."""
    def link(m):
        if m.group(0) not in all_events[family]:
            return escape(m.group(0))
        return f"[{m.group(0)}]({os.path.relpath(file_of(family, m.group(0)), os.path.dirname(here))})"

    return re.sub(r"[A-Z][A-Z0-9_/-]+|[^A-Z]+|[A-Z]", link, text)


def event_page(family, name):
    event, cpu = all_events[family][name]
    here = file_of(family, name)
    said = run(softpmu, "explain", "--cpu", cpu, name).rstrip("\n").split("\n\n")
    head = said[0].split("\n")
    page = [f"# {escape(head[0])}", " ".join(escape(line.strip()) for line in head[1:])]
    unit = event["unit"]
    for block in said[1:]:
        lines = block.split("\n")
        if all(re.match(r"  [a-z][a-z ]* {2,}\S|   {10,}\S", line) for line in lines):  # a key and its value
            rows = []
            for line in lines:
                m = re.match(r"  ([a-z][a-z ]*?) {2,}(.*)", line)
                if m:
                    rows.append([m.group(1), m.group(2)])
                else:
                    rows[-1][1] += " " + line.strip()
            page.append("| | |\n|---|---|\n" + "\n".join(
                f"| {k} | {f'[{v}]({os.path.relpath(models[family, v], os.path.dirname(here))})' if k == 'unit' and (family, v) in models else escape(v)} |"
                for k, v in rows))
            continue
        if re.match(r"  \S", lines[0]):
            page.append(f"## {escape(lines.pop(0).strip())}")
        if not lines:
            continue
        if lines[0].lstrip().startswith(":") or any(re.search(r"\S {2,}\S", line.strip()) for line in lines):
            page.append("```text\n" + "\n".join(line[4:] for line in lines) + "\n```")
        elif page[-1] == "## Relations":
            page.append("\n".join("* " + link_events(line.strip(), family, here) for line in lines))
        elif page[-1] == "## Source":
            page.append(re.sub(r"\n(?=[A-Z0-9-]+: )", "\n* ", "* " + "\n".join(escape(line.strip()) for line in lines)))
        else:
            page.append(link_events(" ".join(line.strip() for line in lines), family, here))
    picture = pictures.get((family, unit))
    if picture:
        page += ["## Where it is", f"![the unit {unit} in the block diagram]({os.path.relpath(picture, os.path.dirname(here))})"]
    write(here, "\n\n".join(page) + "\n")


def event_index(family):
    title, cpus = FAMILIES[family]
    rows = [f"# Events of the {title}", f"Those of {', '.join(cpus)}. Each has a page: what it means, how it is counted, unit masks, commentary, relations.",
            "| code | event | unit | meaning |\n|---|---|---|---|\n" + "\n".join(
                f"| {e['code']:02X}H | [{name}]({os.path.basename(file_of(family, name))}) | {e['unit']} | {escape(e['meaning'])} |"
                for name, (e, _) in sorted(all_events[family].items(), key=lambda p: (p[1][0]["code"], p[0]))),
            toctree(sorted(os.path.basename(file_of(family, name)) for name in all_events[family]))]
    write(f"events/{family}/index.md", "\n\n".join(rows))


def draw_units():
    """(family, unit) -> file of the part of the block diagram with its boxes, which are marked"""
    found = {}
    for family, (_, cpus) in FAMILIES.items():
        file = os.path.join(out, f"diagram-{family}.svg")
        run(softpmu, "explain", "--cpu", cpus[-1], next(n for n, (_, c) in all_events[family].items() if c == cpus[-1]), f"--diagram={file}")
        with open(file, encoding="utf-8") as f:
            svg = f.read()
        width, height = map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups())
        boxes = {}
        for m in re.finditer(r'<g class="box" data-unit="([^"]*)"[^>]*><title>[^<]*</title><rect class="frame" x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"', svg):
            boxes.setdefault(m.group(1), []).append((int(m.group(3)), int(m.group(3)) + int(m.group(5))))
        for unit, spans in boxes.items():
            top, bottom = max(60, min(a for a, _ in spans) - 60), min(height, max(b for _, b in spans) + 60)
            path = f"pictures/{family}-{unit}.svg"
            mark = f'g.box[data-unit="{unit}"] .frame{{stroke:#c2700c;stroke-width:4}}'
            write(path, svg.replace(f'viewBox="0 0 {width} {height}"', f'viewBox="0 {top} {width} {bottom - top}"', 1).replace("</style>", mark + "</style>", 1))
            found[family, unit] = path
    return found


# ---- documents ---------------------------------------------------------------------------------------
def included():
    files = [f for f in run("git", "ls-files", "*.md").split("\n") if re.match(r"(docs/|catalog/README|bench/RESULTS|README|CONTRIBUTING)", f) and f != "docs/MODELS.md"]
    return [f for f in files if os.path.exists(f)]


def fix_links(text, origin, here):
    """Links of the document `origin` as the page `here` has them; what is no page becomes its text."""
    def link(m):
        label, target, anchor = m.group(1), m.group(2), m.group(3) or ""
        if re.match(r"[a-z]+:", target):
            return m.group(0)
        path = os.path.normpath(os.path.join(os.path.dirname(origin), target)) if target else origin
        if path == "docs/MODELS.md":
            path, anchor = sections.get(anchor[1:], "docs/models/index.md"), ""
        elif path == "NEWS":
            path = "NEWS.md"
        elif path == "docs":
            path = "docs/README.md"
        elif path not in pages:
            if re.search(r"\.(svg|png)$", path) and os.path.exists(path):
                with open(path, encoding="utf-8") as f:
                    write(path, f.read())
            else:
                return label
        target = os.path.relpath(path, os.path.dirname(here) or ".")
        if path == here:
            return f"[{label}]({anchor or '#'})"
        return f"[{label}]({target}{anchor})"

    # A picture that README has as HTML, for its place beside the text.
    text = re.sub(r'<a href="([^"]*)"><img src="\1"[^>]*alt="([^"]*)"></a>', r"![\2](\1)", text).replace('<br clear="all">', "")
    pieces = re.split(r"(^```.*?^```|`[^`\n]+`|(?:(?<=\n\n)(?: {4}|\t).*(?:\n(?:(?: {4}|\t).*)?)*))", text, flags=re.M | re.S)
    pattern = r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#\s]*)(#[^)\s]*)?\)"
    if not any("](" in p for p in pieces[::2]):  # a code span in a link's text
        return re.sub(pattern, link, text)
    return re.sub(pattern, link, text)


def models_parts():
    """MODELS.md in parts: (anchor, heading, text); the first is what stands before them"""
    with open("docs/MODELS.md", encoding="utf-8") as f:
        parts = re.split(r"^## (.*)\n", f.read(), flags=re.M)
    return parts[0], [(slug(h), h, t) for h, t in zip(parts[1::2], parts[2::2])]


def write_models():
    intro, parts = models_parts()
    listed = []
    for anchor, heading, text in parts:
        if heading == "Contents":
            continue
        here = sections[anchor]
        listed.append(os.path.basename(here))
        text = fix_links(text, "docs/MODELS.md", here)
        text = re.sub(rf"\s*\*\*({UNIT_PARTS})\.\*\*\s*", r"\n\n## \1\n\n", text)
        family, unit = ("p5", heading[3:]) if heading.startswith("p5 ") else ("p6", heading)
        title = heading if " " in heading and not heading.startswith("p5 ") else f"{FAMILIES[family][0]}: {unit}"
        page = [f"# {title}"]
        if (family, unit) in pictures:
            page.append(f"![{unit} in the block diagram](../../{pictures[family, unit]})")
        page.append(text.strip())
        own = sorted(n for n, (e, _) in all_events[family].items() if e["unit"] == unit)
        if own and (family, unit) in models:
            page += ["## Events", ", ".join(f"[{n}](../../{file_of(family, n)})" for n in own) + "."]
        write(here, "\n\n".join(page) + "\n")
    intro = fix_links(intro, "docs/MODELS.md", "docs/models/index.md")
    write("docs/models/index.md", intro + "\n" + toctree(listed, hidden=False))


# ---- lessons and manual pages ---------------------------------------------------------------------------
def write_lessons():
    lessons = [m.groups() for m in re.finditer(r"^ *(\d+)  (.*?) {2,}(.*)$", run(softpmu, "lab"), re.M)]
    rows = []
    for number, title, cpus in lessons:
        rows.append(f"| {number} | [{escape(title)}]({int(number):02}.md) | {cpus} |")
        page = [f"# {number}. {escape(title)}"]
        if not is_quick:
            said = run(softpmu, "lab", number).rstrip("\n")
            for block in said.split("\n\n"):
                lines = block.split("\n")
                if not lines[0].startswith(" "):  # "Lesson 3: ...", "Answer", "Try"
                    if not lines[0].startswith("Lesson "):
                        page.append(f"## {escape(lines[0])}")
                    elif "  " not in lines[0]:
                        lines = [line for line in lines if line.startswith("  ")] if len(lines) > 1 else lines
                        lines.insert(0, "")
                    lines.pop(0)
                prose = []
                while lines and re.match(r"  \S", lines[0]) and not re.search(r"\S {2,}\S", lines[0]) and not lines[0].startswith("  $ "):
                    prose.append(lines.pop(0).strip())
                if lines and lines[0].startswith("    ") and len(prose) == 1 and len(prose[0]) < 60:  # a program's name above its text
                    lines.insert(0, "  " + prose.pop())
                if prose:
                    page.append(escape(" ".join(prose)).replace(" Source: ", "\n\nSource: "))
                text = "\n".join(line[2:] for line in lines)
                if lines and page[-1].endswith("\n```"):
                    page[-1] = page[-1][:-3] + f"\n{text}\n```"
                elif lines:
                    page.append(f"```text\n{text}\n```")
            page.append(f"This is what `softpmu lab {number}` prints, the counts of this very run among it.")
        write(f"lab/{int(number):02}.md", "\n\n".join(page) + "\n")
    write("lab/index.md", "# The laboratory\n\nForty questions about the events, answered by experiments. `softpmu lab N` runs one.\n\n"
          "| | question | processors |\n|---|---|---|\n" + "\n".join(rows) + "\n\n" + toctree(f"{int(n):02}.md" for n, _, _ in lessons))


def write_manual(build):
    names = []
    where = os.path.join(build, "man")
    files = [os.path.join(where, f) for f in sorted(os.listdir(where))] if os.path.isdir(where) and not is_quick else []
    files += [f for f in ("docs/softpmu.3", "docs/pmc_lib.3") if not is_quick]
    for file in files:
        name = os.path.basename(file)
        text = run("mandoc", "-T", "html", "-O", "fragment", file)
        text = re.sub(r'<table class="(head|foot)">.*?</table>', "", text, flags=re.S)
        text = re.sub(r"<(/?)h2", r"<\1h3", re.sub(r"<(/?)h1", r"<\1h2", text))
        text = re.sub(r"<b>(softpmu(?:-[a-z]+)?|pmc_lib)</b>\((\d)\)",
                      lambda m: f'<a href="{m.group(1)}.{m.group(2)}.html"><b>{m.group(1)}</b>({m.group(2)})</a>' if
                      f"{m.group(1)}.{m.group(2)}" in {os.path.basename(f) for f in files} else m.group(0), text)
        title, section = name.rsplit(".", 1)
        write(f"man/{name}.md", f"# {title}({section})\n\n```{{raw}} html\n<div class=\"manual\">\n{text}</div>\n```\n")
        names.append(f"{name}.md")
    write("man/index.md", "# Manual pages\n\n" + (toctree(names, hidden=False) if names else "They are not in this copy of the site.\n"))


def main():
    write_models()
    for file in pages:
        if file == "NEWS.md" or not os.path.exists(file):
            continue
        with open(file, encoding="utf-8") as f:
            write(file, fix_links(f.read(), file, file))
    with open("NEWS", encoding="utf-8") as f:
        news = f.read()
    news = re.sub(r"^(softpmu \d.*)$", r"## \1", escape(news).replace("\\`", "`"), flags=re.M)
    news = re.sub(r"^([A-Z][A-Za-z ]+)$(?=\n\\\*)", r"### \1", news, flags=re.M).replace("\n\\* ", "\n* ")
    write("NEWS.md", "# What changed\n\n" + news)
    for family in FAMILIES:
        for name in all_events[family]:
            event_page(family, name)
        event_index(family)
    write_lessons()
    write_manual(os.path.dirname(softpmu))
    taken = {"docs/README.md"}
    index = ["# softpmu", "Count what a program does to a Pentium or a P6: instructions, caches, branches, the bus and clocks, the same to the digit on every machine.",
             "**Events**: [those of the P6](events/p6/index.md), [those of the Pentium](events/p5/index.md). "
             "**Units**: [what the models count](docs/models/index.md). **Lessons**: [the laboratory](lab/index.md). "
             "**Commands**: [the manual](man/index.md). **All documents**: [by question](docs/README.md).",
             "![the block diagram of a Pentium III with its events](diagram-p6.svg)"]
    everything = sorted(set(pages) | {"docs/models/index.md", "events/p6/index.md", "events/p5/index.md", "lab/index.md", "man/index.md", "NEWS.md"})
    for caption, wanted in GROUPS:
        chosen = []
        for w in wanted:
            pattern = re.escape(w).replace(r"\*", "[^/]*") + "$"
            chosen += [p for p in everything if re.match(pattern, p) and p not in taken and p not in chosen]
        taken.update(chosen)
        index.append(toctree(chosen, caption, hidden=False))
    index.append(toctree(["docs/README.md"]))
    write("index.md", "\n\n".join(index))
    for folder in ("decisions", "lab"):  # their own lists have links; Sphinx wants a tree
        with open(os.path.join(out, f"docs/{folder}/README.md"), "a", encoding="utf-8") as f:
            f.write("\n" + toctree(sorted(os.path.basename(p) for p in pages if p.startswith(f"docs/{folder}/") and not p.endswith("README.md"))))
    left = [p for p in everything if p not in taken and not re.match(r"docs/(decisions|lab)/", p)]
    if left:
        sys.exit("pages.py: no group has " + ", ".join(left))


is_quick = "--quick" in sys.argv
arguments = [a for a in sys.argv[1:] if a != "--quick"]
if len(arguments) != 2:
    sys.exit("usage: tools/site/pages.py [--quick] SOFTPMU OUT")
softpmu, out = map(os.path.abspath, arguments)
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
all_events = read_events()
pages = included() + ["NEWS.md"]
sections = {}
models = {}
for anchor, heading, _ in models_parts()[1]:
    family, unit = ("p5", heading[3:]) if heading.startswith("p5 ") else ("p6", heading)
    sections[anchor] = f"docs/models/{anchor}.md"
    if any(e["unit"] == unit for e, _ in all_events[family].values()):
        models[family, unit] = sections[anchor]
sections["contents"] = "docs/models/index.md"
os.makedirs(out, exist_ok=True)
pictures = draw_units()
main()
