/* jit.h -- names that a JIT compiler wrote for perf: /tmp/perf-PID.map.
 *
 * RULE            a line is an address and a size, both hexadecimal, and a name. Where lines
 *                 overlap the last one holds: code has been moved, or its room used again.
 * NOT MODELLED    what lay there before: counts of an address are one number. jitdump.
 * TRUST           the file is the user's own and no link, at most MOST_MAP bytes are read.
 */
#ifndef SOFTPMU_CLI_JIT_H
#define SOFTPMU_CLI_JIT_H

#include <jansson.h>
#include <sys/types.h>

#include "record/process.h"

/* The names of p's places that lie in no file, by the file of process `pid`: a list as
 * record/jit.h has it, owned by the caller; NULL where there are none. */
json_t *cli_jit_names(const struct rec_process *p, pid_t pid);

#endif
