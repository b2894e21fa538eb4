/* likwid.c -- a program with every marker of LIKWID's own header, and those of its Fortran
 * interface; linked with LIKWID's own library. perf32.sh runs it: exit status 0 when each region is
 * what the program knows of it.
 */
#include <likwid-marker.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

/* As Fortran calls them: texts without an end, their lengths behind all arguments. */
void likwid_markerinit_(void);
void likwid_markerthreadinit_(void);
void likwid_markernextgroup_(void);
void likwid_markerclose_(void);
void likwid_markerregisterregion_(char *name, int bytes);
void likwid_markerstartregion_(char *name, int bytes);
void likwid_markerstopregion_(char *name, int bytes);
void likwid_markerresetregion_(char *name, int bytes);
void likwid_markergetregion_(char *name, int *n, double *events, double *seconds, int *times,
			     int bytes);

/* 2n + 1 instructions, n branches. */
static __attribute__((noinline)) void step(unsigned long n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

/* What was given for a region that was entered `times` times and took `steps`. */
static void check(const char *name, int n, const double *events, double seconds, int got, int times,
		  double steps)
{
	CHECK(n == 2 && got == times, "%s: %d events, %d times", name, n, got);
	CHECK(events[0] >= 2 * steps && events[0] <= 2 * steps + 2000 * times,
	      "%s: %.0f instructions", name, events[0]);
	CHECK(events[1] >= steps && events[1] <= steps + 500 * times, "%s: %.0f branches", name,
	      events[1]);
	CHECK(steps ? seconds > 0 && seconds < 1 : seconds == 0, "%s: %g seconds", name, seconds);
}

int main(void)
{
	char fortran[] = "fortran";
	const int bytes = (int)strlen(fortran);
	double events[4], seconds;
	int n = 4, times;

	LIKWID_MARKER_INIT;
	LIKWID_MARKER_THREADINIT;
	LIKWID_MARKER_REGISTER("c");
	for (int i = 0; i < 3; i++) {
		LIKWID_MARKER_START("c");
		step(20000);
		LIKWID_MARKER_STOP("c");
		LIKWID_MARKER_SWITCH; /* every event is counted all the time */
	}
	LIKWID_MARKER_GET("c", &n, events, &seconds, &times);
	check("c", n, events, seconds, times, 3, 60000);
	LIKWID_MARKER_RESET("c");
	n = 4;
	LIKWID_MARKER_GET("c", &n, events, &seconds, &times);
	check("c, cleared", n, events, seconds, times, 0, 0);

	likwid_markerinit_();
	likwid_markerthreadinit_();
	likwid_markerregisterregion_(fortran, bytes);
	likwid_markerstartregion_(fortran, bytes);
	step(50000);
	likwid_markerstopregion_(fortran, bytes);
	likwid_markernextgroup_();
	n = 4;
	likwid_markergetregion_(fortran, &n, events, &seconds, &times, bytes);
	check("fortran", n, events, seconds, times, 1, 50000);
	likwid_markerresetregion_(fortran, bytes);
	likwid_markerclose_();
	LIKWID_MARKER_CLOSE;
	return n_wrong > 0;
}
