# lab.mk -- the lessons of the laboratory and their programs, which softpmu carries inside: they run without an assembler.

LESSONS = $(sort $(wildcard src/lab/lessons/*.lesson))
$(BUILD)/gen/lab_files.S: $(LESSONS) src/lab/lessons src/lab/prelude.s src/lab/epilogue.s tools/lab-programs.sh
	@mkdir -p $(@D)
	AS='$(AS)' LD='$(LD)' tools/lab-programs.sh $(BUILD)/lab $@ $(LESSONS)
$(BUILD)/gen/lab_files.o: $(BUILD)/gen/lab_files.S
	$(CC) -c -o $@ $<
