/* events.c -- what the events of a processor are: ./events pentium3 [NAME] */
#include <softpmu/catalog.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	const char *cpu = argc > 1 ? argv[1] : "pentium3";
	struct spmu_event_info e;

	if (argc > 2) {
		if (spmu_find_event(cpu, argv[2], -1, &e)) {
			fprintf(stderr, "%s: %s has no event %s\n", argv[0], cpu, argv[2]);
			return 1;
		}
		printf("%s (%02XH, %s): %s\n", e.name, e.code, e.unit, e.meaning);
		return 0;
	}
	for (size_t i = 0; spmu_nth_event(cpu, i, &e) == 0; i++)
		printf("%02XH  %-40s %s\n", e.code, e.name, e.counters == 3 ? "" : e.counters == 1 ? "counter 0 only" :
		       e.counters == 2 ? "counter 1 only" : "a register of its own");
	return 0;
}
