/* jit_names.h -- names that a JIT compiler wrote for perf: /tmp/perf-PID.map, and jit-PID.dump in
 * the directory where softpmu runs.
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
#ifndef SOFTPMU_SESSION_JIT_NAMES_H
#define SOFTPMU_SESSION_JIT_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A line of the map, or a record of the dump. */
struct ses_jit_name {
	uint64_t addr, bytes;
	const char *name; /* of text or dump */
	size_t line;
};

/* All zero is empty. */
struct ses_jit_names {
	char *text, *dump;	   /* owned */
	struct ses_jit_name *name; /* in the order of the lines, until ses_jit_sort(); owned */
	size_t n;
};

/* Take the names of process `pid`; there may be none. ses_jit_free() in any case. */
void ses_jit_read(struct ses_jit_names *m, pid_t pid);

/* Take the lines of a map, which are the caller's no more (text, NUL terminated). */
void ses_jit_parse(struct ses_jit_names *m, char *text);

/* Returns all names of m as the lines of one map, *bytes bytes and a NUL; owned by the caller.
 * NULL: there are none, or no memory. Call it before ses_jit_sort(). */
char *ses_jit_lines(const struct ses_jit_names *m, size_t *bytes);

/* Sort by address: ses_jit_find() wants it so, and returns the last line that has the address, or
 * NULL. */
void ses_jit_sort(struct ses_jit_names *m);
const struct ses_jit_name *ses_jit_find(const struct ses_jit_names *m, uint64_t addr);

void ses_jit_free(struct ses_jit_names *m);

#endif
