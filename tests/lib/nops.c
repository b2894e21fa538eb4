/* nops.c -- a region of N instructions has N: regions of 0, 1 and 10. */
#include <stdio.h>

#include <softpmu/softpmu.h>

#define MEASURE(n)                                                                                 \
	static void measure_##n(struct spmu *pmu, struct spmu_thread *me)                          \
	{                                                                                          \
		const int region = spmu_region(pmu, "nops" #n);                                    \
                                                                                                   \
		spmu_begin(me, region);                                                            \
		__asm__ volatile(".rept " #n "; nop; .endr");                                      \
		spmu_end(me, region);                                                              \
	}
MEASURE(0)
MEASURE(1)
MEASURE(10)

int main(void)
{
	struct spmu *pmu;
	struct spmu_thread *me;
	struct spmu_error err;

	if (spmu_open(&pmu, NULL, &err) || spmu_thread_open(pmu, &me, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	measure_0(pmu, me);
	measure_1(pmu, me);
	measure_10(pmu, me);
	return spmu_finish(pmu) ? 1 : 0;
}
