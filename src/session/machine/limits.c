/* limits.c -- the table of resource limits, and raising and restoring them. Rules: limits.h. */
#include "session/machine/limits.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "trace/share.h"

#define MIB	     (1ull << 20)
#define MOST_THREADS 16u
#define SECOND_US    1000000ull
#define LONGEST_US   (SECOND_US << 30)

/* Address space and data: measured, and rounded up (VmPeak and VmData of softpmu: 1.8 GiB and 60
 * MiB for a Pentium's structures, 2.8 GiB and 1.0 GiB with clocks of a Pentium III and threads
 * for them). */
static const struct ses_limit limits[SES_N_LIMITS] = {
    [SES_LIMIT_FILES] = {RLIMIT_NOFILE, "descriptors", "ulimit -n", 16, 16},
    [SES_LIMIT_FILE_SIZE] = {RLIMIT_FSIZE, "bytes", "ulimit -f", SHR_MEM_BYTES, SHR_MEM_BYTES},
    [SES_LIMIT_SPACE] = {RLIMIT_AS, "bytes", "ulimit -v", 1792 * MIB, 3072 * MIB},
    [SES_LIMIT_DATA] = {RLIMIT_DATA, "bytes", "ulimit -d", 256 * MIB, 1280 * MIB},
    [SES_LIMIT_TIME] = {RLIMIT_CPU, "seconds", "ulimit -t", 1, RLIM_INFINITY},
};

const struct ses_limit *ses_limit(int limit)
{
	return &limits[limit];
}

/* Raise limit number i. */
static void raise_one(int i, const struct rlimit *was)
{
	const struct ses_limit *l = &limits[i];
	struct rlimit r = {was->rlim_max, was->rlim_max};

	if (was->rlim_max < l->most) {
		r.rlim_cur = r.rlim_max = l->most;
		if (!setrlimit(l->resource, &r))
			return;
		r.rlim_cur = r.rlim_max = was->rlim_max;
	}
	setrlimit(l->resource, &r);
}

void ses_limits_raise(struct rlimit *was)
{
	for (int i = 0; i < SES_N_LIMITS; i++) {
		was[i] = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
		getrlimit(limits[i].resource, &was[i]);
		raise_one(i, &was[i]);
	}
}

bool ses_limits_watch_time(void)
{
	struct rlimit r = {RLIM_INFINITY, RLIM_INFINITY};
	struct rusage used = {.ru_utime = {0, 0}};
	struct itimerval timer = {{0, 0}, {0, 0}};
	uint64_t at, now;

	getrlimit(RLIMIT_CPU, &r);
	if (r.rlim_max == RLIM_INFINITY)
		return false;
	getrusage(RUSAGE_SELF, &used);
	now = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * SECOND_US +
	      (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
	at = r.rlim_max < LONGEST_US / SECOND_US ? r.rlim_max * SECOND_US : LONGEST_US;
	at -= at > SECOND_US ? SECOND_US : at / 2;
	at = at > now ? at - now : 1;
	timer.it_value = (struct timeval){(time_t)(at / SECOND_US), (suseconds_t)(at % SECOND_US)};
	setitimer(ITIMER_PROF, &timer, NULL);
	return true;
}

void ses_limits_leave_time(void)
{
	const struct itimerval none = {{0, 0}, {0, 0}};
	const struct timespec now = {0, 0};
	sigset_t late;

	setitimer(ITIMER_PROF, &none, NULL);
	sigemptyset(&late);
	sigaddset(&late, SIGPROF);
	while (sigtimedwait(&late, NULL, &now) > 0)
		continue;
}

void ses_limits_restore(const struct rlimit *was)
{
	struct rusage used;

	for (int i = 0; i < SES_N_LIMITS; i++) {
		if (i == SES_LIMIT_TIME && !getrusage(RUSAGE_SELF, &used) &&
		    (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1 >= was[i].rlim_cur)
			/* the kernel would end this process at once; the program had its limit */
			continue;
		setrlimit(limits[i].resource, &was[i]);
	}
}

uint64_t ses_limit_room(int limit)
{
	struct rlimit was = {RLIM_INFINITY, RLIM_INFINITY}, now;

	getrlimit(limits[limit].resource, &was);
	raise_one(limit, &was);
	now = was;
	getrlimit(limits[limit].resource, &now);
	setrlimit(limits[limit].resource, &was);
	return now.rlim_cur;
}

static uint64_t now(int i)
{
	struct rlimit r = {RLIM_INFINITY, RLIM_INFINITY};

	getrlimit(limits[i].resource, &r);
	return r.rlim_cur;
}

int ses_limits_check_time(struct spmu_error *err)
{
	struct rlimit r = {RLIM_INFINITY, RLIM_INFINITY};

	getrlimit(RLIMIT_CPU, &r);
	return r.rlim_max ? 0
			  : spmu_fail(err, SPMU_ESYS,
				      "ulimit -t allows 0 seconds of processor time, and softpmu "
				      "needs 1 at "
				      "least; raise it");
}

/* A thread that ends when its starter gives the lock free. */
static void *wait_for_lock(void *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
	return NULL;
}

bool ses_can_start_threads(unsigned n)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread[MOST_THREADS];
	sigset_t all, old;
	unsigned k = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_mutex_lock(&lock);
	while (k < n && k < MOST_THREADS && !pthread_create(&thread[k], NULL, wait_for_lock, &lock))
		k++;
	pthread_mutex_unlock(&lock);
	for (unsigned i = 0; i < k; i++)
		pthread_join(thread[i], NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return k == n;
}

int ses_limits_check(struct spmu_error *err)
{
	for (int i = SES_LIMIT_FILES; i <= SES_LIMIT_FILE_SIZE; i++)
		if (now(i) < limits[i].least)
			return spmu_fail(
			    err, SPMU_ESYS,
			    "%s allows %llu %s, and softpmu needs %llu; raise it ('softpmu "
			    "doctor' shows what "
			    "else is needed)",
			    limits[i].option, (unsigned long long)now(i), limits[i].unit,
			    (unsigned long long)limits[i].least);
	return 0;
}

void ses_limits_blame(struct spmu_error *err)
{
	char text[sizeof(err->text)];

	for (int i = SES_LIMIT_SPACE; i <= SES_LIMIT_DATA; i++) {
		if (now(i) >= limits[i].most)
			continue;
		snprintf(text, sizeof(text), "%s", err->text);
		spmu_fail(err, err->code,
			  "%.120s: %s allows %llu %s, and softpmu needs up to %llu; raise it", text,
			  limits[i].option, (unsigned long long)now(i), limits[i].unit,
			  (unsigned long long)limits[i].most);
		return;
	}
}
