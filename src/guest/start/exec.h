/* exec.h -- the program replaces itself by another one.
 *
 * RULE   the file is checked first, as far as the kernel's own errors go: only what can be
 *        loaded is. Then the runtime's image is executed anew, by the kernel and with the new
 *        program's arguments and environment, so that descriptors, signals, limits, identity and
 *        timers become what the kernel makes of them. The new runtime finds its connections by
 *        their numbers in front of the arguments.
 * MODELLED       scripts up to five deep, execveat with all its flags, files without a name
 *                (fexecve), the limit on arguments, set-uid files without their owner's rights
 *                (rights.h).
 * NOT MODELLED   ETXTBSY; files that may be executed but not read; AT_EXECFN of a script names
 *                its interpreter.
 * SOURCES        execve(2), execveat(2).
 */
#ifndef SOFTPMU_GUEST_EXEC_H
#define SOFTPMU_GUEST_EXEC_H

#include <stdint.h>

struct gst;

/* The arguments of execveat(2); addresses are the program's. */
struct gst_exec {
	int dir;
	uint64_t path, argv, envp, flags;
	unsigned pointer_bytes; /* of the elements of argv and envp: 8, or 4 in a 32-bit program */
};

/* Execute the program. Returns only on failure: -errno, or GST_NOT_STARTED when a signal came
 * first. */
long gst_exec(struct gst *g, const struct gst_exec *e);

/* Arguments before the program's own when the image starts for an exec: the descriptors of enum
 * shr_fd, the descriptor of the ELF file, its path. */
#define GST_EXEC_ARGS (SHR_N_FDS + 2)

/* Take arguments and environment over from the kernel's stack when this image was started for an
 * exec: copies them and the path to scratch memory. argv: the kernel's. Returns the descriptor
 * of the ELF file, -1 when this is the first program of the run. */
int gst_exec_arrive(uint64_t argc, const uint64_t *argv);

/* Move the copy of gst_exec_arrive() to the place of the start data, and tell softpmu which program
 * runs now. */
void gst_exec_settle(struct gst *g);

#endif
