# pprof.py FILE -- read a profile.proto and print as JSON: totals by sample type, what functions counted with those that
# they call, and what is wrong with it.
import gzip
import json
import sys


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at, found = 0, []
    while at < len(data):
        key, at = number(data, at)
        if key & 7 == 0:
            value, at = number(data, at)
        elif key & 7 == 2:
            size, at = number(data, at)
            assert at + size <= len(data), "a field runs over its message"
            value, at = data[at : at + size], at + size
        else:
            raise ValueError("wire type %d" % (key & 7))
        found.append((key >> 3, value))
    return found


def numbers(data):
    at, found = 0, []
    while at < len(data):
        value, at = number(data, at)
        found.append(value - (1 << 64) if value >> 63 else value)
    return found


profile = fields(gzip.open(sys.argv[1]).read())
string = [value.decode("utf-8") for field, value in profile if field == 6]
types = [string[dict(fields(value))[1]] for field, value in profile if field == 1]
mapping = {m[1]: m for m in (dict(fields(v)) for f, v in profile if f == 3)}
function = {m[1]: m for m in (dict(fields(v)) for f, v in profile if f == 5)}
location = {m[1]: m for m in (dict(fields(v)) for f, v in profile if f == 4)}
fault = []
if string[0]:
    fault.append("the first string is not empty")
for l in location.values():
    m = mapping.get(l.get(2))
    if 2 in l and not (m and m[2] <= l[3] < m[3]):
        fault.append("location %d lies outside its mapping" % l[1])
    if dict(fields(l[4]))[1] not in function:
        fault.append("location %d has no function" % l[1])
totals, inclusive = [0] * len(types), {}
for field, value in profile:
    if field != 2:
        continue
    sample = dict(fields(value))
    counts = numbers(sample[2])
    if len(counts) != len(types):
        fault.append("a sample with %d values" % len(counts))
    names = {string[function[dict(fields(location[l][4]))[1]][2]] for l in numbers(sample[1])}
    if 3 not in sample:
        fault.append("a sample without its process")
    totals = [a + b for a, b in zip(totals, counts)]
    for name in names:
        inclusive[name] = [a + b for a, b in zip(inclusive.get(name, [0] * len(types)), counts)]
print(
    json.dumps(
        {
            "totals": dict(zip(types, totals)),
            "inclusive": {n: dict(zip(types, c)) for n, c in inclusive.items()},
            "faults": len(fault),
            "fault": fault[:3],
        }
    )
)
