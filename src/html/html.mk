# html.mk -- the page's style and script, which softpmu carries inside, and the digest by which the page allows that script alone.

$(BUILD)/src/html/files.o: src/html/files.S src/html/page.css src/html/page.js
	@mkdir -p $(@D)
	$(CC) -c -o $@ $<
$(BUILD)/gen/html_hash.h: src/html/page.js
	@mkdir -p $(@D)
	hash=$$(env printf "$$(sha256sum <$< | cut -c 1-64 | sed 's/../\\x&/g')" | base64) && \
	printf '#define HTM_SCRIPT_HASH "sha256-%s"\n' "$$hash" > $@
$(BUILD)/src/html/page.o: $(BUILD)/gen/html_hash.h
