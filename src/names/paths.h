/* paths.h -- names of source files as they are here: of a build in another directory or on another
 * machine, with the beginnings of paths rewritten and files looked for below a directory. */
#ifndef SOFTPMU_NAMES_PATHS_H
#define SOFTPMU_NAMES_PATHS_H

#include <stddef.h>

#define NM_MOST_PREFIXES 32u

/* What was asked for, and what came of it. All 0: paths stay what they are. */
struct nm_paths {
	const char *prefix[NM_MOST_PREFIXES]; /* "OLD=NEW", borrowed */
	unsigned n_prefix;
	const char *source_dir; /* borrowed, or NULL */
	struct nm_path {
		char *from, *to;
	} * known; /* by hash of `from`; owned */
	size_t n, room;
};

/* Where the file is: `file` itself, or a text of p. The first prefix that it begins with is
 * rewritten; then the longest end of it that is a file below source_dir stands for it. */
const char *nm_paths_here(struct nm_paths *p, const char *file);

/* Where an executable or library is: its path rewritten by the first prefix that it begins with, if
 * there is such a file; else `path`. Buffer is the caller's. */
const char *nm_paths_object(const struct nm_paths *p, const char *path, char *out, size_t room);
void nm_paths_free(struct nm_paths *p);

#endif
