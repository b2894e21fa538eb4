"""plain.py FILE...: is each a well-formed picture without scripts and links?"""
import sys
import xml.parsers.expat


def start(name, attributes):
    if name == "script" or any(k.startswith("on") or "href" in k for k in attributes):
        sys.exit("not a plain picture: " + name)


for path in sys.argv[1:]:
    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = start
    with open(path, "rb") as f:
        parser.ParseFile(f)
