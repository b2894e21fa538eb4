/* libraries.h -- the ISA level that a program and everything it is linked with ask for.
 *
 * Walks the needed libraries breadth first, as ld.so would find them (limits: program.h). */
#ifndef SOFTPMU_SESSION_LIBRARIES_H
#define SOFTPMU_SESSION_LIBRARIES_H

/* Highest ISA level (1..4) of the ELF file at `path`, its interpreter and its libraries. Files that
 * are missing or damaged count as level 1: ld.so will complain itself.
 * library_path: LD_LIBRARY_PATH of the program, or NULL. */
int ses_libraries_level(const char *path, const char *library_path);

#endif
