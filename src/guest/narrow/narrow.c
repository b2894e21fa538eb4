/* narrow.c -- i386 calls as calls of x86-64: which group has a call. Rules: narrow.h. */
#include "guest/narrow/narrow.h"

#include "guest/calls/calls32.h"
#include "guest/memory/copy.h"
#include "guest/signals/signal32.h"

#define SIGINFO_WIDE_VALUE   24u /* of a queued signal: its value, here and in the narrow struct */
#define SIGINFO_NARROW_VALUE 20u
#define N_CALLS		     512u

long gst_narrow_make(const struct gst_narrow *n, uint64_t number, uint64_t a, uint64_t b,
		     uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	const uint64_t words[7] = {number, a, b, c, d, e, f};

	return gst_call(words, &n->t->sig.waits);
}

long gst_narrow_take_words(int64_t *to, uint64_t from, unsigned number)
{
	int32_t narrow;

	for (unsigned i = 0; i < number; i++) {
		if (gst_copy_in(&narrow, from + i * sizeof(narrow), sizeof(narrow)))
			return -EFAULT;
		to[i] = narrow;
	}
	return 0;
}

long gst_narrow_put_words(uint64_t to, const int64_t *from, unsigned number)
{
	for (unsigned i = 0; to && i < number; i++) {
		const int32_t narrow = (int32_t)from[i];

		if (gst_copy_out(to + i * sizeof(narrow), &narrow, sizeof(narrow)))
			return -EFAULT;
	}
	return 0;
}

/* rt_sigqueueinfo and rt_tgsigqueueinfo: `skip` arguments, then signal and info. */
static long queue(const struct gst_narrow *n, uint64_t number, unsigned skip)
{
	uint8_t narrow[GST_SIGINFO32_BYTES];
	struct gst_siginfo info = {0};
	uint64_t words[7] = {number};

	if (gst_copy_in(narrow, n->a[skip + 1], sizeof(narrow)))
		return -EFAULT;
	memcpy(&info, narrow, 12);
	memcpy((uint8_t *)&info + 16, narrow + 12, 8);
	memcpy((uint8_t *)&info + SIGINFO_WIDE_VALUE, narrow + SIGINFO_NARROW_VALUE, 4);
	memcpy(words + 1, n->a, 6 * sizeof(words[0]));
	words[skip + 2] = (uint64_t)&info;
	return gst_call(words, &n->t->sig.waits);
}

/* rt_sigtimedwait, whose time is wide or narrow. */
static long wait_signal(const struct gst_narrow *n, int is_wide)
{
	struct gst_siginfo info = {0};
	uint8_t narrow[GST_SIGINFO32_BYTES];
	int64_t time[GST_NARROW_TIME_WORDS];
	uint64_t at = n->a[2];
	long ret;

	if (at && !is_wide) {
		if (gst_narrow_take_words(time, at, GST_NARROW_TIME_WORDS))
			return -EFAULT;
		at = (uint64_t)time;
	}
	ret = gst_narrow_make(n, __NR_rt_sigtimedwait, n->a[0], (uint64_t)&info, at, n->a[3], 0, 0);
	if (ret <= 0 || !n->a[1])
		return ret;
	gst_siginfo_narrow(narrow, &info);
	return gst_copy_out(n->a[1], narrow, sizeof(narrow)) ? -EFAULT : ret;
}

/* The rest: calls of one kind each. */
static long other(const struct gst_narrow *n)
{
	const uint64_t *a = n->a;

	switch (n->number) {
	case NR32_ioctl: return gst_narrow_request(n);
	case NR32_personality: return gst_narrow_make(n, __NR_personality, a[0], 0, 0, 0, 0, 0);
	case NR32_rt_sigsuspend:
		return gst_narrow_make(n, __NR_rt_sigsuspend, a[0], a[1], 0, 0, 0, 0);
	case NR32_quotactl: return gst_narrow_make(n, __NR_quotactl, a[0], a[1], a[2], a[3], 0, 0);
	case NR32_mount: return gst_narrow_make(n, __NR_mount, a[0], a[1], a[2], a[3], a[4], 0);
	case NR32_umount: return gst_narrow_make(n, __NR_umount2, a[0], 0, 0, 0, 0, 0);
	case NR32_keyctl: return gst_narrow_make(n, __NR_keyctl, a[0], a[1], a[2], a[3], a[4], 0);
	case NR32_signalfd:
		return gst_narrow_make(n, __NR_signalfd, gst_narrow_signed(a[0]), a[1], a[2], 0, 0,
				       0);
	case NR32_signalfd4:
		return gst_narrow_make(n, __NR_signalfd4, gst_narrow_signed(a[0]), a[1], a[2], a[3],
				       0, 0);
	case NR32_rt_sigqueueinfo: return queue(n, __NR_rt_sigqueueinfo, 1);
	case NR32_rt_tgsigqueueinfo: return queue(n, __NR_rt_tgsigqueueinfo, 2);
	case NR32_rt_sigtimedwait: return wait_signal(n, 0);
	case NR32_rt_sigtimedwait_time64: return wait_signal(n, 1);
	default: return -ENOSYS;
	}
}

/* Say once in a process that a call is missing. */
static void say_missing(struct gst *g, const struct gst_thread *t, uint32_t number)
{
	char text[REQ_TEXT_BYTES];
	struct gst_text out;

	if (g->t != t || number >= N_CALLS || g->narrow_missing[number / 64] >> number % 64 & 1)
		return;
	g->narrow_missing[number / 64] |= 1ull << number % 64;
	gst_text_start(&out, text, sizeof(text));
	gst_text_add(&out, "call ");
	gst_text_dec(&out, number);
	gst_text_add(&out,
		     " of a 32-bit program answers ENOSYS: this kernel answers no INT 80h, and "
		     "softpmu does not convert this call (docs/SYSCALLS.md)");
	gst_warn(g, text, NULL);
}

static long by_groups(const struct gst_narrow *n)
{
	static long (*const groups[])(const struct gst_narrow *) = {
	    gst_narrow_file,   gst_narrow_time, gst_narrow_timer,
	    gst_narrow_vector, gst_narrow_ipc,	other};
	long ret = -ENOSYS;

	for (unsigned i = 0; i < sizeof(groups) / sizeof(groups[0]) && ret == -ENOSYS; i++)
		ret = groups[i](n);
	return ret;
}

long gst_call_narrow(struct gst *g, const struct gst_thread *t, const uint64_t *words)
{
	const struct gst_narrow n = {.g = g, .t = t, .a = words + 1, .number = (uint32_t)words[0]};
	const uint32_t like = gst_call32_like(n.number);
	uint64_t wide[7];
	long ret;

	if (like == GST_NO_LIKE) {
		ret = by_groups(&n);
		if (ret == -ENOSYS)
			say_missing(g, t, n.number);
		return ret;
	}
	ret = gst_narrow_old(&n);
	if (ret != GST_NARROW_EQUAL)
		return ret;
	memcpy(wide, words, sizeof(wide));
	wide[0] = like;
	return gst_call(wide, &t->sig.waits);
}
