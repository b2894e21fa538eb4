/* regions.c -- two regions of a program, counted each time they are entered, printed at the end.
 *
 *	./regions --pmu-events cycles,instructions,branch-misses 200000
 *	SOFTPMU_FORMAT=json softpmu run -- ./regions
 */
#include <softpmu/softpmu.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	struct spmu_settings settings = SPMU_SETTINGS;
	struct spmu_thread *me;
	struct spmu_error err;
	struct spmu *pmu;
	unsigned *number, seed = 1;
	int fill, sort, n;

	if (spmu_settings_environment(&settings, &err) || spmu_settings_arguments(&settings, &argc, argv, &err) ||
	    spmu_open(&pmu, &settings, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
		return 1;
	}
	if (spmu_thread_open(pmu, &me, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
		spmu_close(pmu);
		return 1;
	}
	n = argc > 1 ? atoi(argv[1]) : 10000;
	number = n > 0 ? malloc((size_t)n * sizeof(*number)) : NULL;
	if (!number)
		return 1;
	fill = spmu_region(pmu, "fill");
	sort = spmu_region(pmu, "sort");
	for (int round = 0; round < 3; round++) {
		spmu_begin(me, fill);
		for (int i = 0; i < n; i++)
			number[i] = seed = seed * 1103515245u + 12345u;
		spmu_end(me, fill);

		spmu_begin(me, sort);
		qsort(number, (size_t)n, sizeof(*number), by_value);
		spmu_end(me, sort);
	}
	printf("the smallest is %u\n", number[0]);
	free(number);
	if (spmu_finish(pmu)) {
		fprintf(stderr, "%s: the counts cannot be written\n", argv[0]);
		return 1;
	}
	return 0;
}
