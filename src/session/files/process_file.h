/* process_file.h -- names of files that each process of a run has for itself: "%p" in the name
 * that the user gave stands for the order of birth of the process (session/serve/family.h), so
 * that names repeat as the run does. */
#ifndef SOFTPMU_SESSION_PROCESS_FILE_H
#define SOFTPMU_SESSION_PROCESS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "session/serve/family.h"

/* Is there a file for each process? pattern NULL: no. */
bool ses_has_process_files(const char *pattern);

/* The name for process m: owned by the caller, NULL when memory is short. Without "%p" the
 * pattern itself. */
char *ses_process_file(const char *pattern, const struct ses_member *m);

#endif
