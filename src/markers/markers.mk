# markers.mk -- libraries that a program is run with so that its own markers name regions (softpmu stat --per-region).

.PHONY: markers install-markers
markers: $(BUILD)/lib/libsoftpmu-likwid.so

$(BUILD)/lib/libsoftpmu-likwid.so: src/markers/likwid.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -std=c11 -O2 -g $(WARN) $(CFLAGS) -fPIC -fvisibility=hidden -shared -Wl,-z,defs -o $@ $< $(LDFLAGS)

install-markers: markers
	install -d $(DESTDIR)$(LIBDIR)
	install -m 755 $(BUILD)/lib/libsoftpmu-likwid.so $(DESTDIR)$(LIBDIR)/
