/* regions_likwid.c -- a program with LIKWID's markers, declared as its header does. regions.sh runs
 * it. */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void likwid_markerInit(void);
void likwid_markerThreadInit(void);
int likwid_markerRegisterRegion(const char *);
int likwid_markerStartRegion(const char *);
int likwid_markerStopRegion(const char *);
int likwid_markerResetRegion(const char *);
void likwid_markerGetRegion(const char *, int *, double *, double *, int *);
void likwid_markerClose(void);

__attribute__((noinline)) static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		__asm__ volatile("" : : : "memory");
}

static void *in_thread(void *unused)
{
	likwid_markerThreadInit();
	likwid_markerStartRegion("inner");
	work(3000);
	likwid_markerStopRegion("inner");
	return unused;
}

/* Longer than a turn: while one thread is in its region, the other one works. */
static void *beside(void *name)
{
	for (int i = 0; i < 2; i++) {
		likwid_markerStartRegion(name);
		work(*(const char *)name == 'l' ? 200000 : 100000);
		likwid_markerStopRegion(name);
	}
	return NULL;
}

/* Three instructions a turn, the event that is asked for, and what calls it. */
static int is_wrong(const char *name, double turns, int times)
{
	double events[4] = {7, 7, 7, 7}, seconds = 7;
	int n = 4, n_times = 7;

	likwid_markerGetRegion(name, &n, events, &seconds, &n_times);
	if (!times)
		return n != 0 || n_times != 0 || events[0] != 0 || seconds != 0;
	return n != 1 || n_times != times || events[0] < 3 * turns ||
	       events[0] > 3 * turns + 2000 * times || seconds <= 0 || seconds > 1 ||
	       events[1] != 0;
}

/* Processes: one that is forked, within a region of its parent's; one that it executes. */
static int family(char *self)
{
	int status;

	likwid_markerStartRegion("across");
	work(1000);
	if (!fork()) {
		work(2000);
		status = likwid_markerStopRegion("across") != 0;
		likwid_markerStartRegion("child");
		work(4000);
		likwid_markerStopRegion("child");
		status += is_wrong("child", 4000, 1) + is_wrong("across", 2000, 1);
		likwid_markerStartRegion("never");
		if (!status)
			execl(self, self, "again", (char *)NULL);
		_exit(9);
	}
	wait(&status);
	likwid_markerStopRegion("across");
	return status;
}

/* A child begins in the region that its parent leaves at the same time. */
static int forks(void)
{
	int n_wrong = 0, status;

	for (int i = 0; i < 40; i++) {
		likwid_markerStartRegion("forked");
		if (!fork())
			_exit(likwid_markerStopRegion("forked") != 0);
		likwid_markerStopRegion("forked");
		wait(&status);
		n_wrong += status != 0;
	}
	return n_wrong;
}

int main(int argc, char **argv)
{
	pthread_t thread, other;
	int n_wrong = 0;

	if (argc > 1 && !strcmp(argv[1], "again")) {
		n_wrong += likwid_markerStopRegion("never") != -1 || is_wrong("child", 0, 0);
		likwid_markerStartRegion("child");
		work(8000);
		likwid_markerStopRegion("child");
		return n_wrong;
	}

	likwid_markerInit();
	n_wrong += likwid_markerRegisterRegion("outer") != 0;
	n_wrong += likwid_markerStopRegion("inner") != -1; /* not begun */
	n_wrong += likwid_markerStartRegion("outer") !=
		   (argc > 1 ? -1 : 0); /* an argument: nobody listens */
	for (int i = 0; i < 2; i++) {
		likwid_markerStartRegion("inner");
		work(2000);
		likwid_markerStopRegion("inner");
	}
	likwid_markerStopRegion("outer");
	pthread_create(&thread, 0, in_thread, 0);
	pthread_join(thread, 0);
	likwid_markerStartRegion("cleared");
	work(100);
	likwid_markerStopRegion("cleared");
	likwid_markerResetRegion("cleared");
	if (argc == 1) {
		n_wrong += is_wrong("inner", 4000, 2) + is_wrong("nothing", 0, 0);
		pthread_create(&thread, 0, beside, "long");
		pthread_create(&other, 0, beside, "short");
		pthread_join(thread, 0);
		pthread_join(other, 0);
		n_wrong += family(argv[0]) != 0;
		n_wrong += forks();
	}
	likwid_markerClose();
	return n_wrong;
}
