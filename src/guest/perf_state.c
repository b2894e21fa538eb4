/* perf_state.c -- what a sample shows of the program: registers, callers, the top of its stack.
 *
 * RULE   callers are found by frame pointers, as a kernel finds those of user mode: the word at the frame pointer is
 *        the next frame, the one above it the return address; the first that cannot be read ends it.
 */
#include "guest/copy.h"
#include "guest/gst.h"
#include "guest/perf_event.h"
#include "guest/segments.h"

#define SP_NUMBER 4
#define BP_NUMBER 5
#define CODE_64 0x33u /* the kernel's selectors in user mode */
#define DATA_64 0x2bu

static uint32_t walk_frames(struct gst *g, uint64_t frame, uint64_t *caller)
{
	const unsigned word = g->layout.word;
	uint32_t n = 0;

	while (n < REQ_MOST_CALLERS && frame) {
		uint64_t next = 0, back = 0;

		if (gst_copy_in(&next, frame, word) || gst_copy_in(&back, frame + word, word) || !back)
			break;
		caller[n++] = back;
		frame = next;
	}
	return n;
}

static uint32_t copy_stack(uint8_t *to, uint64_t from, uint32_t bytes)
{
	uint32_t done = 0;

	while (done < bytes) {
		const uint64_t left = GST_PAGE - (from + done) % GST_PAGE;
		const uint32_t n = bytes - done < left ? bytes - done : (uint32_t)left;

		if (gst_copy_in(to + done, from + done, n))
			break;
		done += n;
	}
	return done;
}

static void take_segments(const struct gst *g, uint16_t *segment)
{
	static const uint16_t flat[6] = { 0, CODE_64, DATA_64, 0, 0, 0 };

	for (unsigned i = 0; i < 6; i++)
		segment[i] = g->layout.is_32 ? g->gs->selector[i] : flat[i];
}

void gst_event_state(struct gst *g)
{
	struct req_box *b = gst_ask_box(g);
	struct req_perf_state *s = (struct req_perf_state *)(void *)b->pages[0];
	uint32_t stack = g->ctl->wants_stack;

	if (stack > REQ_STACK_BYTES)
		stack = REQ_STACK_BYTES;
	s->ip = g->gs->pc;
	s->flags = gst_get_flags(g);
	for (unsigned i = 0; i < 15; i++)
		s->reg[i] = g->gs->gpr[i];
	s->reg[15] = g->gs->guest_r15;
	take_segments(g, s->segment);
	s->is_32 = g->layout.is_32;
	s->n_callers = walk_frames(g, s->reg[BP_NUMBER], s->caller);
	s->stack_bytes = copy_stack(b->pages[1], s->reg[SP_NUMBER], stack);
}
