/* ask.c -- questions of the runtime to the softpmu process.
 *
 * The protocol is in trace/request.h. gst_ask() looks a while, then yields, then sleeps on the
 * box's state (trace/wait.h). It sets guest_sleeps before it looks at the state for the last time,
 * and softpmu stores the state before it looks at guest_sleeps: so an answer that comes in between
 * wakes the guest. Every tenth of a second it looks whether softpmu is still there.
 */
#include <linux/poll.h>

#include "guest/gst.h"
#include "guest/stream/ring.h"

struct req_box *gst_ask_box(struct gst *g)
{
	struct req_box *b = &g->ctl->req;

	for (int i = 0; i < 4; i++)
		b->arg[i] = 0;
	b->whole = 0;
	b->n_pages = 0;
	b->text[0] = 0;
	return b;
}

int gst_is_abandoned(const struct gst_hidden *h)
{
	struct pollfd p = {.fd = h->fd[SHR_FD_LIFE]};

	return SYS3(poll, &p, 1, 0) == 1 && (p.revents & POLLHUP);
}

/* an answer after at most so many turns of sched_yield would have come in TRC_WAIT_MORE_PAUSES */
#define SOON_YIELDS 4u

uint32_t gst_ask(struct gst *g, uint32_t op)
{
	struct req_box *b = &g->ctl->req;
	struct trc_wait w = {.is_single_cpu = g->ctl->start.n_host_cpus <= 1,
			     .more_pauses = b->whole ? g->more_pauses : 0};

	b->op = op;
	b->guest_cpu = gst_host_cpu();
	__atomic_store_n(&b->state, REQ_ASKED, __ATOMIC_SEQ_CST);
	gst_ring_doorbell(g);
	while (__atomic_load_n(&b->state, __ATOMIC_ACQUIRE) != REQ_ANSWERED) {
		long ret = 0;

		if (!trc_wait_turn(&w))
			continue;
		__atomic_store_n(&b->guest_sleeps, 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&b->state, __ATOMIC_SEQ_CST) == REQ_ASKED)
			ret = trc_futex_wait(&b->state, REQ_ASKED, 100000000);
		if (ret == -ETIMEDOUT && gst_is_abandoned(gst_process_hidden(g)))
			SYS1(exit_group, REQ_GAVE_UP);
		__atomic_store_n(&b->guest_sleeps, 0, __ATOMIC_SEQ_CST);
	}
	if (b->whole) /* the model read records first: the next reading will be as soon, mostly */
		g->more_pauses = w.turns < TRC_WAIT_PAUSES + w.more_pauses + SOON_YIELDS
				     ? TRC_WAIT_MORE_PAUSES
				     : 0;
	__atomic_store_n(&b->state, REQ_IDLE, __ATOMIC_RELEASE);
	return b->answer;
}

static void put_text(struct req_box *b, const char *what, const char *detail)
{
	struct gst_text t;

	gst_text_start(&t, b->text, sizeof(b->text));
	gst_text_add(&t, what);
	gst_text_add(&t, detail);
}

void gst_refuse(struct gst *g, const char *what, const char *detail)
{
	gst_ring_flush(g, 0);
	put_text(gst_ask_box(g), what, detail);
	gst_ask(g, REQ_REFUSE);
	for (;;)
		SYS1(exit_group, REQ_GAVE_UP);
}

void gst_refuse_error(struct gst *g, const char *what, const char *detail, long err)
{
	char buf[REQ_TEXT_BYTES];
	struct gst_text t;

	gst_text_start(&t, buf, sizeof(buf));
	gst_text_add(&t, what);
	gst_text_add(&t, detail);
	gst_text_add(&t, " (error ");
	gst_text_dec(&t, -err);
	gst_text_add(&t, ")");
	gst_refuse(g, buf, NULL);
}

void gst_warn(struct gst *g, const char *what, const char *detail)
{
	put_text(gst_ask_box(g), what, detail);
	gst_ask(g, REQ_WARN);
}

void gst_tell_exit(struct gst *g, uint32_t wait_status)
{
	uint32_t payload[2] = {wait_status, 0};
	struct req_box *b;

	if (gst_is_vforked(g))
		return; /* the parent goes on with everything */
	gst_ring_event(g, TRC_EXIT, payload, sizeof(payload));
	gst_ring_flush(g, 0);
	b = gst_ask_box(g);
	b->arg[0] = wait_status;
	gst_ask(g, REQ_EXIT);
}
