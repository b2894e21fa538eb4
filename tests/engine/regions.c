/* regions.c -- a program that names its regions by the client requests of Valgrind's headers;
 * regions.sh runs it. */
#include <stdio.h>
#include <string.h>

#include <valgrind/callgrind.h>

static volatile unsigned sum;

/* Three instructions a turn, more or less. */
__attribute__((noinline)) static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		__asm__ volatile("" : : : "memory");
	sum += n;
}

int main(int argc, char **argv)
{
	if (RUNNING_ON_VALGRIND)
		return 3;
	CALLGRIND_START_INSTRUMENTATION;
	work(10000);
	CALLGRIND_STOP_INSTRUMENTATION;
	for (int i = 0; i < 3; i++) {
		CALLGRIND_TOGGLE_COLLECT;
		work(1000);
		CALLGRIND_TOGGLE_COLLECT;
		work(100);
	}
	CALLGRIND_ZERO_STATS;
	work(20000);
	CALLGRIND_DUMP_STATS_AT("after twenty");
	work(5000);
	CALLGRIND_DUMP_STATS;
	CALLGRIND_STOP_INSTRUMENTATION; /* it was not started */
	printf("%u\n", sum);
	return 0;
}
