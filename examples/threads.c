/* threads.c -- each thread opens its own counters in the same session; results are printed at exit. */
#include <pthread.h>
#include <softpmu/softpmu.h>
#include <stdio.h>
#include <stdlib.h>

#define N_THREADS 3

static double shares[N_THREADS];

struct job {
	struct spmu *pmu;
	int number;
};

static void *work(void *arg)
{
	const struct job *job = arg;
	struct spmu_thread *me;
	struct spmu_error err;
	int region = spmu_region(job->pmu, "sum");

	if (spmu_thread_open(job->pmu, &me, &err)) {
		fprintf(stderr, "thread %d: %s\n", job->number, err.text);
		return NULL;
	}
	for (int round = 0; round <= job->number; round++) {
		double sum = 0;

		spmu_begin(me, region);
		for (int i = 1; i < 20000; i++)
			sum += 1.0 / i;
		spmu_end(me, region);
		shares[job->number] += sum;
	}
	spmu_thread_close(me);
	return NULL;
}

int main(void)
{
	pthread_t thread[N_THREADS];
	struct job job[N_THREADS];
	struct spmu_error err;
	struct spmu *pmu;

	if (spmu_open(&pmu, NULL, &err)) { /* SOFTPMU_EVENTS and its like say what is counted */
		fprintf(stderr, "threads: %s\n", err.text);
		return 1;
	}
	spmu_finish_at_exit(pmu);
	for (int i = 0; i < N_THREADS; i++) {
		job[i] = (struct job){ pmu, i };
		if (pthread_create(&thread[i], NULL, work, &job[i]))
			return 1;
	}
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("%.6f\n", shares[0] + shares[1] + shares[2]);
	return 0;
}
