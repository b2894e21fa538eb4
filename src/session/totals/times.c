/* times.c -- what a run took. Rules: times.h. */
#include "session/totals/times.h"

void ses_times_begin(struct ses_times *t)
{
	clock_gettime(CLOCK_MONOTONIC, &t->begun);
	getrusage(RUSAGE_SELF, &t->self);
	getrusage(RUSAGE_CHILDREN, &t->children);
}

static double seconds(const struct timeval *now, const struct timeval *then)
{
	return (double)(now->tv_sec - then->tv_sec) + (double)(now->tv_usec - then->tv_usec) / 1e6;
}

void ses_times_end(const struct ses_times *t, struct ses_result *out)
{
	struct ses_times now;

	ses_times_begin(&now);
	out->elapsed_s = (double)(now.begun.tv_sec - t->begun.tv_sec) +
			 (double)(now.begun.tv_nsec - t->begun.tv_nsec) / 1e9;
	out->user_s = seconds(&now.self.ru_utime, &t->self.ru_utime) +
		      seconds(&now.children.ru_utime, &t->children.ru_utime);
	out->sys_s = seconds(&now.self.ru_stime, &t->self.ru_stime) +
		     seconds(&now.children.ru_stime, &t->children.ru_stime);
}

static uint64_t switches(const struct rusage *u)
{
	return (uint64_t)(u->ru_nvcsw + u->ru_nivcsw);
}

void ses_times_faults(const struct ses_times *t, struct ses_result *out)
{
	struct ses_times now;

	ses_times_begin(&now);
	out->minor_faults = (uint64_t)(now.self.ru_minflt - t->self.ru_minflt +
				       now.children.ru_minflt - t->children.ru_minflt);
	out->major_faults = (uint64_t)(now.self.ru_majflt - t->self.ru_majflt +
				       now.children.ru_majflt - t->children.ru_majflt);
	out->switches = switches(&now.self) - switches(&t->self) + switches(&now.children) -
			switches(&t->children);
}
