# house.mk -- what people type besides `make` and `make clean`.

JOBS ?= $(shell nproc 2>/dev/null || echo 1)

help:
	@echo 'make             build $(BUILD)/softpmu (MODE=debug for sanitizers, CC=clang for the other compiler)'
	@echo 'make MODE=dev    the same in build/dev, compiled fast to try a change (CHECK_ONLY=signals MODE=dev make check)'
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
	@echo 'make install     softpmu, library, headers, man pages, completions below PREFIX (/usr/local; RABBIT=bin: rabbit, too)'
	@echo 'make uninstall   remove what make install put below PREFIX'
	@echo 'make packages    Debian packages and a flat apt repository of them, in build/packages'
	@echo 'make check-install   build the packages twice, install them in a bare Debian 12, remove them (root)'
	@echo 'make deps        install the packages that the build needs'
	@echo 'make clean       remove build/'

.PHONY: deps demo check check-all check-suites bench bench-record fmt help install uninstall
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

# Where shells look for completions.
BASH_DIR = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_DIR  = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH_DIR = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

install: all install-lib install-markers install-man install-rabbit
	install -d $(DESTDIR)$(PREFIX)/bin $(BASH_DIR) $(ZSH_DIR) $(FISH_DIR)
	install -m 755 $(BUILD)/softpmu $(DESTDIR)$(PREFIX)/bin/softpmu
	install -m 644 src/cli/completion.bash $(BASH_DIR)/softpmu
	install -m 644 src/cli/completion.zsh $(ZSH_DIR)/_softpmu
	install -m 644 src/cli/completion.fish $(FISH_DIR)/softpmu.fish

# What install put there, and the directories that are softpmu's own.
uninstall: uninstall-lib uninstall-man uninstall-rabbit
	rm -f $(DESTDIR)$(PREFIX)/bin/softpmu $(DESTDIR)$(LIBDIR)/libsoftpmu-likwid.so
	rm -f $(BASH_DIR)/softpmu $(ZSH_DIR)/_softpmu $(FISH_DIR)/softpmu.fish
