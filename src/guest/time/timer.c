/* timer.c -- the list of timers: when they expire, and what happens then. The rules are in
 * timer.h. */
#include "guest/time/timer.h"

#include "guest/time/clock.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/signals/kill.h"
#include "guest/time/timer_file.h"

#define NANO	       1000000000ull
#define NANO_PER_MICRO 1000u
#define LEAST_CREDIT   64u /* bytes of records */
#define NS_PER_BYTE    32u
#define HOST_SLACK_NS  1000000u /* a call that does not wait is through in this time */
#define SI_TIMER_CODE  (-2)

/* ---- places ---------------------------------------------------------------------------------- */

struct gst_timer *gst_timer_find(struct gst *g, unsigned kind, int32_t id)
{
	for (uint32_t i = 0; i < g->timers.n; i++) {
		struct gst_timer *t = &g->timers.timer[i];

		if (t->kind == kind && t->id == id)
			return t;
	}
	return NULL;
}

struct gst_timer *gst_timer_new(struct gst *g, unsigned kind, int32_t id)
{
	struct gst_timer *t = gst_timer_find(g, GST_TIMER_NONE, 0);

	if (!t && g->timers.n == GST_MOST_TIMERS)
		return NULL;
	if (!t)
		t = &g->timers.timer[g->timers.n++];
	*t = (struct gst_timer){.kind = (uint8_t)kind, .id = id};
	return t;
}

static void stop_timer(struct gst *g, struct gst_timer *t)
{
	g->timers.n_armed -= t->is_armed;
	t->is_armed = 0;
}

void gst_timer_drop(struct gst *g, struct gst_timer *t)
{
	stop_timer(g, t);
	*t = (struct gst_timer){.kind = GST_TIMER_NONE};
}

struct gst_timer *gst_timer_interval(struct gst *g, int32_t which)
{
	static const uint8_t signal[] = {14, 26, 27}; /* SIGALRM, SIGVTALRM, SIGPROF */
	struct gst_timer *t = gst_timer_find(g, GST_TIMER_INTERVAL, which);

	if (!t)
		t = gst_timer_new(g, GST_TIMER_INTERVAL, which);
	if (t) {
		t->signal = signal[which];
		t->is_processor = which != 0;
	}
	return t;
}

/* ---- the kernel's timer of the same name ----------------------------------------------------- */

/* Arm it for ns (0: stop it). Returns what was left before, 0 = nothing. */
static uint64_t host_set(struct gst *g, struct gst_timer *t, uint64_t ns)
{
	uint64_t now[4] = {0, 0, ns / NANO, ns % NANO}, was[4] = {0};

	switch (t->kind) {
	case GST_TIMER_INTERVAL:
		now[3] /= NANO_PER_MICRO;
		SYS3(setitimer, t->id, now, was);
		return was[2] * NANO + was[3] * NANO_PER_MICRO;
	case GST_TIMER_POSIX:
		SYS4(timer_settime, t->id, 0, now, was);
		return was[2] * NANO + was[3];
	default: return gst_timer_file_set(g, t, ns);
	}
}

static uint64_t host_left(struct gst *g, struct gst_timer *t)
{
	uint64_t was[4] = {0};

	switch (t->kind) {
	case GST_TIMER_INTERVAL:
		SYS2(getitimer, t->id, was);
		return was[2] * NANO + was[3] * NANO_PER_MICRO;
	case GST_TIMER_POSIX: SYS2(timer_gettime, t->id, was); return was[2] * NANO + was[3];
	default: return gst_timer_file_left(g, t);
	}
}

/* ---- expiry ---------------------------------------------------------------------------------- */

/* Returns 1 when its signal has been sent and is still pending. */
static int still_waits(const struct gst *g, const struct gst_timer *t)
{
	uint64_t set = 0;

	if (!t->is_sent || t->kind == GST_TIMER_FILE || !t->signal)
		return 0;
	SYS2(rt_sigpending, &set, 8);
	return (set & GST_BIT(t->signal)) != 0;
}

static void send_signal(struct gst *g, struct gst_timer *t)
{
	struct gst_siginfo info = {.sig = t->signal, .code = SI_TIMER_CODE};

	if (!t->signal)
		return;
	if (t->kind == GST_TIMER_INTERVAL) {
		info.code = GST_SI_KERNEL;
	} else {
		info.addr = (uint32_t)t->id;
		memcpy(info.rest, &t->value, sizeof(t->value));
	}
	gst_kill_send(g, t->tid, &info);
}

/* It is due, and has been `late` ns ago. */
static void expire(struct gst *g, struct gst_timer *t, uint64_t late)
{
	const uint64_t more = t->period ? late / t->period : 0;

	if (t->period)
		t->next += (more + 1) * t->period;
	else
		stop_timer(g, t);
	if (t->kind == GST_TIMER_FILE) {
		gst_timer_file_expire(g, t, more);
		return;
	}
	if (still_waits(g, t)) {
		t->overruns += more + 1;
		return;
	}
	t->overruns = more;
	t->is_sent = 1;
	send_signal(g, t);
}

static struct gst_timer *first_due(struct gst *g, const uint64_t now[2])
{
	struct gst_timer *first = NULL;
	uint64_t late = 0;

	for (uint32_t i = 0; i < g->timers.n; i++) {
		struct gst_timer *t = &g->timers.timer[i];
		const uint64_t time = now[t->is_processor];

		if (t->kind && t->is_armed && t->next <= time &&
		    (!first || time - t->next > late)) {
			first = t;
			late = time - t->next;
		}
	}
	return first;
}

/* Nanoseconds to the next one while the program runs. */
static uint64_t soonest(const struct gst *g, const uint64_t now[2])
{
	uint64_t least = ~0ull;

	for (uint32_t i = 0; i < g->timers.n; i++) {
		const struct gst_timer *t = &g->timers.timer[i];

		if (t->kind && t->is_armed && t->next - now[t->is_processor] < least)
			least = t->next - now[t->is_processor];
	}
	return least;
}

static int is_off(const struct gst *g)
{
	/* a child in borrowed memory: they are the parent's */
	return !g->timers.n_armed || gst_is_vforked(g);
}

void gst_timers_look(struct gst *g, uint64_t elapsed_ns, uint64_t executed_ns)
{
	const uint64_t now[2] = {elapsed_ns, executed_ns};
	struct gst_timer *t;
	uint64_t credit;

	if (is_off(g) || g->timers.is_looking)
		return;
	g->timers.is_looking = 1;
	while ((t = first_due(g, now)))
		expire(g, t, now[t->is_processor] - t->next);
	g->timers.is_looking = 0;
	credit = soonest(g, now) / NS_PER_BYTE;
	if (credit > SHR_CHUNK_BYTES * 64ull)
		credit = SHR_CHUNK_BYTES * 64ull;
	g->timers.limit = g->ring.at + (credit > LEAST_CREDIT ? credit : LEAST_CREDIT);
	gst_stop_limit(g);
}

int gst_timers_due(const struct gst *g)
{
	return g->timers.n_armed && g->ring.at >= g->timers.limit;
}

void gst_timers_ask(struct gst *g)
{
	gst_ring_flush(g, SHR_CHUNK_KEEP);
	if (gst_is_vforked(g)) {
		g->timers.limit = g->ring.at + SHR_CHUNK_BYTES;
		gst_stop_limit(g);
		return;
	}
	gst_ask_box(g);
	gst_ask(g, REQ_CLOCK);
	gst_timers_look(g, g->ctl->req.result[1], g->ctl->req.result[2]);
}

/* ---- set and show ---------------------------------------------------------------------------- */

struct gst_timer_spec gst_timer_left(struct gst *g, const struct gst_timer *t)
{
	struct gst_timer_spec s = {t->period, 0};
	const uint64_t now = gst_clock_ns(g, t->is_processor);

	if (t->is_armed)
		s.value = t->next > now ? t->next - now : 1;
	return s;
}

void gst_timer_set(struct gst *g, struct gst_timer *t, const struct gst_timer_spec *s,
		   int is_absolute)
{
	const uint64_t now = gst_clock_ns(g, t->is_processor);

	stop_timer(g, t);
	t->overruns = 0;
	t->is_sent = 0;
	t->period = s->period;
	if (!s->value)
		return;
	t->next = !is_absolute	   ? now + s->value
		  : t->is_realtime ? gst_clock_of_date(s->value)
				   : s->value;
	t->is_armed = 1;
	g->timers.n_armed++;
	g->timers.limit = g->ring.at; /* ask soon */
	gst_stop_limit(g);
}

void gst_timers_signal(struct gst *g, struct gst_siginfo *info)
{
	const struct gst_timer *t;

	if (info->code != SI_TIMER_CODE || !g->timers.n)
		return;
	t = gst_timer_find(g, GST_TIMER_POSIX, (int32_t)info->addr);
	if (t && t->signal == info->sig)
		info->addr = (uint32_t)t->id | t->overruns << 32; /* si_tid, si_overrun */
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* Returns 1 if the timer's signal will end a wait during which `mask` is blocked. */
static int ends_wait(struct gst *g, const struct gst_timer *t, uint64_t mask)
{
	const struct gst_thread *to =
	    t->tid && g->sched.n_live > 1 ? gst_thread_of(g, t->tid) : NULL;

	if (t->kind == GST_TIMER_FILE || !t->signal ||
	    gst_signal_is_harmless(g->t ? g->t : g->sched.first, t->signal))
		return 0;
	return !((to ? to->sig.mask : mask) & GST_BIT(t->signal));
}

/* Returns 1 if t can expire during a wait of ns at most (0: no limit) that begins at elapsed_ns. */
static int is_candidate(const struct gst *g, const struct gst_timer *t, uint64_t elapsed_ns,
			uint64_t ns)
{
	return t->kind && t->is_armed && !t->is_processor && (!ns || t->next <= elapsed_ns + ns) &&
	       !still_waits(g, t);
}

int gst_timers_host(struct gst *g, const uint64_t *words, uint64_t elapsed_ns, uint64_t ns,
		    uint64_t mask)
{
	uint64_t ends = 0;
	int is_certain = 0;

	if (is_off(g) || g->timers.n_hosted)
		return 0;
	for (uint32_t i = 0; i < g->timers.n; i++) {
		struct gst_timer *t = &g->timers.timer[i];
		const int has_signal = ends_wait(g, t, mask);

		if (!is_candidate(g, t, elapsed_ns, ns) || (ends && t->next >= ends) ||
		    (!has_signal && !(words && t->kind == GST_TIMER_FILE &&
				      gst_timer_file_is_awaited(g, words, t))))
			continue;
		ends = t->next;
		is_certain = has_signal;
	}
	/* Later ones are left out, so that the host cannot be late with the first. */
	for (uint32_t i = 0; i < g->timers.n; i++) {
		struct gst_timer *t = &g->timers.timer[i];

		if (!is_candidate(g, t, elapsed_ns, ns) || (ends && t->next > ends) ||
		    (t->kind == GST_TIMER_FILE && gst_timer_file_is_full(g, t)))
			continue;
		host_set(g, t, (t->next > elapsed_ns ? t->next - elapsed_ns : 0) + HOST_SLACK_NS);
		t->is_hosted = 1;
		g->timers.n_hosted++;
	}
	g->timers.ends_ns = is_certain ? ends : 0;
	return is_certain;
}

uint64_t gst_timers_unhost(struct gst *g)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < g->timers.n && g->timers.n_hosted; i++) {
		struct gst_timer *t = &g->timers.timer[i];

		if (!t->is_hosted)
			continue;
		t->is_hosted = 0;
		g->timers.n_hosted--;
		/* One that has expired is not touched: its signal may still wait. */
		if (host_left(g, t) && host_set(g, t, 0))
			continue;
		if (t->next > last)
			last = t->next;
		t->is_sent = 1;
		t->overruns = 0;
		if (t->period)
			t->next += t->period;
		else
			stop_timer(g, t);
	}
	return last;
}

/* ---- fork and exec --------------------------------------------------------------------------- */

void gst_timers_child(struct gst *g)
{
	memset(&g->timers, 0, sizeof(g->timers));
}

void gst_timers_leave(struct gst *g)
{
	struct shr_timers *kept = &g->ctl->start.timers;

	if (!gst_clock_is_model(g) || gst_is_vforked(g))
		return;
	kept->n_marks = g->timers.n_marks;
	for (uint32_t i = 0; i < g->timers.n; i++) {
		struct gst_timer *t = &g->timers.timer[i];
		struct gst_timer_spec s;

		if (t->kind == GST_TIMER_FILE)
			gst_timer_file_leave(g, t);
		if (t->kind != GST_TIMER_INTERVAL || !t->is_armed)
			continue;
		s = gst_timer_left(g, t);
		kept->interval[t->id][0] = s.value;
		kept->interval[t->id][1] = s.period;
	}
}

void gst_timers_return(struct gst *g)
{
	if (!gst_clock_is_model(g) || gst_is_vforked(g))
		return;
	for (uint32_t i = 0; i < g->timers.n; i++) {
		struct gst_timer *t = &g->timers.timer[i];

		if (t->kind == GST_TIMER_FILE && t->is_armed)
			host_set(g, t, 0);
	}
	memset(&g->ctl->start.timers, 0, sizeof(g->ctl->start.timers));
}

/* Left there by the program before, or armed in the kernel by a child in borrowed memory. */
static struct gst_timer_spec taken_over(struct gst *g, int which)
{
	static const uint64_t none[4];
	const uint64_t *kept = g->ctl->start.timers.interval[which];
	struct gst_timer_spec s = {kept[1], kept[0]};
	uint64_t was[4] = {0};

	SYS3(setitimer, which, none, was);
	if (!s.value && (was[2] || was[3])) {
		s.period = was[0] * NANO + was[1] * NANO_PER_MICRO;
		s.value = was[2] * NANO + was[3] * NANO_PER_MICRO;
	}
	return s;
}

void gst_timers_arrive(struct gst *g)
{
	if (!gst_clock_is_model(g))
		return;
	for (int which = 0; which < 3; which++) {
		const struct gst_timer_spec s = taken_over(g, which);
		struct gst_timer *t = s.value ? gst_timer_interval(g, which) : NULL;

		if (t)
			gst_timer_set(g, t, &s, 0);
	}
	gst_timer_files_arrive(g);
	memset(&g->ctl->start.timers, 0, sizeof(g->ctl->start.timers));
}
