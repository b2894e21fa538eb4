/* html.h -- a recorded run as one HTML page, to be read, published and shown to a class.
 *
 * RULE            one file: no request leaves it, no script runs but its own (a policy in its head
 *                 names that one by digest), and without scripts all tables and texts are there.
 *                 Everything that comes from the record or the program's files is escaped.
 * TRUST           the page tells what is in the record, and the sources of the functions that
 *                 counted most. Paths below `base` are relative, the user's home directory is "~",
 *                 and environment and host are left out.
 * CLOCKS          a record with the parts of the CPI stack has them by function, and units of the
 *                 machine as dark as clocks were lost in them; else stalls, or what to record.
 * CALL PATHS      where they were recorded, a flame graph; of two records coloured by change.
 */
#ifndef SOFTPMU_HTML_HTML_H
#define SOFTPMU_HTML_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "catalog/catalog.h"
#include "names/names.h"
#include "record/file.h"

/* Pages are about what the record calls `cpu`. Everything is borrowed. */
struct htm_input {
	const struct rec *rec;
	const struct rec *old; /* another run of the same machine and events, or NULL */
	const char *file[2];   /* the paths of the two */
	struct nm *names[2];   /* for each of the two; they say where sources are */
	const struct cat_cpu *cpu;
	const char *base;  /* a directory, absolute; "" = paths stay as they are */
	const char *home;  /* as well */
	bool has_source;   /* with the text of sources, not names and lines alone */
	bool is_order_odd; /* the new record is older than the old one, and nobody said which is
			      which */
};

/* Write the page. *changed receives a file that is not what was recorded (or NULL); it is the
 * record's. Returns 0 or -SPMU_ENOMEM; ferror() of `out` is the caller's to ask. */
int htm_write(const struct htm_input *in, FILE *out, const char **changed);

#endif
