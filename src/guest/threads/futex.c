/* futex.c -- futexes in the scheduler: the line of waiters, plain futexes and those with
 * priority inheritance. Rules: futex.h. */
#include "guest/threads/futex.h"

#include "guest/call.h"
#include "guest/time/clock.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/threads/robust.h"
#include "guest/time/sleep.h"

#define ANY_BIT 0xffffffffu
#define NANO	1000000000ull

/* ---- the line -------------------------------------------------------------------------------- */

static void enqueue(struct gst *g, struct gst_thread *t, uint64_t at, uint32_t bits, int is_pi)
{
	t->wait = (struct gst_wait){
	    .before = g->sched.last_waiter, .at = at, .bits = bits, .is_pi = is_pi, .is_queued = 1};
	if (g->sched.last_waiter)
		g->sched.last_waiter->wait.next = t;
	else
		g->sched.waiter = t;
	g->sched.last_waiter = t;
}

static void dequeue(struct gst *g, struct gst_thread *t)
{
	struct gst_wait *w = &t->wait;

	if (!w->is_queued)
		return;
	if (w->before)
		w->before->wait.next = w->next;
	else
		g->sched.waiter = w->next;
	if (w->next)
		w->next->wait.before = w->before;
	else
		g->sched.last_waiter = w->before;
	w->is_queued = 0;
}

void gst_futex_leave(struct gst *g, struct gst_thread *t)
{
	dequeue(g, t);
}

/* The first waiter of `at` behind `from` (NULL: from the start) that can still be woken. */
static struct gst_thread *find_waiter(struct gst *g, uint64_t at, uint32_t bits, int is_pi)
{
	for (struct gst_thread *t = g->sched.waiter; t; t = t->wait.next)
		if (t->wait.at == at && (t->wait.bits & bits) && t->wait.is_pi == is_pi &&
		    __atomic_load_n(&t->state, __ATOMIC_SEQ_CST) == GST_THREAD_BLOCKED)
			return t;
	return NULL;
}

long gst_futex_wake(struct gst *g, uint64_t at, uint64_t most, uint32_t bits)
{
	struct gst_thread *t;
	long n = 0;

	while ((uint64_t)n < most && (t = find_waiter(g, at, bits, 0))) {
		if (t->wait.lock)
			return -EINVAL;
		if (!gst_sched_wake(t))
			continue; /* a timeout or a signal was quicker; it is blocked no longer */
		dequeue(g, t);
		n++;
	}
	return n;
}

/* Wait in the line of `at`. */
static long wait_in_line(struct gst *g, uint64_t at, uint32_t bits, int is_pi,
			 const struct gst_deadline *until)
{
	struct gst_thread *t = g->t;
	long ret;

	enqueue(g, t, at, bits, is_pi);
	ret = gst_sched_block(g, until);
	dequeue(g, t);
	return ret;
}

/* ---- plain ----------------------------------------------------------------------------------- */

/* The timeout at `at` as an absolute time. Returns 1 when there is one, 0 when not, or -errno. */
static long deadline(struct gst *g, uint64_t at, int is_relative, int is_realtime,
		     struct gst_deadline *d)
{
	uint64_t t[2];

	if (!at)
		return 0;
	if (gst_copy_in(t, at, sizeof(t)))
		return -EFAULT;
	if (t[0] >> 63 || t[1] >= NANO)
		return -EINVAL;
	if (is_relative)
		return gst_sleep_after(t, d) ? -EINVAL : 1;
	d->is_realtime = is_realtime;
	d->time[0] = t[0];
	d->time[1] = t[1];
	gst_clock_to_host(g, is_realtime, d->time);
	return 1;
}

static long futex_wait(struct gst *g, const uint64_t *a, uint32_t bits, int is_relative)
{
	struct gst_deadline d;
	uint32_t word;
	long has_deadline = deadline(g, a[3], is_relative, (a[1] & GST_OP_REALTIME) != 0, &d), ret;

	if (has_deadline < 0 || !bits)
		return has_deadline < 0 ? has_deadline : -EINVAL;
	if (gst_copy_in(&word, a[0], 4))
		return -EFAULT;
	if (word != (uint32_t)a[2])
		return -EAGAIN;
	ret = wait_in_line(g, a[0], bits, 0, has_deadline ? &d : NULL);
	/* With a relative timeout the call is not made again after a handler: it would wait
	 * anew. */
	return ret == GST_RESTARTS && has_deadline && is_relative ? -EINTR : ret;
}

/* Move up to `most` waiters from one word to another. */
static long move_waiters(struct gst *g, uint64_t from, uint64_t to, uint64_t most)
{
	struct gst_thread *t;
	long n = 0;

	while (from != to && (uint64_t)n < most && (t = find_waiter(g, from, ANY_BIT, 0))) {
		uint32_t bits = t->wait.bits;

		if (t->wait.lock)
			return -EINVAL;
		dequeue(g, t);
		enqueue(g, t, to, bits, 0);
		n++;
	}
	return n;
}

static long requeue(struct gst *g, const uint64_t *a, int has_compare)
{
	uint32_t word;
	long n, moved;

	if ((int32_t)a[2] < 0 || (int32_t)a[3] < 0)
		return -EINVAL;
	if (gst_copy_in(&word, a[0], 4))
		return -EFAULT;
	if (has_compare && word != (uint32_t)a[5])
		return -EAGAIN;
	n = gst_futex_wake(g, a[0], (uint32_t)a[2], ANY_BIT);
	moved = n < 0 ? n : move_waiters(g, a[0], a[4], (uint32_t)a[3]);
	if (moved < 0)
		return moved;
	return has_compare ? n + moved : n;
}

static uint32_t operate(uint32_t op, uint32_t word, uint32_t arg)
{
	switch (op & 7) {
	case 0: return arg;
	case 1: return word + arg;
	case 2: return word | arg;
	case 3: return word & ~arg;
	default: return word ^ arg;
	}
}

static int compares(uint32_t op, int32_t word, int32_t arg)
{
	switch (op) {
	case 0: return word == arg;
	case 1: return word != arg;
	case 2: return word < arg;
	case 3: return word <= arg;
	case 4: return word > arg;
	default: return word >= arg;
	}
}

/* a[5]: operation 31-28 (bit 31: argument is a shift), comparison 27-24, argument 23-12, and
 * 11-0. */
static long wake_op(struct gst *g, const uint64_t *a)
{
	uint32_t code = (uint32_t)a[5], op = code >> 28, compare = code >> 24 & 15, old, now;
	int32_t arg = (int32_t)(code << 8) >> 20, against = (int32_t)(code << 20) >> 20;
	long n;

	if ((op & 7) > 4 || compare > 5)
		return -ENOSYS;
	if (op & 8)
		arg = (int32_t)(1u << (arg & 31));
	if (gst_copy_in(&old, a[4], 4))
		return -EFAULT;
	now = operate(op, old, (uint32_t)arg);
	if (gst_copy_out(a[4], &now, 4))
		return -EFAULT;
	n = gst_futex_wake(g, a[0], (uint32_t)a[2], ANY_BIT);
	if (n >= 0 && compares(compare, (int32_t)old, against)) {
		const long more = gst_futex_wake(g, a[4], (uint32_t)a[3], ANY_BIT);

		n = more < 0 ? more : n + more;
	}
	return n;
}

/* ---- priority inheritance: only ownership is modelled ---------------------------------------- */

static long set_word(uint64_t at, uint32_t word)
{
	return gst_copy_out(at, &word, 4);
}

static long lock_pi(struct gst *g, const uint64_t *a, int is_realtime, int is_try)
{
	uint32_t word, self = (uint32_t)g->t->tid;
	struct gst_deadline d;
	long has_deadline = is_try ? 0 : deadline(g, a[3], 0, is_realtime, &d), ret;

	if (has_deadline < 0)
		return has_deadline;
	if (gst_copy_in(&word, a[0], 4))
		return -EFAULT;
	if ((word & GST_FUTEX_TID) == self)
		return -EDEADLK;
	if (!(word & GST_FUTEX_TID)) {
		/* Free, perhaps left behind by a thread that died. */
		if (find_waiter(g, a[0], ANY_BIT, 1))
			word |= GST_FUTEX_WAITERS;
		return set_word(a[0], (word & ~GST_FUTEX_TID) | self);
	}
	if (is_try)
		return -EAGAIN;
	if (!gst_thread_of(g, word & GST_FUTEX_TID))
		return -ESRCH;
	if (set_word(a[0], word | GST_FUTEX_WAITERS))
		return -EFAULT;
	ret = wait_in_line(g, a[0], ANY_BIT, 1, has_deadline ? &d : NULL);
	/* 0: the word names this thread already */
	return ret == GST_RESTARTS ? GST_RESTARTS_ANYWAY : ret;
}

/* Give the lock at `at` to the thread that has waited longest for it. `keep`: bits of the word that
 * stay. */
static long hand_pi(struct gst *g, uint64_t at, uint32_t keep)
{
	struct gst_thread *t;

	while ((t = find_waiter(g, at, ANY_BIT, 1))) {
		if (!gst_sched_wake(t))
			continue;
		dequeue(g, t);
		if (find_waiter(g, at, ANY_BIT, 1))
			keep |= GST_FUTEX_WAITERS;
		return set_word(at, (uint32_t)t->tid | keep);
	}
	return set_word(at, keep);
}

static long unlock_pi(struct gst *g, const uint64_t *a)
{
	uint32_t word;

	if (gst_copy_in(&word, a[0], 4))
		return -EFAULT;
	if ((word & GST_FUTEX_TID) != (uint32_t)g->t->tid)
		return -EPERM;
	return hand_pi(g, a[0], 0);
}

/* ---- a wait that ends with such a lock ------------------------------------------------------- */

static long wait_requeue_pi(struct gst *g, const uint64_t *a)
{
	struct gst_thread *t = g->t;
	struct gst_deadline d;
	long has_deadline = deadline(g, a[3], 0, (a[1] & GST_OP_REALTIME) != 0, &d), ret;
	uint32_t word;

	if (has_deadline < 0)
		return has_deadline;
	if (a[0] == a[4] || (a[4] & 3))
		return -EINVAL;
	if (gst_copy_in(&word, a[0], 4))
		return -EFAULT;
	if (word != (uint32_t)a[2])
		return -EAGAIN;
	enqueue(g, t, a[0], ANY_BIT, 0);
	t->wait.lock = a[4];
	ret = gst_sched_block(g, has_deadline ? &d : NULL);
	dequeue(g, t);
	if (ret != GST_RESTARTS)
		return ret; /* 0: the word names this thread already */
	return t->wait.is_pi ? -EAGAIN : GST_RESTARTS_ANYWAY;
}

/* Thread t, which waits to end with the lock at `at`, gets it or waits for it from now on.
 * is_one: no other one is to come. Returns 1, 0 when t does not wait any more, or -errno. */
static long move_pi(struct gst *g, struct gst_thread *t, uint64_t at, int is_one)
{
	const uint32_t self = (uint32_t)t->tid;
	uint32_t word;

	if (t->wait.lock != at)
		return -EINVAL;
	if (gst_copy_in(&word, at, 4))
		return -EFAULT;
	if ((word & GST_FUTEX_TID) == self)
		return -EDEADLK;
	if (word & GST_FUTEX_TID) {
		if (!gst_thread_of(g, word & GST_FUTEX_TID))
			return -ESRCH;
		if (set_word(at, word | GST_FUTEX_WAITERS))
			return -EFAULT;
		dequeue(g, t);
		enqueue(g, t, at, ANY_BIT, 1);
		return 1;
	}
	if (!gst_sched_wake(t))
		return 0; /* a timeout or a signal was quicker */
	dequeue(g, t);
	return set_word(at, (word & GST_FUTEX_DIED) | self | (is_one ? 0 : GST_FUTEX_WAITERS))
		   ? -EFAULT
		   : 1;
}

static long cmp_requeue_pi(struct gst *g, const uint64_t *a)
{
	struct gst_thread *t;
	uint32_t word;
	long n = 0, ret;

	if ((uint32_t)a[2] != 1 || (int32_t)a[3] < 0 || a[0] == a[4] || (a[4] & 3))
		return -EINVAL;
	if (gst_copy_in(&word, a[0], 4))
		return -EFAULT;
	if (word != (uint32_t)a[5])
		return -EAGAIN;
	while (n <= (int32_t)a[3] && (t = find_waiter(g, a[0], ANY_BIT, 0))) {
		ret = move_pi(g, t, a[4], !a[3]);
		if (ret < 0)
			return ret;
		n += ret;
	}
	return n;
}

/* ---- the end of a thread --------------------------------------------------------------------- */

void gst_robust_entry(struct gst *g, uint64_t at, int is_pi, int is_pending)
{
	uint32_t word;

	if ((at & 3) || gst_copy_in(&word, at, 4))
		return;
	/* The dead thread had unlocked it and had not woken the waiter yet. */
	if (is_pending && !is_pi && !word) {
		gst_futex_wake(g, at, 1, ANY_BIT);
		return;
	}
	if ((word & GST_FUTEX_TID) != (uint32_t)g->t->tid)
		return;
	if (is_pi) {
		hand_pi(g, at, GST_FUTEX_DIED);
		return;
	}
	if (set_word(at, (word & GST_FUTEX_WAITERS) | GST_FUTEX_DIED) == 0 &&
	    (word & GST_FUTEX_WAITERS))
		gst_futex_wake(g, at, 1, ANY_BIT);
}

/* ---- the call -------------------------------------------------------------------------------- */

long gst_futex_private(struct gst *g, const uint64_t *a)
{
	uint32_t op = (uint32_t)a[1] & GST_FUTEX_OP;

	if ((a[1] & GST_OP_REALTIME) && op != GST_OP_WAIT_BITSET && op != GST_OP_WAIT_REQUEUE_PI &&
	    op != GST_OP_LOCK_PI2)
		return -ENOSYS;
	if (a[0] & 3)
		return -EINVAL;
	switch (op) {
	case GST_OP_WAIT: return futex_wait(g, a, ANY_BIT, 1);
	case GST_OP_WAIT_BITSET: return futex_wait(g, a, (uint32_t)a[5], 0);
	case GST_OP_WAKE:
		/* The kernel wakes one where none is asked for. */
		return gst_futex_wake(g, a[0], (int32_t)a[2] > 1 ? (uint32_t)a[2] : 1, ANY_BIT);
	case GST_OP_WAKE_BITSET:
		if (!(uint32_t)a[5])
			return -EINVAL;
		return gst_futex_wake(g, a[0], (int32_t)a[2] > 1 ? (uint32_t)a[2] : 1,
				      (uint32_t)a[5]);
	case GST_OP_REQUEUE: return requeue(g, a, 0);
	case GST_OP_CMP_REQUEUE: return requeue(g, a, 1);
	case GST_OP_WAKE_OP: return wake_op(g, a);
	case GST_OP_LOCK_PI: return lock_pi(g, a, 1, 0);
	case GST_OP_LOCK_PI2: return lock_pi(g, a, (a[1] & GST_OP_REALTIME) != 0, 0);
	case GST_OP_TRYLOCK_PI: return lock_pi(g, a, 0, 1);
	case GST_OP_UNLOCK_PI: return unlock_pi(g, a);
	case GST_OP_WAIT_REQUEUE_PI: return wait_requeue_pi(g, a);
	case GST_OP_CMP_REQUEUE_PI: return cmp_requeue_pi(g, a);
	default: return -ENOSYS;
	}
}
