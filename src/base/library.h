/* library.h -- libraries that are looked for while softpmu runs: libdw, libstdc++, libpfm4.
 *
 * The one place that loads anything: who links these functions in replaces library.c.
 */
#ifndef SOFTPMU_BASE_LIBRARY_H
#define SOFTPMU_BASE_LIBRARY_H

/* Open the library with this file name ("libdw.so.1"). Returns a handle that library_close takes,
 * or NULL: it is not there. */
void *library_open(const char *file);

/* Store the function `name` of an open library in *function, a pointer to a pointer to a function;
 * NULL when the library is NULL or has no such function. */
void library_find(void *library, const char *name, void *function);

/* Let go of a library; NULL is allowed. No function of it may be called from then on. */
void library_close(void *library);

#endif
