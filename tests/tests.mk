# tests.mk -- building the unit tests: tests/unit/test_<noun>.c, cmocka, linked with everything but main().

UNIT_SRC = $(wildcard tests/unit/test_*.c)
UNIT_BIN = $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/unit/%)

.PHONY: tests
tests: $(UNIT_BIN)

# What several unit tests share lies beside them in files that are not named test_*. -fno-lto: dozens of programs from the
# archive's objects as they are, not each optimised as a whole.
UNIT_HELP = $(filter-out $(UNIT_SRC),$(wildcard tests/unit/*.c))
$(BUILD)/tests/unit/%: tests/unit/%.c $(UNIT_HELP) $(BUILD)/libsoftpmu.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests/unit $(CFLAGS_ALL) -fno-lto -Wno-missing-prototypes -o $@ $< $(UNIT_HELP) $(BUILD)/libsoftpmu.a \
		$(LDFLAGS) -lcmocka $(LDLIBS) -lpthread

# Record what the commands print now; the difference is reviewed.
.PHONY: rebase
rebase: all
	REBASE=1 SOFTPMU=$(abspath $(BUILD)/softpmu) tests/cli/run.sh

# Published timings against the model: the table of results; cases-record writes it into docs/CASES.md.
.PHONY: cases cases-record
cases: all
	@tests/cases/cases.sh --table
	@tests/cases/silicon.sh --table
cases-record: all
	@tests/cases/cases.sh --record
	@tests/cases/silicon.sh --record

# The test that changes rows of the catalog stands between it and those who look them up.
$(BUILD)/tests/unit/test_p5_timing: LDFLAGS += -Wl,--wrap=cat_find_timing
