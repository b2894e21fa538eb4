/* libraries.h -- the libraries of a program: the ISA level that program and libraries ask for, and
 * where the libraries lie.
 *
 * Walks the needed libraries breadth first, as ld.so would find them (limits: program.h).
 */
#ifndef SOFTPMU_SESSION_LIBRARIES_H
#define SOFTPMU_SESSION_LIBRARIES_H

#include <stdbool.h>

#include "session/program/ld_cache_file.h"

/* Highest ISA level (1..4) of the ELF file at `path`, its interpreter and its libraries. Files that
 * are missing or damaged count as level 1: ld.so will complain itself. library_path:
 * LD_LIBRARY_PATH of the program, or NULL. *has_papi: PAPI is one of the libraries. */
int ses_libraries_level(const char *path, const char *library_path, bool *has_papi);

/* Append to *out the libraries for which the loader needs a list: those of the program that it
 * finds not by RPATH, LD_LIBRARY_PATH or RUNPATH, but in `host`, its list, or in its own
 * directories. preload: LD_PRELOAD, or NULL. Returns 0 or -SPMU_ENOMEM. */
int ses_libraries_list(const char *path, bool is_32, const char *library_path, const char *preload,
		       const struct ld_list *host, struct ld_list *out);

/* Returns true if the file lies in a directory that the loader searches by default. */
bool ses_libraries_is_own_dir(const char *path, bool is_32);

#endif
