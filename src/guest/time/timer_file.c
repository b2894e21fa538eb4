/* timer_file.c -- sets, reads and finds the timers of timerfds. Rules: timer_file.h. */
#include "guest/time/timer_file.h"

#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define NANO		  1000000000ull
#define MARK_SECONDS	  3000000000ull
#define REST_SECONDS	  4000000000ull
#define MOST_LEFT	  (2000000000ull * NANO) /* more is rest, or the mark */
#define MARKS_PER_PROCESS 100000u
#define MOST_MARKING_PIDS 9999u
#define MOST_FDS	  256
#define MOST_SELECTED	  1024u
#define POLLIN_BIT	  1

/* Mark of the timerfd fd; 0 = it has none. *left: what the kernel's has left. Returns 0 or
 * -errno. */
static long read_setting(int fd, uint32_t *mark, uint64_t *left)
{
	uint64_t was[4] = {0};
	long ret = SYS2(timerfd_gettime, fd, was);

	*mark = !ret && was[0] == MARK_SECONDS ? (uint32_t)was[1] : 0;
	*left = was[2] > MOST_LEFT / NANO ? 0 : was[2] * NANO + was[3];
	return ret;
}

struct gst_timer *gst_timer_of_file(struct gst *g, int fd, int *is_timer)
{
	uint64_t left;
	uint32_t mark;

	*is_timer = !read_setting(fd, &mark, &left);
	for (uint32_t i = 0; mark && i < g->timers.n; i++) {
		struct gst_timer *t = &g->timers.timer[i];

		if (t->kind == GST_TIMER_FILE && t->mark == mark) {
			t->id = fd;
			return t;
		}
	}
	return NULL;
}

/* Places of timers that are stopped can be used again: what they missed is lost when they are
 * never read. */
static void make_room(struct gst *g)
{
	for (uint32_t i = 0; i < g->timers.n; i++) {
		struct gst_timer *t = &g->timers.timer[i];

		if (t->kind == GST_TIMER_FILE && !t->is_armed && !t->overruns)
			gst_timer_drop(g, t);
	}
}

struct gst_timer *gst_timer_file_new(struct gst *g, int fd)
{
	struct gst_timer *t;
	uint64_t left;
	uint32_t mark;

	if (g->timers.n == GST_MOST_TIMERS)
		make_room(g);
	t = gst_timer_new(g, GST_TIMER_FILE, fd);
	if (!t)
		return NULL;
	read_setting(fd, &mark, &left); /* a parent's keeps its mark */
	if (!mark)
		mark = (g->ctl->guest_pid % MOST_MARKING_PIDS) * MARKS_PER_PROCESS +
		       ++g->timers.n_marks % MARKS_PER_PROCESS;
	t->mark = mark;
	return t;
}

static void set_timer(int fd, const struct gst_timer *t, uint64_t seconds, uint64_t ns)
{
	const uint64_t now[4] = {MARK_SECONDS, t->mark, seconds, ns};

	SYS4(timerfd_settime, fd, 0, now, NULL);
}

void gst_timer_file_rest(struct gst_timer *t)
{
	set_timer(t->id, t, REST_SECONDS, 0);
}

/* The descriptor that it has now, or -1. */
static int find_descriptor(struct gst_timer *t)
{
	uint64_t left;
	uint32_t mark;

	if (!read_setting(t->id, &mark, &left) && mark == t->mark)
		return t->id;
	for (int fd = 0; fd < MOST_FDS; fd++) {
		if (!read_setting(fd, &mark, &left) && mark == t->mark)
			return t->id = fd;
	}
	return -1;
}

uint64_t gst_timer_file_set(struct gst *g, struct gst_timer *t, uint64_t ns)
{
	const int fd = ns ? find_descriptor(t) : t->id;
	uint64_t left = 0;
	uint32_t mark;

	if (fd < 0 || (!ns && (read_setting(fd, &mark, &left) || !left)))
		return 0;
	set_timer(fd, t, ns ? ns / NANO : REST_SECONDS, ns % NANO);
	return left;
}

uint64_t gst_timer_file_left(struct gst *g, struct gst_timer *t)
{
	uint64_t left = 0;
	uint32_t mark;

	if (read_setting(t->id, &mark, &left) || mark != t->mark)
		return 1; /* closed during the wait */
	return left;
}

static int is_readable(int fd)
{
	uint64_t pfd = (uint32_t)fd | 1ull << 32; /* struct pollfd: POLLIN */
	uint64_t no_time[2] = {0, 0};
	long ret;

	do
		ret = SYS6(ppoll, &pfd, 1, no_time, 0, 8, 0);
	while (ret == -EINTR);
	return ret == 1;
}

static int is_behind(int fd, const struct gst_timer *t)
{
	uint64_t left;
	uint32_t mark;

	return fd >= 0 && !read_setting(fd, &mark, &left) && mark == t->mark;
}

static int is_polled(uint64_t list, uint64_t n, const struct gst_timer *t)
{
	struct gst_poll p;

	for (uint64_t i = 0; i < n && !gst_copy_in(&p, list + i * sizeof(p), sizeof(p)); i++)
		if (p.events & POLLIN_BIT && is_behind(p.fd, t))
			return 1;
	return 0;
}

static int is_selected(struct gst *g, uint64_t n, uint64_t readable, const struct gst_timer *t)
{
	const uint64_t bits = 8 * gst_call_word(g);
	uint8_t set[MOST_SELECTED / 8] = {0};

	if (n > MOST_SELECTED || !readable ||
	    gst_copy_in(set, readable, (n + bits - 1) / bits * bits / 8))
		return 0;
	for (uint64_t fd = 0; fd < n; fd++)
		if (set[fd / 8] >> fd % 8 & 1 && is_behind((int)fd, t))
			return 1;
	return 0;
}

int gst_timer_file_is_awaited(struct gst *g, const uint64_t *words, const struct gst_timer *t)
{
	switch (g->t->call_like) {
	case __NR_read:
	case __NR_readv: return is_behind((int)words[1], t);
	case __NR_poll:
	case __NR_ppoll: return is_polled(words[1], words[2], t);
	case __NR_select:
	case __NR_pselect6: return is_selected(g, words[1], words[2], t);
	case GST_NO_LIKE: break;
	default: return 0;
	}
	switch (g->t->call_number) {
	case NR32_ppoll: return is_polled(words[1], words[2], t);
	case NR32__newselect:
	case NR32_pselect6: return is_selected(g, words[1], words[2], t);
	default: return 0;
	}
}

int gst_timer_file_is_full(struct gst *g, struct gst_timer *t)
{
	const int fd = find_descriptor(t);

	return fd < 0 || is_readable(fd);
}

void gst_timer_file_expire(struct gst *g, struct gst_timer *t, uint64_t more)
{
	const int fd = find_descriptor(t);

	if (fd < 0) { /* closed, as far as can be seen */
		gst_timer_drop(g, t);
		return;
	}
	t->overruns += more;
	if (is_readable(fd)) {
		t->overruns++;
		return;
	}
	set_timer(fd, t, 0, 1);
	while (!is_readable(fd))
		;
}

/* The kernel's goes on by itself, on the host's clock. */
static void release(struct gst_timer *t, const struct gst_timer_spec *s)
{
	const uint64_t now[4] = {s->period / NANO, s->period % NANO, s->value / NANO,
				 s->value % NANO};
	const int fd = find_descriptor(t);

	if (fd >= 0 && !is_readable(fd))
		SYS4(timerfd_settime, fd, 0, now, NULL);
}

void gst_timer_file_leave(struct gst *g, struct gst_timer *t)
{
	struct shr_timers *kept = &g->ctl->start.timers;
	const struct gst_timer_spec s = gst_timer_left(g, t);

	if (!s.value && !t->overruns)
		return;
	if (kept->n_file < SHR_TIMER_FILES)
		kept->file[kept->n_file++] = (struct shr_timer_file){s.value, s.period, t->overruns,
								     t->mark, t->is_realtime};
	else if (s.value)
		release(t, &s);
}

void gst_timer_files_arrive(struct gst *g)
{
	const struct shr_timers *kept = &g->ctl->start.timers;

	g->timers.n_marks = kept->n_marks;
	for (uint32_t i = 0; i < kept->n_file && i < SHR_TIMER_FILES; i++) {
		const struct shr_timer_file *f = &kept->file[i];
		const struct gst_timer_spec s = {f->period, f->value};
		struct gst_timer *t = gst_timer_new(g, GST_TIMER_FILE, -1);

		if (!t)
			return;
		t->mark = f->mark;
		t->is_realtime = (uint8_t)f->is_realtime;
		if (find_descriptor(t) < 0) { /* closed */
			gst_timer_drop(g, t);
			continue;
		}
		gst_timer_set(g, t, &s, 0);
		t->overruns = f->overruns;
	}
}

void gst_timer_file_read(struct gst *g, int fd, uint64_t at, long n)
{
	struct gst_timer *t;
	uint64_t count;
	int is_timer;

	if (n != 8 || !g->timers.n)
		return;
	t = gst_timer_of_file(g, fd, &is_timer);
	if (!t || !t->overruns || gst_copy_in(&count, at, 8))
		return;
	count += t->overruns;
	t->overruns = 0;
	gst_copy_out(at, &count, 8);
}
