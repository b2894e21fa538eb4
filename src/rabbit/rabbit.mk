# rabbit.mk -- what softpmu rabbit needs beside the program: the suggested pairs as input files, and its other name.

RABBIT_SETS  = coverage data-references events-vs-cycles user-system
RABBIT_FILES = $(RABBIT_SETS:%=$(BUILD)/share/rabbit/%.rabbit)

.PHONY: rabbit-files install-rabbit uninstall-rabbit
all: rabbit-files
rabbit-files: $(RABBIT_FILES)
$(BUILD)/share/rabbit/%.rabbit: catalog/p6/groups/%.txt
	@mkdir -p $(@D)
	{ echo '# softpmu rabbit -input $(@F) PROGRAM'; cat $<; } >$@

# Debian has another program of this name: ours lies in libexec, and in bin only with RABBIT=bin.
RABBIT_DIR  = $(DESTDIR)$(PREFIX)/libexec/softpmu
RABBIT_DATA = $(DESTDIR)$(PREFIX)/share/softpmu/rabbit
install-rabbit: $(RABBIT_FILES)
	install -d $(RABBIT_DIR) $(RABBIT_DATA)
	ln -sf ../../bin/softpmu $(RABBIT_DIR)/rabbit
	install -m 644 $(RABBIT_FILES) $(RABBIT_DATA)/
ifeq ($(RABBIT),bin)
	ln -sf softpmu $(DESTDIR)$(PREFIX)/bin/rabbit
endif
uninstall-rabbit:
	rm -rf $(RABBIT_DIR) $(DESTDIR)$(PREFIX)/share/softpmu
	if [ -L $(DESTDIR)$(PREFIX)/bin/rabbit ] && [ "$$(readlink $(DESTDIR)$(PREFIX)/bin/rabbit)" = softpmu ]; then \
		rm $(DESTDIR)$(PREFIX)/bin/rabbit; fi
