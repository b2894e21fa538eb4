/* likwid.c -- LIKWID's marker functions as client requests: preload it into a program that was
 * built with them.
 *
 * RULES            a region is begun, ended and cleared by name, per thread; under softpmu stat
 *                  --per-region it is counted, everywhere else the functions do next to nothing.
 *                  likwid_markerGetRegion gives what the calling thread has counted there, in the
 *                  order of stat's -e, and the seconds of the model. likwid_markerNextGroup changes
 *                  nothing: every event is counted all the time. LIKWID's own library passes its
 *                  Fortran functions on to these.
 * NOT MODELLED     files of results (LIKWID_FILEPATH): the report has the regions; pinning.
 * SOURCES          names and parameters: likwid-marker.h of LIKWID 5; requests:
 *                  src/guest/calls/client_request.c.
 */
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

enum request { START = 'S' << 24 | 'P' << 16, STOP, RESET, GET };

/* The answer to GET. */
struct counts {
	uint64_t n_events, n_times;
	double seconds;
};

EXPORT void likwid_markerInit(void);
EXPORT void likwid_markerThreadInit(void);
EXPORT void likwid_markerNextGroup(void);
EXPORT void likwid_markerClose(void);
EXPORT void likwid_markerWriteFile(const char *name);
EXPORT int likwid_markerRegisterRegion(const char *name);
EXPORT int likwid_markerStartRegion(const char *name);
EXPORT int likwid_markerStopRegion(const char *name);
EXPORT int likwid_markerResetRegion(const char *name);
EXPORT void likwid_markerGetRegion(const char *name, int *n_events, double *events, double *seconds,
				   int *n_times);

/* Returns 0, or -1 when nobody listens or there is no such region. */
static int ask(enum request request, const char *name, double *events, int room,
	       struct counts *counts)
{
	const uintptr_t words[6] = {(uintptr_t)request, (uintptr_t)name, (uintptr_t)events,
				    (uintptr_t)(room > 0 ? room : 0), (uintptr_t)counts};
	uintptr_t answer = (uintptr_t)-1;

#ifdef __x86_64__
	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, "
			 "%%rdi\n\txchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(words)
			 : "cc", "memory");
#else
	__asm__ volatile("roll $3, %%edi\n\troll $13, %%edi\n\troll $29, %%edi\n\troll $19, "
			 "%%edi\n\txchgl %%ebx, %%ebx"
			 : "+d"(answer)
			 : "a"(words)
			 : "cc", "memory");
#endif
	return (int)answer;
}

int likwid_markerStartRegion(const char *name)
{
	return ask(START, name, NULL, 0, NULL);
}

int likwid_markerStopRegion(const char *name)
{
	return ask(STOP, name, NULL, 0, NULL);
}

int likwid_markerResetRegion(const char *name)
{
	return ask(RESET, name, NULL, 0, NULL);
}

int likwid_markerRegisterRegion(const char *name)
{
	(void)name;
	return 0;
}

void likwid_markerGetRegion(const char *name, int *n_events, double *events, double *seconds,
			    int *n_times)
{
	struct counts c = {0, 0, 0};
	const int room = n_events && events ? *n_events : 0;

	for (int i = 0; i < room; i++)
		events[i] = 0;
	ask(GET, name, events, room, &c);
	if (n_events)
		*n_events = (int)c.n_events;
	if (seconds)
		*seconds = c.seconds;
	if (n_times)
		*n_times = (int)c.n_times;
}

void likwid_markerInit(void)
{
}
void likwid_markerThreadInit(void)
{
}
void likwid_markerNextGroup(void)
{
}
void likwid_markerClose(void)
{
}
void likwid_markerWriteFile(const char *name)
{
	(void)name;
}
