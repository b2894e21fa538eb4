/* trace_read.h -- the records of one frame, read in a thread while those of another one are
 * counted. */
#ifndef SOFTPMU_SESSION_TRACE_READ_H
#define SOFTPMU_SESSION_TRACE_READ_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/files/trace_code.h"
#include "session/files/trace_file.h"

struct ses_trace_reading {
	const struct ses_trace_in *in;
	const struct ses_trace_frame *frame;
	struct ses_guess *guess; /* borrowed; of the process whose frames these are */
	uint8_t *code, *records; /* owned */
	size_t n;		 /* bytes of records */
	int rc;			 /* 0, -SPMU_EPROTO or -SPMU_ENOMEM: why there are no more */
	bool has_thread;
	pthread_t thread;
};

/* Returns false without memory; the caller calls ses_trace_reading_shut() in either case. */
bool ses_trace_reading_open(struct ses_trace_reading *r, const struct ses_trace_in *in,
			    struct ses_guess *guess);
void ses_trace_reading_shut(struct ses_trace_reading *r);

/* Begin to read a frame, in a thread of its own if one can be made. The frames of a process are
 * read one after the other, because each goes on with the guesses that the one before has left. */
void ses_trace_begin(struct ses_trace_reading *r, const struct ses_trace_frame *frame);

/* Wait until the frame is read. Then r->records, r->n and r->rc are valid until the next
 * ses_trace_begin() or ses_trace_reading_shut(). It may be called when no frame was begun. */
void ses_trace_await(struct ses_trace_reading *r);

/* Returns true if the last record of the frame that was read is the birth of a process. The new
 * process begins with the guesses as they are now: do not begin the next frame before the new
 * process has a copy of them. */
bool ses_trace_ends_with_birth(const struct ses_trace_reading *r);

#endif
