/* trace_read.c -- reads frames beside the model. Rules: trace_read.h. */
#include "session/files/trace_read.h"

#include <stdlib.h>
#include <string.h>

#include "trace/record.h"

/* A frame, and the room that ses_code_get() wants behind it. */
#define ROOM (SES_TRACE_FRAME_BYTES + SES_CODE_MOST_RECORD)

bool ses_trace_reading_open(struct ses_trace_reading *r, const struct ses_trace_in *in,
			    struct ses_guess *guess)
{
	r->in = in;
	r->guess = guess;
	r->code = malloc(SES_CODE_MOST(SES_TRACE_FRAME_BYTES));
	r->records = malloc(ROOM);
	return r->code && r->records;
}

void ses_trace_reading_shut(struct ses_trace_reading *r)
{
	ses_trace_await(r);
	free(r->code);
	free(r->records);
	r->code = r->records = NULL;
}

/* What was read before damage is kept. Also the body of a thread. */
static void *read_frame(void *arg)
{
	struct ses_trace_reading *r = arg;
	struct ses_code_in in;
	long n = 0;

	r->n = 0;
	r->rc = ses_trace_unpack(r->in, r->frame, r->code);
	if (!r->rc)
		r->rc = ses_code_open(&in, r->guess, r->code, r->frame->raw, SES_TRACE_FRAME_BYTES);
	while (!r->rc && (n = ses_code_get(&in, r->records + r->n, ROOM - r->n)) > 0)
		r->n += (size_t)n;
	if (!r->rc)
		r->rc = n < 0 ? (int)n : in.left ? -SPMU_EPROTO : 0;
	return NULL;
}

void ses_trace_begin(struct ses_trace_reading *r, const struct ses_trace_frame *frame)
{
	r->frame = frame;
	r->has_thread = pthread_create(&r->thread, NULL, read_frame, r) == 0;
	if (!r->has_thread)
		read_frame(r);
}

void ses_trace_await(struct ses_trace_reading *r)
{
	if (r->has_thread)
		pthread_join(r->thread, NULL);
	r->has_thread = false;
}

bool ses_trace_ends_with_birth(const struct ses_trace_reading *r)
{
	const uint32_t head[2] = {TRC_SPECIAL + TRC_BIRTH, sizeof(uint64_t)};
	const size_t bytes = sizeof(head) + sizeof(uint64_t);

	return r->n >= bytes && !memcmp(r->records + r->n - bytes, head, sizeof(head));
}
