# bare.mk -- the plugin that softpmu bare loads into QEMU (src/bare/plugin). It is built without QEMU's and glib's headers.

.PHONY: bare-plugin install-bare
bare-plugin: $(BUILD)/lib/libsoftpmu-bare.so

$(BUILD)/lib/libsoftpmu-bare.so: $(sort $(wildcard src/bare/plugin/*.c)) $(wildcard src/bare/plugin/*.h) src/bare/stream.h src/trace/wait.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -std=c11 -O2 -g $(WARN) $(CFLAGS) -fPIC -fvisibility=hidden -shared -o $@ $(filter %.c,$^) $(LDFLAGS)

install-bare: bare-plugin
	install -d $(DESTDIR)$(LIBDIR)
	install -m 755 $(BUILD)/lib/libsoftpmu-bare.so $(DESTDIR)$(LIBDIR)/
