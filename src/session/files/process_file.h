/* process_file.h -- names of files of which each process of a run has its own. "%p" in the name
 * that the user gave becomes the order of birth of the process (session/serve/family.h). So a
 * repeated run makes files of equal names. */
#ifndef SOFTPMU_SESSION_PROCESS_FILE_H
#define SOFTPMU_SESSION_PROCESS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "session/serve/family.h"

/* Returns true if each process has a file of its own. pattern NULL: returns false. */
bool ses_has_process_files(const char *pattern);

/* Returns the name for process m, owned by the caller; without "%p" a copy of the pattern. Returns
 * NULL without memory. */
char *ses_process_file(const char *pattern, const struct ses_member *m);

#endif
