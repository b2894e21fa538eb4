/* calls_time.c -- system calls that read a clock: the host's, or the modelled processor's
 * (clock.h). */
#include "guest/calls/calls.h"
#include "guest/time/clock.h"
#include "guest/calls/calls32.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define NANO		     1000000000ull
#define NANO_PER_MICRO	     1000u
#define TICKS_PER_SECOND     100u /* of times(2): USER_HZ */
#define NANO_PER_TICK	     10000000u
#define CLOCK_PROCESS	     2
#define RUSAGE_CHILDREN_CODE (-1)
#define RUSAGE_SELF_CODE     0
#define RUSAGE_THREAD_CODE   1
#define WNOWAIT_FLAG	     0x01000000u
#define SI_PID_64	     16u /* of siginfo */
#define SI_PID_32	     12u
#define ZONE_BYTES	     8u /* struct timezone: two words of 32 bits */

long gst_call_clock_gettime(struct gst *g, const uint64_t *a)
{
	uint64_t time[2];

	if (!gst_clock_is_model(g) || gst_clock_read(g, (uint32_t)a[0], time))
		return gst_call_pass(g, a);
	return gst_copy_out(a[1], time, sizeof(time)) ? -EFAULT : 0;
}

long gst_call_clock_getres(struct gst *g, const uint64_t *a)
{
	uint64_t step[2] = {0};

	if (gst_clock_is_model(g))
		step[1] = gst_clock_step_ns(g, (uint32_t)a[0]);
	if (!step[1])
		return gst_call_pass(g, a);
	return a[1] && gst_copy_out(a[1], step, sizeof(step)) ? -EFAULT : 0;
}

long gst_call_gettimeofday(struct gst *g, const uint64_t *a)
{
	const uint8_t utc[ZONE_BYTES] = {0};
	uint64_t time[2];

	if (!gst_clock_is_model(g))
		return gst_call_pass(g, a);
	gst_clock_read(g, 0, time);
	time[1] /= NANO_PER_MICRO;
	if ((a[0] && gst_copy_out(a[0], time, sizeof(time))) ||
	    (a[1] && gst_copy_out(a[1], utc, sizeof(utc))))
		return -EFAULT;
	return 0;
}

long gst_call_time(struct gst *g, const uint64_t *a)
{
	uint64_t time[2];

	if (!gst_clock_is_model(g))
		return gst_call_pass(g, a);
	gst_clock_read(g, 0, time);
	return a[0] && gst_copy_out(a[0], time, gst_call_word(g)) ? -EFAULT : (long)time[0];
}

static uint64_t ticks(const uint64_t time[2])
{
	return time[0] * TICKS_PER_SECOND + time[1] / NANO_PER_TICK;
}

/* All time of the processor is the program's own: the models have no kernel. */
long gst_call_times(struct gst *g, const uint64_t *a)
{
	const unsigned word = gst_call_word(g);
	uint64_t time[2], used[4] = {0};

	if (!gst_clock_is_model(g))
		return gst_call_pass(g, a);
	gst_clock_read(g, CLOCK_PROCESS, time);
	used[0] = ticks(time);
	used[2] = gst_clock_children(g) / NANO_PER_TICK;
	gst_clock_read(g, 1, time);
	for (unsigned i = 0; a[0] && i < 4; i++)
		if (gst_copy_out(a[0] + i * word, &used[i], word))
			return -EFAULT;
	return (long)ticks(time);
}

/* User time `ns`, and no system time, into struct rusage at `to`: two times of two words each. */
static long put_usage(const struct gst *g, uint64_t to, uint64_t ns)
{
	const uint64_t time[4] = {ns / NANO, ns % NANO / NANO_PER_MICRO, 0, 0};
	const unsigned word = gst_call_word(g);

	for (unsigned i = 0; i < 4; i++)
		if (gst_copy_out(to + i * word, &time[i], word))
			return -EFAULT;
	return 0;
}

long gst_call_getrusage(struct gst *g, const uint64_t *a)
{
	const int32_t who = (int32_t)a[0];
	long ret = gst_call_pass(g, a);

	if (ret || !gst_clock_is_model(g))
		return ret;
	if (who == RUSAGE_CHILDREN_CODE)
		return put_usage(g, a[1], gst_clock_children(g));
	return who == RUSAGE_SELF_CODE || who == RUSAGE_THREAD_CODE
		   ? put_usage(g, a[1], gst_clock_ns(g, 1))
		   : 0;
}

void gst_clock_reaped(struct gst *g, const uint64_t *words, long ret)
{
	const uint32_t like = gst_call_acts_like(g, words[0]);
	const int is_waitid = like == __NR_waitid;
	/* shows no usage */
	const int is_waitpid = g->t->call_like == GST_NO_LIKE && g->t->call_number == NR32_waitpid;
	const uint64_t to = is_waitid ? words[5] : is_waitpid ? 0 : words[4];
	int32_t pid = (int32_t)ret;
	struct req_box *b;

	if (!gst_clock_is_model(g) || (!is_waitid && like != __NR_wait4))
		return;
	if (is_waitid &&
	    (ret || (words[4] & WNOWAIT_FLAG) || !words[3] ||
	     gst_copy_in(&pid, words[3] + (gst_call_word(g) == 4 ? SI_PID_32 : SI_PID_64), 4)))
		return;
	if (pid <= 0)
		return;
	gst_ring_flush(g, 0);
	b = gst_ask_box(g);
	b->arg[0] = (uint32_t)pid;
	gst_ask(g, REQ_REAPED);
	if (to)
		put_usage(g, to, b->result[0]);
}
