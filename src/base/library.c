/* library.c -- libraries that are looked for while softpmu runs, by dlopen. */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

void *library_open(const char *file)
{
	return dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

/* ISO C has no conversion from a data pointer to a function's, hence the copy. */
void library_find(void *library, const char *name, void *function)
{
	void *p = library ? dlsym(library, name) : NULL;

	memcpy(function, &p, sizeof(p));
}

void library_close(void *library)
{
	if (library)
		dlclose(library);
}
