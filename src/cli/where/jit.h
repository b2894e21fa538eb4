/* jit.h -- names of code that lies in no file, for a record (record/jit.h). */
#ifndef SOFTPMU_CLI_JIT_H
#define SOFTPMU_CLI_JIT_H

#include <jansson.h>

#include "record/process.h"
#include "session/files/jit_names.h"

/* The names of p's places that lie in no file, by those that its compiler wrote, which are sorted:
 * a list as record/jit.h has it, owned by the caller; NULL where there are none. */
json_t *cli_jit_names(const struct rec_process *p, struct ses_jit_names *names);

#endif
