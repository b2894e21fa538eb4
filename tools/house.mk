# house.mk -- what people type besides `make` and `make clean`.

JOBS ?= $(shell nproc 2>/dev/null || echo 1)

help:
	@echo 'make             build $(BUILD)/softpmu (MODE=debug for sanitizers, CC=clang for the other compiler)'
	@echo 'make MODE=dev    the same in build/dev, compiled fast to try a change (CHECK_ONLY=threads MODE=dev make check)'
	@echo 'make demo        install what is missing, build, count a real program'
	@echo 'make check       install what is missing, build, run all tests (some minutes)'
	@echo 'make check-all   the same with more cases, a sanitizer build, 60 s per fuzz target'
	@echo 'make cases       published timings against the models'
	@echo 'make check-suites   the tests of gcc, the kernel, QEMU and glibc (an hour or more; SUITE=torture: one of them)'
	@echo 'make bare        a QEMU with performance counters for softpmu bare, from Debian'"'"'s source (some minutes)'
	@echo 'make check-bare  softpmu bare with a kernel of Debian, which is fetched, and with boot sectors (installs QEMU)'
	@echo 'make warnings    what CC=clang would warn of, in every source file; nothing is compiled'
	@echo 'make check-cluster   sweeps under Slurm and GNU parallel, ranks of Open MPI (installs them; some minutes, root)'
	@echo 'make bench       speed against native execution and Cachegrind (BENCH_N=1 for a quick look)'
	@echo 'make bench-record   the same, written to bench/RESULTS.md'
	@echo 'make fmt         clang-format on the lines that changed since HEAD'
	@echo 'make lib         the library for programs that count themselves (lib/libsoftpmu.so, .a)'
	@echo 'make examples    programs that use it (examples/)'
	@echo 'make install     softpmu, library, headers, man pages, completions below PREFIX (/usr/local; RABBIT=bin: rabbit, too)'
	@echo 'make uninstall   remove what make install put below PREFIX'
	@echo 'make packages    Debian packages and a flat apt repository of them, in build/packages'
	@echo 'make static      one executable that needs no library, in build/static (make static-archive: with its pages, packed)'
	@echo 'make site        documents, units, events, lessons, manual pages with a search: build/site/html/index.html'
	@echo 'make release     source, static executable, packages, sums, signature in build/dist (docs/HOWTO_RELEASE.md)'
	@echo 'make check-install   install the packages and the executable in bare systems, remove them (root, half an hour)'
	@echo 'make deps        install the packages that the build needs'
	@echo 'make clean       remove build/'

.PHONY: deps demo check check-all check-suites check-bare check-cluster bench bench-record fmt help install uninstall
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

check-bare: all
	@tools/install-deps.sh bare
	@tests/bare/run.sh
	@tests/bare/linux.sh
	@tests/bare/perf.sh

check-cluster: all
	@tools/install-deps.sh cluster
	@tests/cluster/mpi.sh
	@tests/cluster/slurm.sh

.PHONY: bare
bare: all
	@tools/install-deps.sh bare-build
	@tools/bare/build.sh

fmt:
	@tools/fmt.sh

# Warnings need no machine code: the compiler reads each file and writes nothing.
READ_BY_CC = xargs -n 40 $(CC) $(filter-out -MMD -MP,$(1)) -fsyntax-only
.PHONY: warnings
warnings: $(GEN) $(BUILD)/gen/call_names.h
	@echo $(SRC) $(wildcard src/lib/*.c src/bare/plugin/*.c src/markers/*.c) | $(call READ_BY_CC,$(CPPFLAGS) $(CFLAGS_ALL))
	@echo $(filter %.c,$(GUEST_SRC)) | $(call READ_BY_CC,-Isrc $(GUEST_CFLAGS))

# Where shells look for completions.
BASH_DIR = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_DIR  = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH_DIR = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
# What tests and benchmarks of other tools are counted with; uninstall-rabbit removes share/softpmu.
PLUGIN_DIR = $(DESTDIR)$(PREFIX)/share/softpmu/plugins

.PHONY: install-program
install: all install-lib install-markers install-bare install-program
install-program: $(BUILD)/softpmu install-man install-rabbit
	install -d $(DESTDIR)$(PREFIX)/bin $(BASH_DIR) $(ZSH_DIR) $(FISH_DIR)
	install -m 755 $(BUILD)/softpmu $(DESTDIR)$(PREFIX)/bin/softpmu
	install -m 644 src/cli/completion.bash $(BASH_DIR)/softpmu
	install -m 644 src/cli/completion.zsh $(ZSH_DIR)/_softpmu
	install -m 644 src/cli/completion.fish $(FISH_DIR)/softpmu.fish
	install -d $(PLUGIN_DIR)
	install -m 755 plugins/softpmu-runner $(PLUGIN_DIR)/
	install -m 644 plugins/pytest_softpmu.py plugins/softpmu_benchmark.h $(PLUGIN_DIR)/

# What install put there, and the directories that are softpmu's own.
uninstall: uninstall-lib uninstall-man uninstall-rabbit
	rm -f $(DESTDIR)$(PREFIX)/bin/softpmu $(DESTDIR)$(LIBDIR)/libsoftpmu-likwid.so $(DESTDIR)$(LIBDIR)/libsoftpmu-bare.so
	rm -f $(BASH_DIR)/softpmu $(ZSH_DIR)/_softpmu $(FISH_DIR)/softpmu.fish
