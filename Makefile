# softpmu -- GNU make, no configure step. People type: make, make demo, make check, make bench, make fmt, make help.
MODE  ?= release
BUILD ?= build/$(MODE)
CC    ?= gcc
PREFIX ?= /usr/local
ifneq ($(origin prefix),undefined) # as GNU packages spell it
PREFIX := $(prefix)
endif

CPPFLAGS += -Isrc -Iinclude -I$(BUILD) -D_GNU_SOURCE
WARN      = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-parameter
ifeq ($(CI),true)
WARN     += -Werror
endif
ifeq ($(MODE),debug)
CFLAGS_MODE = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
else ifeq ($(MODE),dev)
# To try a change: compiled fast, not to measure.
CFLAGS_MODE = -O1 -g1
else
CFLAGS_MODE = -O2 -g1 -fno-omit-frame-pointer
CFLAGS_MODEL = -O3 -fomit-frame-pointer
endif
# The models are compiled together: their units call each other per miss. gcc only, and with ordinary code
# beside it, so that the archive of the tests needs no plug-in. 2 to 10 % on programs that miss a lot.
ifeq ($(MODE)$(shell $(CC) --version 2>/dev/null | grep -c 'Free Software'),release1)
LTO       = -flto=2 -ffat-lto-objects
endif
CFLAGS_ALL = -std=c11 $(CFLAGS_MODE) $(CFLAGS_ROOM) $(WARN) -fvisibility=hidden -MMD -MP $(CFLAGS)
LDLIBS    = -lZydis -ljansson -lzstd -lm

# Rooms of the softpmu process; the guest runtime is built on its own below.
ROOMS     = base catalog x86 trace translate wire model pmu event record names where bare session asm lab perfev report html rabbit hw sweep plot history cli
SRC       = $(sort $(filter-out src/bare/plugin/%,$(shell find $(ROOMS:%=src/%) -name '*.c')))
# make static: the libraries that softpmu otherwise looks for while it runs are linked in, and nothing is loaded.
ifeq ($(STATIC),yes)
SRC      := $(filter-out src/base/library.c,$(SRC)) src/linked/library.c
LDLIBS    = -static-pie -Wl,--gc-sections,--wrap=dlopen,-Map=$@.map -Lbuild/zydis -lZydis -ljansson -lsqlite3 -lpfm -ldw -lelf -lz -llzma \
	-lbz2 -lzstd -lsupc++ -lm
endif
GEN       = $(BUILD)/gen/wire_room.h $(patsubst catalog/%/wires.tsv,$(BUILD)/gen/wires_%.h,$(wildcard catalog/*/wires.tsv)) \
            $(BUILD)/gen/p5_params.h $(BUILD)/gen/catalog_tables.c
OBJ       = $(SRC:%.c=$(BUILD)/%.o) $(BUILD)/gen/catalog_tables.o $(BUILD)/src/session/guest_image.o \
            $(BUILD)/src/cli/texts.o $(BUILD)/gen/lab_files.o $(BUILD)/src/html/files.o
LIB_OBJ   = $(filter-out $(BUILD)/src/cli/main.o,$(OBJ)) $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/lib/*.c))

.PHONY: all demo check check-all bench fmt help clean install
all: $(BUILD)/softpmu lib markers bare-plugin man

$(BUILD)/softpmu: $(OBJ)
	$(CC) $(CFLAGS_ALL) $(LTO) -o $@ $(OBJ) $(LDFLAGS) $(LDLIBS)
$(BUILD)/src/model/%.o: CFLAGS_ROOM = $(CFLAGS_MODEL)
$(BUILD)/src/model/%.o: CFLAGS_ALL += $(LTO)

$(BUILD)/libsoftpmu.a: $(LIB_OBJ)
	rm -f $@ && ar rcs $@ $^

# ---- catalog: TSV -> C -------------------------------------------------------------------------
CATALOG = $(shell find catalog -type f 2>/dev/null)
$(BUILD)/tools/gencat: $(wildcard tools/gencat*.[ch])
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -std=c11 -O1 -g $(WARN) $(CFLAGS) -o $@ $(filter %.c,$^) $(LDFLAGS)
$(BUILD)/gen/.stamp: $(BUILD)/tools/gencat $(CATALOG)
	@mkdir -p $(@D)
	$(BUILD)/tools/gencat catalog $(BUILD)/gen
	@touch $@
$(GEN): $(BUILD)/gen/.stamp ;
# Names of the kernel's calls by number, as initialisers of an array.
$(BUILD)/gen/call_names.h: tools/syscalls.tsv
	@mkdir -p $(@D)
	awk 'BEGIN { print "#define CALL_NAMES \\" } { printf "\t[%s] = \"%s\", \\\n", $$1, $$2 } END { print "" }' $< > $@
$(BUILD)/src/session/files/journal.o: $(BUILD)/gen/call_names.h

$(BUILD)/%.o: %.c | $(BUILD)/gen/.stamp
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -c -o $@ $<
$(BUILD)/gen/%.o: $(BUILD)/gen/%.c
	$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -c -o $@ $<

# ---- guest runtime: freestanding, static, at a fixed address, embedded in softpmu ---------------
GUEST_SRC = $(sort $(shell find src/guest -name "*.[cS]"))
GUEST_OBJ = $(patsubst %,$(BUILD)/%.o,$(GUEST_SRC))
GUEST_CFLAGS = -std=c11 -O2 -g1 $(WARN) -ffreestanding -fno-stack-protector -fno-pic -fno-pie -mcmodel=large \
	-mgeneral-regs-only -mno-red-zone -fcf-protection=none -fno-asynchronous-unwind-tables -fno-builtin -MMD -MP \
	-ffile-prefix-map=$(CURDIR)=.
$(BUILD)/src/guest/%.c.o: src/guest/%.c
	@mkdir -p $(@D)
	$(CC) -Isrc $(GUEST_CFLAGS) -c -o $@ $<
$(BUILD)/src/guest/%.S.o: src/guest/%.S
	@mkdir -p $(@D)
	$(CC) -Isrc $(GUEST_CFLAGS) -c -o $@ $<
$(BUILD)/softpmu-guest: $(GUEST_OBJ) src/guest/start/guest.ld
	$(CC) -nostdlib -static -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-T,src/guest/start/guest.ld -o $@ $(GUEST_OBJ)
$(BUILD)/src/session/guest_image.o: src/session/guest_image.S $(BUILD)/softpmu-guest
	@mkdir -p $(@D)
	$(CC) -DGUEST_IMAGE='"$(BUILD)/softpmu-guest"' -c -o $@ $<

$(BUILD)/src/cli/texts.o: src/cli/texts.S docs/GLOSSARY.md docs/EXPLANATIONS.md $(wildcard src/cli/completion.*)
	@mkdir -p $(@D)
	$(CC) -c -o $@ $<

-include $(shell find $(BUILD) -name '*.d' -type f 2>/dev/null)

clean:
	rm -rf build

include src/lib/lib.mk
include src/lab/lab.mk
include src/html/html.mk
include src/rabbit/rabbit.mk
include src/markers/markers.mk
include src/bare/bare.mk
include tools/man.mk
-include tests/tests.mk
-include bench/bench.mk
-include tools/house.mk
include tools/site/site.mk
include packaging/packaging.mk
