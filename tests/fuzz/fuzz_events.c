/* Any text is either a list of events or one sentence; formulas likewise. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event/events.h"
#include "event/formula.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char *const cpus[] = {"pentium3", "pentium-mmx", "pentiumpro", "toy"};
	const struct cat_cpu *cpu = cat_find_cpu(cpus[n ? bytes[0] & 3 : 0]);
	bool is_raw = n && bytes[0] & 4;
	bool wants_text =
	    n && (bytes[0] & 0x18) == 0x18; /* looking for the nearest name takes long */
	struct evt_events list = {0};
	struct spmu_error err = {0};
	struct evt_formula f;
	char *text;

	if (n > 300)
		return 0;
	text = malloc(n + 1);
	if (!text)
		return 0;
	if (n)
		memcpy(text, bytes + 1, n - 1);
	text[n ? n - 1 : 0] = 0;
	if (evt_parse_events(cpu, text, is_raw, &list, wants_text ? &err : NULL) && wants_text &&
	    !err.text[0])
		abort();
	for (size_t i = 0; i < list.n; i++)
		if (!is_raw && !list.event[i].event)
			abort();
	evt_check_counters(&list, 2, &err);
	evt_formula_parse(cpu, text, &f, NULL);
	evt_events_free(&list);
	free(text);
	return 0;
}
