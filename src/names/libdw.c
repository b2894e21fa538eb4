/* libdw.c -- loads libdw and libelf when the first name is asked for. Rules: libdw.h. */
#include "names/libdw.h"

#include <string.h>

#include "base/library.h"

bool nm_libdw_open(struct nm_libdw *l)
{
	bool has_all = true;

	memset(l, 0, sizeof(*l));
	l->dw = library_open("libdw.so.1");
	l->cxx = library_open("libstdc++.so.6");
#define NM_FUNCTION(name)                                                                          \
	library_find(l->dw, #name, &l->name);                                                      \
	has_all &= l->name != NULL;
	NM_FUNCTIONS
#undef NM_FUNCTION
	library_find(l->cxx, "__cxa_demangle", &l->demangle);
	return has_all;
}

void nm_libdw_close(struct nm_libdw *l)
{
	library_close(l->dw);
	library_close(l->cxx);
}
