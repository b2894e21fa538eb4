# lib.mk -- the public library: lib/libsoftpmu.so and .a, for programs that count their own events.
# It has what it needs of the other rooms in it; only what <softpmu/*.h> declares is visible outside.

LIBRARY_VERSION = $(shell sed -n 's/.*SPMU_VERSION "\(.*\)".*/\1/p' src/base/version.h)
LIBRARY_SONAME  = libsoftpmu.so.$(firstword $(subst ., ,$(LIBRARY_VERSION)))
LIBRARY_SRC     = $(sort $(wildcard src/lib/*.c src/base/*.c src/catalog/*.c)) \
	$(addprefix src/hw/,machine.c pfm.c names.c events.c event_find.c sysfs.c counter.c) \
	$(addprefix src/event/,events.c event_name.c event_part.c groups.c no_such.c) src/session/machine/host_counters.c \
	src/pmu/count.c src/pmu/select.c $(addprefix src/rabbit/,describe.c input.c options.c pairs.c print.c registers.c switch.c)
PMC_EVENTS      = $(BUILD)/include/softpmu/pmc_events.h
LIBRARY_OBJ     = $(LIBRARY_SRC:%.c=$(BUILD)/pic/%.o) $(BUILD)/pic/gen/catalog_tables.o
LIBRARY         = $(PMC_EVENTS) $(BUILD)/lib/libsoftpmu.so $(BUILD)/lib/libsoftpmu.a $(BUILD)/lib/softpmu.pc

.PHONY: lib install-lib uninstall-lib examples
lib: $(LIBRARY)

# Codes by name, as rabbit's header had them: P6, and with PMC_P5 the Pentium.
$(PMC_EVENTS): src/lib/pmc_events.awk catalog/p6/events.tsv catalog/p5/events.tsv
	@mkdir -p $(@D)
	awk -f $< catalog/p6/events.tsv catalog/p5/events.tsv >$@

$(BUILD)/pic/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -fPIC -c -o $@ $<
$(BUILD)/pic/%.o: %.c | $(BUILD)/gen/.stamp
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -fPIC -c -o $@ $<

$(BUILD)/lib/$(LIBRARY_SONAME): $(LIBRARY_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -shared -Wl,-soname,$(LIBRARY_SONAME) -Wl,-z,defs -o $@ $^ $(LDFLAGS) -lpthread -ldl
$(BUILD)/lib/libsoftpmu.so: $(BUILD)/lib/$(LIBRARY_SONAME)
	ln -sf $(LIBRARY_SONAME) $@

# One object, in which everything that is hidden is local: names of the rooms cannot meet those of a program.
$(BUILD)/lib/libsoftpmu.a: $(LIBRARY_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -r -nostdlib -Wl,--force-group-allocation -o $(BUILD)/lib/softpmu.o $^
	objcopy --localize-hidden $(BUILD)/lib/softpmu.o
	rm -f $@ && ar rcs $@ $(BUILD)/lib/softpmu.o

LIBDIR ?= $(PREFIX)/lib
$(BUILD)/lib/softpmu.pc: src/lib/softpmu.pc.in src/base/version.h src/lib/lib.mk
	@mkdir -p $(@D)
	sed 's,@PREFIX@,$(PREFIX),; s,@LIBDIR@,$(LIBDIR),; s,@VERSION@,$(LIBRARY_VERSION),' $< >$@

install-lib: $(LIBRARY)
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include/softpmu $(DESTDIR)$(PREFIX)/share/man/man3
	install -m 644 $(BUILD)/lib/libsoftpmu.a $(DESTDIR)$(LIBDIR)/
	install -m 755 $(BUILD)/lib/$(LIBRARY_SONAME) $(DESTDIR)$(LIBDIR)/libsoftpmu.so.$(LIBRARY_VERSION)
	ln -sf libsoftpmu.so.$(LIBRARY_VERSION) $(DESTDIR)$(LIBDIR)/$(LIBRARY_SONAME)
	ln -sf $(LIBRARY_SONAME) $(DESTDIR)$(LIBDIR)/libsoftpmu.so
	sed 's,@PREFIX@,$(PREFIX),; s,@LIBDIR@,$(LIBDIR),; s,@VERSION@,$(LIBRARY_VERSION),' src/lib/softpmu.pc.in \
		>$(DESTDIR)$(LIBDIR)/pkgconfig/softpmu.pc
	install -m 644 $(wildcard include/softpmu/*.h) $(PMC_EVENTS) $(DESTDIR)$(PREFIX)/include/softpmu/
	install -m 644 docs/softpmu.3 $(DESTDIR)$(PREFIX)/share/man/man3/
	install -m 644 docs/pmc_lib.3 $(DESTDIR)$(PREFIX)/share/man/man3/
	for name in $$(sed -n 's/^\.BI .*[ *]\(pmc_[a-z_]*\)(.*/\1/p' docs/pmc_lib.3); do \
		echo ".so man3/pmc_lib.3" >$(DESTDIR)$(PREFIX)/share/man/man3/$$name.3 || exit 1; \
	done
	for name in $$(sed -n 's/^\.BI .*[ *]\(spmu_[a-z_]*\)(.*/\1/p' docs/softpmu.3); do \
		echo ".so man3/softpmu.3" >$(DESTDIR)$(PREFIX)/share/man/man3/$$name.3 || exit 1; \
	done

uninstall-lib:
	rm -f $(DESTDIR)$(LIBDIR)/libsoftpmu.a $(DESTDIR)$(LIBDIR)/libsoftpmu.so* $(DESTDIR)$(LIBDIR)/pkgconfig/softpmu.pc
	rm -rf $(DESTDIR)$(PREFIX)/include/softpmu
	rm -f $(DESTDIR)$(PREFIX)/share/man/man3/softpmu.3 $(DESTDIR)$(PREFIX)/share/man/man3/spmu_*.3 \
		$(DESTDIR)$(PREFIX)/share/man/man3/pmc_*.3

examples: lib
	$(MAKE) -C examples PKG= SOFTPMU=$(abspath $(BUILD)) CC="$(CC)"
