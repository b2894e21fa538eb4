/* What a program sees of its processors: how many, and that its threads are spread over them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static void *where(void *unused)
{
	(void)unused;
	return (void *)(long)sched_getcpu();
}

int main(void)
{
	cpu_set_t set;
	pthread_t t;
	void *cpu;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	printf("%ld %d %d", sysconf(_SC_NPROCESSORS_ONLN), CPU_COUNT(&set), sched_getcpu());
	for (int i = 0; i < 3; i++) {
		pthread_create(&t, NULL, where, NULL);
		pthread_join(t, &cpu);
		printf(" %ld", (long)cpu);
	}
	printf("\n");
	return 0;
}
