"""pytest_softpmu.py -- pytest --softpmu: what each test executes, counted on the model of a processor.

    pytest -p pytest_softpmu --softpmu --softpmu-json now.json
    pytest -p pytest_softpmu --softpmu --softpmu-baseline old.json --softpmu-limit 1%

RULES          pytest executes itself anew under `softpmu run -e EVENTS`, which puts the events into counters, with PYTHONHASHSEED=0
               and without address layouts that differ. The counters are read by RDPMC before and behind a test's function:
               fixtures are not counted. The garbage collector runs before each test and is off in it. What an empty test counts
               is taken off.
               The same command in the same tree gives the same counts. Python's memory lies elsewhere when a directory that it
               searches has a file more, or other tests run; that is some hundreds of instructions, so a limit of 0.5 % is safe.
               Code that Python meets for the first time costs more: --softpmu-warm-up 2 calls each function twice before it is
               counted, so that it matters less which tests ran before.
NOT MODELLED   what other threads and processes of a test do; coroutines and what is not a function (doctests) are not counted;
               workers of pytest-xdist.
NEEDS          pytest, and softpmu in the PATH (or --softpmu-command). 64-bit Python 3.10 or later on x86-64 Linux.
"""
import ctypes
import gc
import hashlib
import inspect
import json
import mmap
import os
import shutil
import sys

import pytest

INSIDE = "SOFTPMU_PYTEST"
# What is done after the tests: the counted Python is told of it where it does not matter how long it is, so that a run that compares
# has the counts of the one that wrote the baseline.
AFTER = ("softpmu_json", "softpmu_baseline", "softpmu_limit")
ROOM = 4096
# glibc takes and gives back no memory while tests run, so that less depends on those before.
MALLOC = {"MALLOC_TOP_PAD_": "67108864", "MALLOC_TRIM_THRESHOLD_": "1000000000", "MALLOC_MMAP_THRESHOLD_": "33554432"}
WIDTH = (1 << 40) - 1  # bits of a counter of the P6 and the Pentium
# void f(uint64_t *to, unsigned n): n counters, from 0 on.
READ = bytes.fromhex(
    "31c9"  # xor ecx, ecx
    "0f33" "48c1e220" "4809d0"  # rdpmc; rax = edx:eax
    "488904cf" "ffc1" "39f1" "72ed"  # mov [rdi + 8 * rcx], rax; inc ecx; cmp ecx, esi; jb to the rdpmc
    "c3"
)


class Counters:
    """Reads the counters around a function."""

    def __init__(self, n_events):
        self.page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        self.page.write(READ)
        at = ctypes.addressof(ctypes.c_char.from_buffer(self.page))
        if ctypes.CDLL(None).mprotect(ctypes.c_void_p(at), ctypes.c_size_t(mmap.PAGESIZE), mmap.PROT_READ | mmap.PROT_EXEC):
            raise pytest.UsageError("--softpmu: this system lets no program make code (mprotect), which reads the counters")
        self.ask = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint)(at)
        self.n = ctypes.c_uint(n_events)
        self.begun, self.ended = ((ctypes.c_uint64 * n_events)() for _ in range(2))
        child = os.fork()  # where RDPMC is no instruction, a process ends by a signal
        if not child:
            self.ask(ctypes.c_void_p(ctypes.addressof(self.begun)), self.n)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            raise pytest.UsageError("--softpmu: the counters cannot be read; a Pentium has no RDPMC (pentium-mmx and later have it)")
        self.cost = [0] * n_events
        self.calls = 0
        empty, least = self.around(lambda: None), None
        for _ in range(20):  # Python makes its own code faster in the first eight
            empty()
            now = self.read()
            least = now if least is None else [min(a, b) for a, b in zip(least, now)]
        self.cost = least

    def around(self, function):
        """The function, counted when it is called."""
        ask, n = self.ask, self.n
        start, stop = (ctypes.c_void_p(ctypes.addressof(b)) for b in (self.begun, self.ended))

        def counted(*args, **kwargs):
            self.calls += 1
            ask(start, n)
            try:
                return function(*args, **kwargs)
            finally:
                ask(stop, n)

        return counted

    def read(self):
        """What the last call counted."""
        return [max(0, ((b - a) & WIDTH) - c) for a, b, c in zip(self.begun, self.ended, self.cost)]


def make_room():
    """Have Python ask the system for 32 MB now. It gives them back, but for the objects that are kept: one in each megabyte."""
    return [bytes(450) for _ in range(65000)][::500]


def split_events(text):
    """At commas outside of braces and slashes, as softpmu does."""
    names, depth, slash, name = [], 0, False, ""
    for c in text:
        depth += (c == "{") - (c == "}")
        slash ^= c == "/"
        if c == "," and not slash:
            names.append(name)
            name = ""
        elif c not in "{}":
            name += c
    return [n for n in names + [name] if n]


def parse_limit(text):
    """ "1%", "+1000", "EVENT=1%" into (event or None, share or None, number or None)."""
    event, _, change = text.rpartition("=")
    try:
        if change.endswith("%"):
            return event or None, float(change[:-1]) / 100, None
        if change.startswith("+"):
            return event or None, None, int(change[1:])
    except ValueError:
        pass
    raise pytest.UsageError(f"--softpmu-limit {text}: a limit is 1%, +1000 or EVENT=1%")


def pytest_addoption(parser):
    group = parser.getgroup("softpmu", "counts of a modelled processor")
    group.addoption("--softpmu", action="store_true", help="count what each test executes, under softpmu run")
    group.addoption("--softpmu-events", metavar="LIST", default="inst_retired", help="one or two events (default inst_retired)")
    group.addoption("--softpmu-options", metavar="TEXT", default="", help="more options of softpmu run, as '--cpu pentium'")
    group.addoption("--softpmu-command", metavar="FILE", default="softpmu", help="the softpmu to use (default: of the PATH)")
    group.addoption("--softpmu-warm-up", metavar="N", type=int, default=0, help="call each test's function N times before (default 0)")
    group.addoption("--softpmu-json", metavar="FILE", help="write the counts to FILE")
    group.addoption("--softpmu-baseline", metavar="FILE", help="compare with the counts in FILE, written by --softpmu-json")
    group.addoption("--softpmu-limit", metavar="LIMIT", action="append", default=[],
                    help="with a baseline: fail when a test rose by more than 1%%, or +1000; EVENT=1%% of one event; may be repeated")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    if not config.option.softpmu:
        return
    events = split_events(config.option.softpmu_events)
    if not 1 <= len(events) <= 2:
        raise pytest.UsageError(f"--softpmu-events {config.option.softpmu_events}: a processor has two counters; one or two events, please")
    for event, _, _ in map(parse_limit, config.option.softpmu_limit):
        if event and event not in events:
            raise pytest.UsageError(f"--softpmu-limit {event}=: the event is not counted; --softpmu-events {','.join(events + [event])}")
    command = shutil.which(config.option.softpmu_command)
    if not command:
        raise pytest.UsageError(f"--softpmu: there is no {config.option.softpmu_command} here; --softpmu-command says where it is")
    if hasattr(config, "workerinput") or getattr(config.option, "numprocesses", None):
        raise pytest.UsageError("--softpmu: workers of pytest-xdist are not counted; -n 0")
    if INSIDE not in os.environ:
        environment = dict(os.environ, PYTHONHASHSEED="0", **MALLOC)
        environment[INSIDE] = json.dumps([getattr(config.option, name) for name in AFTER]).ljust(ROOM)
        os.execve(command, [command, "run", "-e", config.option.softpmu_events,
                            *config.option.softpmu_options.split(), "--", sys.executable, *without(sys.orig_argv[1:])], environment)
    config.pluginmanager.register(Counts(config, command, events), "softpmu-counts")


def without(argv):
    """The arguments but those of AFTER."""
    options, kept, skips = ["--" + name.replace("_", "-") for name in AFTER], [], False
    for word in argv:
        if not skips and word not in options and word.partition("=")[0] not in options:
            kept.append(word)
        skips = not skips and word in options
    return kept


class Counts:
    """Counts the tests of one run, and says at its end what they were."""

    def __init__(self, config, command, events):
        self.config, self.events = config, events
        with open(os.path.realpath(command), "rb") as f:
            model = hashlib.sha256(f.read()).hexdigest()
        self.what = {
            "softpmu": 1,
            "model": model,
            "options": config.option.softpmu_options,
            "events": events,
            "python": sys.version.split()[0],
            "warm_up": config.option.softpmu_warm_up,
        }
        self.tests, self.was, self.limits, self.broken, self.trouble = {}, None, [], [], None
        self.counters = Counters(len(events))
        self.room = make_room()

    def read_baseline(self, path):
        try:
            with open(path, encoding="utf-8") as f:
                was = json.load(f)
            differ = [k for k in self.what if was.get(k) != self.what[k]]
            tests = {name: dict(counts) for name, counts in was["tests"].items()}
        except (OSError, ValueError, AttributeError, KeyError, TypeError) as e:
            self.trouble = f"--softpmu-baseline {path}: no counts that --softpmu-json wrote ({e})"
            return None
        if differ:
            self.trouble = f"--softpmu-baseline {path}: it cannot be compared, another {', '.join(differ)}; measure it anew"
        return None if differ else tests

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        function = getattr(item, "obj", None)
        if not callable(function) or inspect.iscoroutinefunction(function):
            yield
            return
        for _ in range(self.config.option.softpmu_warm_up):
            try:
                if hasattr(item, "funcargs") and hasattr(item, "_fixtureinfo"):
                    function(**{name: item.funcargs[name] for name in item._fixtureinfo.argnames})
            except BaseException:  # the test itself tells it
                break
        item.obj = self.counters.around(function)
        calls = self.counters.calls
        gc.collect()
        was_on = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if was_on:
                gc.enable()
            item.obj = function
            if self.counters.calls > calls:
                item.user_properties.append(("softpmu", dict(zip(self.events, self.counters.read()))))

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.tests.update({report.nodeid: dict(v) for k, v in report.user_properties if k == "softpmu"})

    def is_broken(self, event, now, was):
        for wanted, share, number in self.limits:
            if wanted in (None, event) and now - was > (number if share is None else was * share):
                return True
        return False

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        to, baseline, limits = json.loads(os.environ[INSIDE])
        self.limits = [parse_limit(text) for text in limits]
        if baseline:
            self.was = self.read_baseline(baseline)
        for name, counts in self.tests.items():
            for event, now in counts.items():
                was = (self.was or {}).get(name, {}).get(event)
                if was is not None and self.is_broken(event, now, was):
                    self.broken.append(f"{name}: {event} was {was:,}, is {now:,} ({change(now, was)})")
        if self.broken and session.exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self.trouble:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
        if to:
            with open(to, "w", encoding="utf-8") as f:
                json.dump(dict(self.what, tests=self.tests), f, indent=1, sort_keys=True)
                f.write("\n")

    def pytest_terminal_summary(self, terminalreporter):
        if not self.tests:
            return
        terminalreporter.section("softpmu: counts of each test")
        columns = [["test"] + [c for e in self.events for c in ([e, "was", "change"] if self.was is not None else [e])]]
        for name, counts in self.tests.items():
            row = [name]
            for event in self.events:
                row.append(f"{counts[event]:,}")
                if self.was is not None:
                    was = self.was.get(name, {}).get(event)
                    row += ["", "new"] if was is None else [f"{was:,}", change(counts[event], was)]
            columns.append(row)
        width = [max(len(row[i]) for row in columns) for i in range(len(columns[0]))]
        for row in columns:
            cells = [row[0].ljust(width[0])] + [c.rjust(w) for c, w in zip(row[1:], width[1:])]
            terminalreporter.write_line("  ".join(cells).rstrip())
        gone = sorted(set(self.was or ()) - set(self.tests))
        if gone:
            terminalreporter.write_line(f"not run now: {len(gone)} of the baseline's tests")
        for line in self.broken:
            terminalreporter.write_line(f"LIMIT {line}", red=True)
        if self.trouble:
            terminalreporter.write_line(f"ERROR: {self.trouble}", red=True)


def change(now, was):
    return "same" if now == was else f"{100 * (now - was) / was:+.2f} %" if was else f"+{now:,}"
