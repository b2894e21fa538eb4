/* library.c -- the libraries of a wholly static softpmu (make static): what is asked for is linked
 * in, nothing is loaded. Stands in for base/library.c.
 */
#include "base/library.h"

#include <perfmon/pfmlib_perf_event.h>
#include <stddef.h>
#include <string.h>

#include "history/sqlite.h"
#include "names/libdw.h"

char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);
void *__wrap_dlopen(const char *file, int mode);

struct function {
	const char *file, *name;
	void (*start)(void);
};

#define IN(file, name) {file, #name, (void (*)(void))name},
static const struct function functions[] = {
#define NM_FUNCTION(name) IN("libdw.so.1", name)
    NM_FUNCTIONS
#undef NM_FUNCTION
#define HST_FUNCTION(name) IN("libsqlite3.so.0", name)
	HST_FUNCTIONS
#undef HST_FUNCTION
	    IN("libstdc++.so.6", __cxa_demangle) IN("libpfm.so.4", pfm_initialize)
		IN("libpfm.so.4", pfm_strerror) IN("libpfm.so.4", pfm_get_os_event_encoding)
		    IN("libpfm.so.4", pfm_get_pmu_info) IN("libpfm.so.4", pfm_get_event_info)
			IN("libpfm.so.4", pfm_get_event_next)};

#define N_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* A handle is the first row of a library; its rows stand together. */
void *library_open(const char *file)
{
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		if (!strcmp(functions[i].file, file))
			return (void *)&functions[i];
	return NULL;
}

void library_find(void *library, const char *name, void *function)
{
	const struct function *first = library, *f = first;
	void (*start)(void) = NULL;

	for (; f && f < functions + N_FUNCTIONS && !strcmp(f->file, first->file); f++)
		if (!strcmp(f->name, name))
			start = f->start;
	memcpy(function, &start, sizeof(start));
}

void library_close(void *library)
{
}

/* Calls of dlopen in the libraries themselves come here: libdw's search for libdebuginfod finds
 * nothing. */
void *__wrap_dlopen(const char *file, int mode)
{
	return NULL;
}
