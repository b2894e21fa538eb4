#include "names/libdw.h"

#include <dlfcn.h>
#include <string.h>

/* A function by name; ISO C has no conversion from a data pointer. */
static void find(void *library, const char *name, void *function)
{
	void *p = library ? dlsym(library, name) : NULL;

	memcpy(function, &p, sizeof(p));
}

bool nm_libdw_open(struct nm_libdw *l)
{
	bool has_all = true;

	memset(l, 0, sizeof(*l));
	l->dw = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
	l->cxx = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
#define NM_FUNCTION(name)                                                                          \
	find(l->dw, #name, &l->name);                                                              \
	has_all &= l->name != NULL;
	NM_FUNCTIONS
#undef NM_FUNCTION
	find(l->cxx, "__cxa_demangle", &l->demangle);
	return has_all;
}

void nm_libdw_close(struct nm_libdw *l)
{
	if (l->dw)
		dlclose(l->dw);
	if (l->cxx)
		dlclose(l->cxx);
}
