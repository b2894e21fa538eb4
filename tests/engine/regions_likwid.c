/* regions_likwid.c -- a program with LIKWID's markers, declared as its header does. regions.sh runs it. */
#include <pthread.h>

void likwid_markerInit(void);
void likwid_markerThreadInit(void);
int likwid_markerRegisterRegion(const char *);
int likwid_markerStartRegion(const char *);
int likwid_markerStopRegion(const char *);
int likwid_markerResetRegion(const char *);
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

int main(int argc, char **argv)
{
	pthread_t thread;
	int n_wrong = 0;

	likwid_markerInit();
	n_wrong += likwid_markerRegisterRegion("outer") != 0;
	n_wrong += likwid_markerStopRegion("inner") != -1; /* not begun */
	n_wrong += likwid_markerStartRegion("outer") != (argc > 1 ? -1 : 0); /* an argument: nobody listens */
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
	likwid_markerClose();
	return n_wrong;
}
