/* papi_marks.c -- preloaded before PAPI: what lies between PAPI_start and PAPI_stop (or the ends of
 * a high-level region) is a region of Valgrind's client requests, so that `softpmu stat
 * --per-region` counts from outside what PAPI counts.
 *
 * The mark begins behind PAPI_start and ends before PAPI_stop, so it has a little less than PAPI
 * sees: PAPI's own way from its system calls to the program and back.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <valgrind/callgrind.h>

typedef int with_set(int);
typedef int with_values(int, long long *);
typedef int with_name(const char *);

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

int PAPI_start(int set)
{
	static with_set *real;
	int rc;

	if (!real)
		real = (with_set *)next("PAPI_start");
	rc = real(set);
	CALLGRIND_START_INSTRUMENTATION;
	return rc;
}

int PAPI_stop(int set, long long *values)
{
	static with_values *real;

	CALLGRIND_STOP_INSTRUMENTATION;
	if (!real)
		real = (with_values *)next("PAPI_stop");
	return real(set, values);
}

int PAPI_hl_region_begin(const char *name)
{
	int rc = ((with_name *)next("PAPI_hl_region_begin"))(name);

	CALLGRIND_TOGGLE_COLLECT;
	return rc;
}

int PAPI_hl_region_end(const char *name)
{
	CALLGRIND_TOGGLE_COLLECT;
	return ((with_name *)next("PAPI_hl_region_end"))(name);
}
