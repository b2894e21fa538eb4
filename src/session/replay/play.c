/* play.c -- the records of processes, in the order of the run. Rules: player.h. */
#include "session/replay/player.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "trace/record.h"

#define MOST_AT_ONCE 4u /* children of one process that play beside it */

/* ---- processes ------------------------------------------------------------------------------- */

static bool is_sharer(const struct ses_player *p, pid_t pid)
{
	for (size_t s = 1; s < p->n_share; s++)
		if (p->sharer[s] == pid)
			return true;
	return false;
}

/* Wait for a child that plays a process of the run. */
void ses_player_await(struct ses_player *p)
{
	pid_t pid;

	do
		pid = waitpid(-1, NULL, 0);
	while ((pid < 0 && errno == EINTR) || (pid > 0 && is_sharer(p, pid)));
	p->n_playing--;
}

/* A process is born here. Returns 0, -SPMU_EPROTO when it was born before, or -SPMU_ESYS. */
static int give_birth(struct ses_player *p, uint64_t child)
{
	size_t n;
	const struct ses_trace_frame *frame = ses_trace_frames(&p->in, child, &n);
	struct ses_part *part;
	pid_t pid, parent = getpid();
	int rc, told;

	if (!n || ses_player_has_range(p)) /* it never ran, or is not asked for */
		return 0;
	if (!p->may_fork) /* the writer ends a frame there */
		return -SPMU_EPROTO;
	part = &p->part[frame->number];
	if (__atomic_exchange_n(&part->is_taken, 1, __ATOMIC_RELAXED))
		return -SPMU_EPROTO;
	if (p->n_playing == MOST_AT_ONCE)
		ses_player_await(p);
	mdl_rest(p->model);
	part->rc = -SPMU_ESYS; /* until the child has come to its end */
	pid = fork();
	if (pid < 0)
		return -SPMU_ESYS;
	if (pid > 0) {
		p->n_playing++;
		return 0;
	}
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(1);
	p->n_playing = 0;
	memset(p->sharer, 0, sizeof(p->sharer)); /* they are the parent's */
	ses_accounts_born(p, child);
	rc = ses_player_play(p, child);
	ses_part_take(p, part);
	ses_accounts_take_off(p, &part->totals);
	ses_part_subtract(p, part, p->base);
	told = ses_accounts_end(p, part);
	part->rc = rc ? rc : told;
	while (p->n_playing)
		ses_player_await(p);
	_exit(0);
}

/* ---- records --------------------------------------------------------------------------------- */

/* A block has its place from here on. */
static int do_block(struct ses_player *p, const uint8_t *payload, uint32_t n)
{
	const int rc = ses_player_block(p, payload, n);

	if (!rc && p->accounts.places)
		ses_places_settle(p->accounts.places);
	return rc;
}

/* What the session did between two records. */
static int do_mark(struct ses_player *p, uint32_t kind, const uint8_t *payload, uint32_t n)
{
	uint64_t child;

	switch (kind) {
	case TRC_BLOCK: return do_block(p, payload, n);
	case TRC_FORGET_ALL:
		ses_accounts_forget(p);
		mdl_forget_blocks(p->model);
		x86_store_clear(p->store);
		return 0;
	case TRC_FINISH: mdl_finish(p->model); return 0;
	case TRC_MEMBER: return ses_accounts_member(p, payload, n);
	case TRC_REGION: return ses_marks_region(p, payload, n);
	default:
		if (n != sizeof(child))
			return -SPMU_EPROTO;
		memcpy(&child, payload, sizeof(child));
		return give_birth(p, child);
	}
}

static bool is_mark(uint32_t head)
{
	return head == TRC_SPECIAL + TRC_BLOCK || head == TRC_SPECIAL + TRC_FORGET_ALL ||
	       head == TRC_SPECIAL + TRC_FINISH || head == TRC_SPECIAL + TRC_BIRTH ||
	       head == TRC_SPECIAL + TRC_MEMBER || head == TRC_SPECIAL + TRC_REGION;
}

/* Feed n bytes, which are whole records. */
static int feed(struct ses_player *p, const uint8_t *bytes, size_t n)
{
	size_t from = 0, at = 0;

	while (at < n) {
		const size_t size = trc_record_bytes(bytes + at, n - at);
		uint32_t head;
		int rc = 0;

		if (!size)
			return -SPMU_EPROTO;
		memcpy(&head, bytes + at, 4);
		if (is_mark(head)) {
			rc = ses_player_feed(p, bytes + from, at - from);
			if (!rc && !p->is_over)
				rc = do_mark(p, head - TRC_SPECIAL, bytes + at + 8,
					     (uint32_t)(size - 8));
			from = at + size;
		}
		if (rc || p->is_over)
			return rc;
		at += size;
	}
	return ses_player_feed(p, bytes + from, at - from);
}

/* All records of a process. While one frame is counted, the next one is read. */
int ses_player_play(struct ses_player *p, uint64_t process)
{
	size_t n;
	const struct ses_trace_frame *frame = ses_trace_frames(&p->in, process, &n);
	int rc = 0;

	if (n)
		p->part[frame->number].is_taken = 1;
	for (size_t i = 0; i < n && !rc && !p->is_over; i++) {
		struct ses_trace_reading *r = &p->reading[i & 1], *next = &p->reading[~i & 1];

		if (!i || p->may_fork)
			ses_trace_begin(r, &frame[i]);
		ses_trace_await(r);
		p->may_fork = ses_trace_ends_with_birth(r);
		if (i + 1 < n && !p->may_fork && !r->rc)
			ses_trace_begin(next, &frame[i + 1]);
		rc = feed(p, r->records, r->n);
		ses_trace_await(next);
		rc = rc ? rc : r->rc;
	}
	p->may_fork = false;
	return rc;
}
