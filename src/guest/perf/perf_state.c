/* perf_state.c -- what a sample shows of the program: registers, callers, the top of its stack;
 * and signals that come with one.
 *
 * RULE   callers are found by frame pointers, as a kernel finds those of user mode: the word at
 *        the frame pointer is the next frame, the one above it the return address; the first
 *        that cannot be read ends it.
 */
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/perf/perf_event.h"
#include "guest/memory/segments.h"
#include "guest/signals/signal.h"

#define SP_NUMBER	4
#define BP_NUMBER	5
#define DATA_64		0x2bu
#define TRAP_ASYNC_FLAG 1u /* TRAP_PERF_FLAG_ASYNC: it was blocked */

static uint32_t walk_frames(struct gst *g, uint64_t frame, uint64_t *caller)
{
	const unsigned word = g->layout.word;
	uint32_t n = 0;

	while (n < REQ_MOST_CALLERS && frame) {
		uint64_t next = 0, back = 0;

		if (gst_copy_in(&next, frame, word) || gst_copy_in(&back, frame + word, word) ||
		    !back)
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
	static const uint16_t flat[6] = {0, GST_CODE_64, DATA_64, 0, 0, 0};

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

/* ---- signals of events with sigtrap ---------------------------------------------------------- */

/* The thread may be another than the one that asks: its turn has ended behind the overflow. */
static void send_trap(struct gst *g, const struct shr_trap *trap)
{
	struct gst_siginfo info = {.sig = GST_SIGTRAP, .code = GST_SI_PERF, .addr = trap->addr};
	struct gst_thread *t = trap->thread == g->t->number ? g->t : g->sched.first;
	uint32_t words[2] = {trap->type, 0};

	while (t && t->number != trap->thread)
		t = t->next;
	if (!t)
		return;
	words[1] = (t->sig.mask & GST_BIT(GST_SIGTRAP)) ? TRAP_ASYNC_FLAG : 0;
	memcpy(info.rest, &trap->data, 8);
	memcpy(info.rest + 8, words, 8);
	SYS4(rt_tgsigqueueinfo, t->process->pid, t->tid, GST_SIGTRAP, &info);
}

void gst_event_traps(struct gst *g)
{
	for (uint32_t i = 0; i < g->ctl->n_traps && i < SHR_MOST_TRAPS; i++)
		send_trap(g, &g->ctl->trap[i]);
	g->ctl->n_traps = 0;
}
