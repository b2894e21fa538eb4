/* jit.h -- names that a JIT compiler wrote for perf: /tmp/perf-PID.map, and jit-PID.dump in the
 * directory where softpmu runs.
 *
 * RULE            a line of the map is an address and a size, both hexadecimal, and a name. A
 *                 record of the dump (jitdump version 1) loads code or moves it. Where they overlap
 *                 the last one holds, the dump's behind the map's: code has been moved, or its room
 *                 used again.
 * NOT MODELLED    what lay there before: counts of an address are one number. Lines of the dump,
 *                 and dumps that lie elsewhere.
 * TRUST           files are the user's own and no links, and read up to a limit; lengths in the
 *                 dump are compared with what is there.
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
