/* span.c -- how many events a few instructions take: start and stop around them, with exact borders (CPUID), the
 * cost of measuring taken off. What is counted comes from the command line. */
#include <softpmu/softpmu.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct spmu_settings settings = { .events = "instructions", .is_serial = true };
	uint64_t count[SPMU_MOST_EVENTS];
	struct spmu_thread *me;
	struct spmu_error err;
	struct spmu *pmu;

	if (spmu_settings_arguments(&settings, &argc, argv, &err) || spmu_open(&pmu, &settings, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
		return 1;
	}
	if (spmu_thread_open(pmu, &me, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
		spmu_close(pmu);
		return 1;
	}
	printf("read with %s on %s\n", spmu_is_inline(me) ? "RDPMC" : "read(2)", spmu_machine_name(pmu));
	for (int n = 0; n <= 100; n += 50) {
		spmu_start(me);
		for (int i = 0; i < n; i++)
			__asm__ volatile("nop; nop; nop; nop");
		if (spmu_stop(me, count))
			return 1;
		for (size_t k = 0; k < spmu_event_count(pmu); k++)
			printf("%d rounds: %llu %s\n", n, (unsigned long long)count[k], spmu_event_name(pmu, k));
	}
	spmu_close(pmu);
	return 0;
}
