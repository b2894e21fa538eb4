/* exec_file.h -- which file an exec means, and whether it can be executed. */
#ifndef SOFTPMU_GUEST_EXEC_FILE_H
#define SOFTPMU_GUEST_EXEC_FILE_H

#include <stdint.h>

struct gst;

/* The first bytes of scratch memory hold texts of the file; the rest is free. */
#define GST_EXEC_SCRATCH 0x10000u
#define GST_EXEC_PREFIX	 12u

struct gst_exec_file {
	int fd;				     /* the ELF file, open, to be inherited */
	const char *path;		     /* where it is, absolute where that is known */
	const char *prefix[GST_EXEC_PREFIX]; /* of a script: what stands in place of its argv[0] */
	unsigned n_prefix;
	char *text; /* next free byte of scratch */
};

/* Find, open and check what execveat(dir, path, flags) would execute; follows scripts. Returns
 * 0, or -errno as the kernel would give it: nothing is open then. Texts live in scratch memory. */
long gst_exec_file_open(struct gst *g, int dir, uint64_t path_at, uint64_t flags,
			struct gst_exec_file *f);

#endif
