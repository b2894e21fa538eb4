/* tags.h -- what tells a job from the others: names with values, as a text of one "NAME=VALUE\n"
 * each. Its order is the order of a table's columns: program, cpu, then the others by name. So two
 * texts are equal where the tags are, and sorting texts sorts tables. */
#ifndef SOFTPMU_SWEEP_TAGS_H
#define SOFTPMU_SWEEP_TAGS_H

#include <stddef.h>

#include "base/text.h"

struct swp_tag {
	const char *name, *value;
};

/* Is a column before another? Returns as strcmp(). */
int swp_tag_order(const char *a, const char *b);

/* Sort the tags, and append them to out; control characters become '?'. */
void swp_tags_write(struct swp_tag *tag, size_t n, struct text *out);

/* Read one tag of the text at *at, and go behind it. Neither is NUL terminated. Returns 0 at the
 * end. */
struct swp_span {
	const char *at;
	size_t n;
};
int swp_tags_next(const char **at, struct swp_span *name, struct swp_span *value);

#endif
