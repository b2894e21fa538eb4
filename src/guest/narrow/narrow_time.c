/* narrow_time.c -- i386 calls with times of 32 bits, and calls that wait, on a kernel without INT
 * 80h. Rules: narrow.h. */
#include "guest/narrow/narrow.h"

#include "guest/memory/copy.h"
#include "guest/signals/signal32.h"

#define NANO_PER_MICRO	 1000
#define USAGE_WORDS	 18u /* struct rusage: two times, then 14 numbers; all of one width */
#define MOST_DESCRIPTORS 4096u
#define SET_WORDS	 (MOST_DESCRIPTORS / 64)
#define SELECT_WORDS	 5u /* of the struct that the oldest select takes */

/* A timespec or timeval, or NULL where the program gave none. */
struct time_wide {
	int64_t part[GST_NARROW_TIME_WORDS];
	uint64_t at; /* for the kernel: part, or 0 */
};

/* Returns 0 or -EFAULT. */
static long take_time(struct time_wide *t, uint64_t from)
{
	t->at = from ? (uint64_t)t->part : 0;
	return from ? gst_narrow_take_words(t->part, from, GST_NARROW_TIME_WORDS) : 0;
}

static long put_time(uint64_t to, const int64_t part[GST_NARROW_TIME_WORDS])
{
	return gst_narrow_put_words(to, part, GST_NARROW_TIME_WORDS);
}

static long put_usage(uint64_t to, const uint64_t *wide)
{
	uint32_t narrow[USAGE_WORDS];

	for (unsigned i = 0; i < USAGE_WORDS; i++)
		narrow[i] = (uint32_t)wide[i];
	return to && gst_copy_out(to, narrow, sizeof(narrow)) ? -EFAULT : 0;
}

/* ---- clocks ---------------------------------------------------------------------------------- */

/* A call whose argument `at` receives a time. */
static long read_time(const struct gst_narrow *n, uint64_t number, unsigned at)
{
	int64_t time[2] = {0};
	uint64_t b[2] = {n->a[0], n->a[1]};
	long ret;

	b[at] = n->a[at] ? (uint64_t)time : 0;
	ret = gst_narrow_make(n, number, b[0], b[1], 0, 0, 0, 0);
	return ret ? ret : put_time(n->a[at], time);
}

static long time_of_day(const struct gst_narrow *n)
{
	int64_t time[2] = {0};
	uint32_t zone[2];
	const long ret =
	    gst_narrow_make(n, __NR_gettimeofday, (uint64_t)time, (uint64_t)zone, 0, 0, 0, 0);

	if (ret)
		return ret;
	if (n->a[1] && gst_copy_out(n->a[1], zone, sizeof(zone)))
		return -EFAULT;
	return put_time(n->a[0], time);
}

static long seconds(const struct gst_narrow *n)
{
	const long ret = gst_narrow_make(n, __NR_time, 0, 0, 0, 0, 0, 0);
	const int32_t now = (int32_t)ret;

	return ret >= 0 && n->a[0] && gst_copy_out(n->a[0], &now, sizeof(now)) ? -EFAULT : now;
}

static long process_times(const struct gst_narrow *n)
{
	uint64_t wide[4] = {0};
	uint32_t narrow[4];
	const long ret = gst_narrow_make(n, __NR_times, (uint64_t)wide, 0, 0, 0, 0, 0);

	for (unsigned i = 0; i < 4; i++)
		narrow[i] = (uint32_t)wide[i];
	if (ret != GST_NOT_STARTED && n->a[0] && gst_copy_out(n->a[0], narrow, sizeof(narrow)))
		return -EFAULT;
	return (int32_t)ret;
}

/* The time stands at argument `from`, and behind it where what is left of it goes. */
static long sleep(const struct gst_narrow *n, uint64_t number, unsigned from)
{
	struct time_wide asked;
	int64_t left[2] = {0};
	uint64_t b[4] = {n->a[0], n->a[1]};
	long ret = take_time(&asked, n->a[from]);

	if (ret)
		return ret;
	b[from] = asked.at;
	b[from + 1] = n->a[from + 1] ? (uint64_t)left : 0;
	ret = gst_narrow_make(n, number, b[0], b[1], b[2], b[3], 0, 0);
	if (ret != -EINTR && ret != GST_RESTARTS)
		return ret;
	return put_time(n->a[from + 1], left) ? -EFAULT : ret;
}

/* ---- times of files -------------------------------------------------------------------------- */

/* Two times, access and change, of 32 bits each part. is_micro: the second part is microseconds. */
static long touch(const struct gst_narrow *n, uint64_t dir, uint64_t path, uint64_t from,
		  int is_micro, uint64_t flags)
{
	int64_t wide[2 * GST_NARROW_TIME_WORDS];

	if (from && gst_narrow_take_words(wide, from, 2 * GST_NARROW_TIME_WORDS))
		return -EFAULT;
	for (unsigned i = 1; from && is_micro && i < 2 * GST_NARROW_TIME_WORDS; i += 2) {
		if (wide[i] < 0 || wide[i] >= 1000000)
			return -EINVAL;
		wide[i] *= NANO_PER_MICRO;
	}
	return gst_narrow_make(n, __NR_utimensat, gst_narrow_signed(dir), path,
			       from ? (uint64_t)wide : 0, flags, 0, 0);
}

static long touch_seconds(const struct gst_narrow *n)
{
	int64_t wide[2]; /* access, change */

	if (n->a[1] && gst_narrow_take_words(wide, n->a[1], 2))
		return -EFAULT;
	return gst_narrow_make(n, __NR_utime, n->a[0], n->a[1] ? (uint64_t)wide : 0, 0, 0, 0, 0);
}

/* ---- children -------------------------------------------------------------------------------- */

static long wait_child(const struct gst_narrow *n, uint64_t usage_at)
{
	uint64_t usage[USAGE_WORDS] = {0};
	const long ret = gst_narrow_make(n, __NR_wait4, gst_narrow_signed(n->a[0]), n->a[1],
					 n->a[2], usage_at ? (uint64_t)usage : 0, 0, 0);

	return ret > 0 && put_usage(usage_at, usage) ? -EFAULT : ret;
}

static long wait_id(const struct gst_narrow *n)
{
	uint64_t usage[USAGE_WORDS] = {0};
	struct gst_siginfo info = {0};
	uint8_t narrow[GST_SIGINFO32_BYTES];
	long ret = gst_narrow_make(n, __NR_waitid, n->a[0], gst_narrow_signed(n->a[1]),
				   (uint64_t)&info, n->a[3], n->a[4] ? (uint64_t)usage : 0, 0);

	if (ret || (info.sig && put_usage(n->a[4], usage)))
		return ret ? ret : -EFAULT;
	gst_siginfo_narrow(narrow, &info);
	if (!info.sig)
		memset(narrow, 0, sizeof(narrow));
	return n->a[2] && gst_copy_out(n->a[2], narrow, sizeof(narrow)) ? -EFAULT : 0;
}

static long usage_of(const struct gst_narrow *n)
{
	uint64_t usage[USAGE_WORDS] = {0};
	const long ret = gst_narrow_make(n, __NR_getrusage, gst_narrow_signed(n->a[0]),
					 (uint64_t)usage, 0, 0, 0, 0);

	return ret ? ret : put_usage(n->a[1], usage);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* Sets of descriptors are words of 4 bytes here and of 8 there, so they are copied. */
struct sets {
	uint64_t word[3][SET_WORDS];
	uint64_t at[3]; /* for the kernel, or 0 */
	size_t bytes;	/* of each, in the program's width */
};

static long take_sets(struct sets *s, uint64_t most, const uint64_t *from)
{
	s->bytes = (most + 31) / 32 * 4;
	for (unsigned i = 0; i < 3; i++) {
		s->at[i] = 0;
		if (!(uint32_t)from[i])
			continue;
		memset(s->word[i], 0, sizeof(s->word[i]));
		if (gst_copy_in(s->word[i], from[i], s->bytes))
			return -EFAULT;
		s->at[i] = (uint64_t)s->word[i];
	}
	return 0;
}

static long put_sets(const struct sets *s, const uint64_t *to)
{
	for (unsigned i = 0; i < 3; i++)
		if (s->at[i] && gst_copy_out(to[i], s->word[i], s->bytes))
			return -EFAULT;
	return 0;
}

/* a: number of descriptors, three sets, time. */
static long select_by(const struct gst_narrow *n, const uint64_t *a)
{
	const uint64_t most =
	    (int32_t)a[0] > (int32_t)MOST_DESCRIPTORS ? MOST_DESCRIPTORS : (uint32_t)a[0];
	struct time_wide time;
	struct sets s;
	long ret;

	if ((int32_t)a[0] < 0)
		return -EINVAL;
	if (take_time(&time, a[4]) || take_sets(&s, most, a + 1))
		return -EFAULT;
	ret = gst_narrow_make(n, __NR_select, most, s.at[0], s.at[1], s.at[2], time.at, 0);
	if (time.at)
		put_time(a[4], time.part);
	return ret >= 0 && put_sets(&s, a + 1) ? -EFAULT : ret;
}

static long select_old(const struct gst_narrow *n)
{
	uint32_t narrow[SELECT_WORDS];
	uint64_t a[SELECT_WORDS];

	if (gst_copy_in(narrow, n->a[0], sizeof(narrow)))
		return -EFAULT;
	for (unsigned i = 0; i < SELECT_WORDS; i++)
		a[i] = narrow[i];
	return select_by(n, a);
}

/* The sixth argument points to a pointer to the mask, and its size; the runtime has put its own
 * there (calls32_signal.c), or the program's stands there. */
static long select_masked(const struct gst_narrow *n, int is_wide)
{
	const uint64_t *a = n->a;
	const uint64_t most =
	    (int32_t)a[0] > (int32_t)MOST_DESCRIPTORS ? MOST_DESCRIPTORS : (uint32_t)a[0];
	struct time_wide time = {.at = a[4]};
	uint32_t narrow[2] = {0};
	uint64_t pair[2];
	struct sets s;
	long ret;

	if ((int32_t)a[0] < 0)
		return -EINVAL;
	if ((!is_wide && take_time(&time, a[4])) || take_sets(&s, most, a + 1) ||
	    (a[5] && gst_copy_in(narrow, a[5], sizeof(narrow))))
		return -EFAULT;
	pair[0] = narrow[0];
	pair[1] = narrow[1];
	ret = gst_narrow_make(n, __NR_pselect6, most, s.at[0], s.at[1], s.at[2], time.at,
			      a[5] ? (uint64_t)pair : 0);
	if (time.at && !is_wide)
		put_time(a[4], time.part);
	return ret >= 0 && put_sets(&s, a + 1) ? -EFAULT : ret;
}

static long poll_masked(const struct gst_narrow *n)
{
	struct time_wide time;
	long ret;

	if (take_time(&time, n->a[2]))
		return -EFAULT;
	ret = gst_narrow_make(n, __NR_ppoll, n->a[0], n->a[1], time.at, n->a[3], n->a[4], 0);
	if (time.at)
		put_time(n->a[2], time.part);
	return ret;
}

long gst_narrow_time(const struct gst_narrow *n)
{
	const uint64_t *a = n->a;

	switch (n->number) {
	case NR32_clock_gettime: return read_time(n, __NR_clock_gettime, 1);
	case NR32_clock_getres: return read_time(n, __NR_clock_getres, 1);
	case NR32_sched_rr_get_interval: return read_time(n, __NR_sched_rr_get_interval, 1);
	case NR32_gettimeofday: return time_of_day(n);
	case NR32_time: return seconds(n);
	case NR32_times: return process_times(n);
	case NR32_nanosleep: return sleep(n, __NR_nanosleep, 0);
	case NR32_clock_nanosleep: return sleep(n, __NR_clock_nanosleep, 2);
	case NR32_utime: return touch_seconds(n);
	case NR32_utimes: return touch(n, (uint64_t)-100 /* AT_FDCWD */, a[0], a[1], 1, 0);
	case NR32_futimesat: return touch(n, a[0], a[1], a[2], 1, 0);
	case NR32_utimensat: return touch(n, a[0], a[1], a[2], 0, a[3]);
	case NR32_waitpid: return wait_child(n, 0);
	case NR32_wait4: return wait_child(n, a[3]);
	case NR32_waitid: return wait_id(n);
	case NR32_getrusage: return usage_of(n);
	case NR32_select: return select_old(n);
	case NR32__newselect: return select_by(n, a);
	case NR32_pselect6: return select_masked(n, 0);
	case NR32_pselect6_time64: return select_masked(n, 1);
	case NR32_ppoll: return poll_masked(n);
	default: return -ENOSYS;
	}
}
