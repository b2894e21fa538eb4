/* Any text is either a list of events of the machine's own counters or one sentence. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hw/events.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char *const cpus[] = {"pentium3", NULL, "pentium-mmx", NULL};
	const char *cpu = cpus[n ? bytes[0] & 3 : 0];
	struct hw_machine m = {
	    .name = "test", .cpu = cpu ? cat_find_cpu(cpu) : NULL, .has_tried_pfm = true};
	struct hw_events list = {0};
	bool wants_text =
	    n && (bytes[0] & 0x18) == 0x18; /* looking for the nearest name takes long */
	struct spmu_error err = {0};
	char *text;
	int rc;

	if (n > 200)
		return 0;
	text = malloc(n + 1);
	if (!text)
		return 0;
	if (n)
		memcpy(text, bytes + 1, n - 1);
	text[n ? n - 1 : 0] = 0;
	rc = hw_parse_events(&m, text, n && bytes[0] & 4, &list, wants_text ? &err : NULL);
	if (rc && wants_text && !err.text[0])
		abort();
	for (size_t i = 0; i < list.n && !rc; i++)
		if (!list.event[i].name[0] || list.event[i].group >= list.n_group ||
		    !(list.event[i].user || list.event[i].kernel || list.event[i].hypervisor))
			abort();
	hw_events_free(&list);
	free(text);
	return 0;
}
