# house.mk -- what people type besides `make` and `make clean`.

JOBS ?= $(shell nproc 2>/dev/null || echo 1)

help:
	@echo 'make             build $(BUILD)/softpmu (MODE=debug for sanitizers, CC=clang for the other compiler)'
	@echo 'make demo        install what is missing, build, count a real program'
	@echo 'make check       install what is missing, build, run all tests (some minutes)'
	@echo 'make check-all   the same with more cases, a sanitizer build, 60 s per fuzz target'
	@echo 'make cases       published timings of the Pentium against the model'
	@echo 'make check-suites   the tests of gcc, the kernel, QEMU and glibc (an hour or more; SUITE=torture: one of them)'
	@echo 'make bench       speed against native execution and Cachegrind (BENCH_N=1 for a quick look)'
	@echo 'make bench-record   the same, written to bench/RESULTS.md'
	@echo 'make fmt         clang-format on the lines that changed since HEAD'
	@echo 'make lib         the library for programs that count themselves (lib/libsoftpmu.so, .a)'
	@echo 'make examples    programs that use it (examples/)'
	@echo 'make install     softpmu, library, headers and man pages below PREFIX (default /usr/local)'
	@echo 'make deps        install the packages that the build needs'
	@echo 'make clean       remove build/'

.PHONY: deps demo check check-all check-suites bench bench-record fmt help install
deps:
	@tools/install-deps.sh build

demo:
	@tools/demo.sh

check:
	@tools/check.sh

check-all:
	@CHECK_LEVEL=all tools/check.sh

check-suites: all
	@tools/install-deps.sh suites
	@tests/suites/suites.sh $(SUITE)

fmt:
	@tools/fmt.sh

install: all install-lib install-markers
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(BUILD)/softpmu $(DESTDIR)$(PREFIX)/bin/softpmu
	for f in $(wildcard docs/softpmu*.1); do install -m 644 $$f $(DESTDIR)$(PREFIX)/share/man/man1/; done
