/* trace_objects.h -- which files a traced program executed, and what identifies their contents: a
 * frame each, TRC_FRAME_OBJECT, written when the file is first mapped.
 *
 * COUNTING RULES  a file that is mapped executable is one, once for each name.
 * NOT MODELLED    a mapping that becomes executable later; with a file for each process, what a
 *                 forked child inherits. Nothing identifies these.
 * TRUST           as trace_file.h: names and numbers of files are bounded.
 */
#ifndef SOFTPMU_SESSION_TRACE_OBJECTS_H
#define SOFTPMU_SESSION_TRACE_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#define SES_TRACE_OBJECTS  4096u
#define SES_TRACE_BUILD_ID 80u

struct ses_trace_object {
	char *path;			   /* owned */
	uint64_t size;			   /* bytes of the file */
	char build_id[SES_TRACE_BUILD_ID]; /* in hexadecimal; "": it has none */
};

/* All zero is empty. */
struct ses_trace_objects {
	struct ses_trace_object *object; /* owned */
	size_t n, room;
};

/* Look at the file of that name, unless it is known. Returns its text for a frame, the caller's;
 * NULL: it is known, cannot be read, or there are too many. */
char *ses_trace_objects_text(struct ses_trace_objects *o, const char *path);

/* Take the text of a frame; what is no such text is left out. */
void ses_trace_objects_take(struct ses_trace_objects *o, const char *text);

/* The file of that name, borrowed; NULL: not known. */
const struct ses_trace_object *ses_trace_objects_find(const struct ses_trace_objects *o,
						      const char *path);

void ses_trace_objects_free(struct ses_trace_objects *o);

#endif
