# man.mk -- man pages of the commands: texts of docs/man/ with what src/cli/*.def know of commands and options.

MAN_TEXT = $(wildcard docs/man/softpmu*.1.in)
MAN      = $(MAN_TEXT:docs/man/%.in=$(BUILD)/man/%)
MAN_DIR  = $(DESTDIR)$(PREFIX)/share/man/man1

$(BUILD)/tools/manpage: tools/manpage.c src/cli/commands.def src/cli/options.def src/rabbit/options.def src/base/version.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -std=c11 -O1 -g $(WARN) $(CFLAGS) -o $@ $< $(LDFLAGS)
$(BUILD)/man/%.1: docs/man/%.1.in docs/man/options.man $(BUILD)/tools/manpage
	@mkdir -p $(@D)
	$(BUILD)/tools/manpage $< docs/man/options.man >$@.new
	@mv $@.new $@

.PHONY: man install-man uninstall-man
man: $(MAN)
install-man: $(MAN)
	install -d $(MAN_DIR)
	install -m 644 $(MAN) $(MAN_DIR)/
uninstall-man:
	rm -f $(MAN:$(BUILD)/man/%=$(MAN_DIR)/%)
