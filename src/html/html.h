/* html.h -- a recorded run as one HTML page, to be read, published and shown to a class.
 *
 * RULE            one file: no request leaves it, no script runs but its own (a policy in its head
 *                 names that one by digest), and without scripts all tables and texts are there.
 *                 Everything that comes from the record or the program's files is escaped.
 * TRUST           the page tells what is in the record, and the sources of the functions that
 *                 counted most. Paths below `base` are relative, the user's home directory is "~",
 *                 and environment and host are left out.
 * NOT MODELLED    call paths, where lost clocks went: the page has no section of these yet.
 */
#ifndef SOFTPMU_HTML_HTML_H
#define SOFTPMU_HTML_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "catalog/catalog.h"
#include "record/file.h"

/* Pages are about what the record calls `cpu`. Everything is borrowed. */
struct htm_input {
	const struct rec *rec;
	const struct rec *old; /* another run of the same machine and events, or NULL */
	const struct cat_cpu *cpu;
	const char *base; /* a directory, absolute; "" = paths stay as they are */
	const char *home; /* as well */
	bool has_source;  /* with lines of the program's sources */
};

/* What readers of the numbers should be told besides; texts are the caller's to free. */
struct htm_notes {
	char *changed; /* a file that is not what was recorded, or NULL */
	char *trouble; /* why names are missing, or NULL */
};

/* Write the page. Returns 0 or -SPMU_ENOMEM; ferror() of `out` is the caller's to ask. *notes is
 * the caller's (htm_notes_free()) in any case. */
int htm_write(const struct htm_input *in, FILE *out, struct htm_notes *notes);
void htm_notes_free(struct htm_notes *n);

#endif
