/* wait.h -- how one side of the shared memory waits for the other.
 *
 * Used by the guest runtime and by the session; no libc, raw system calls.
 *
 * RULE (measured, docs/decisions/003-waiting.md)   PAUSE only for the first 50 turns (150 for a
 * reading when the last one was answered in that time) and only with more than one processor,
 * then sched_yield, then futex after about 200 us. Never a long PAUSE loop: it costs
 * milliseconds when both sides share a processor.
 */
#ifndef SOFTPMU_TRACE_WAIT_H
#define SOFTPMU_TRACE_WAIT_H

#include <stdint.h>

/* Progress of one wait; start with all zero. */
struct trc_wait {
	uint32_t turns;		/* turns so far */
	uint32_t is_single_cpu; /* 1: skip the PAUSE turns */
	uint32_t more_pauses;	/* PAUSE turns beyond the usual */
};

#define TRC_WAIT_PAUSES	     50u
#define TRC_WAIT_MORE_PAUSES 100u /* 2 us: a reading with clocks of the P6 */
#define TRC_WAIT_YIELDS	     150u /* about 200 us of sched_yield */

static inline long trc_raw_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

/* Wait one turn; the caller looks at what it waits for after each. Returns 1 when it is time to
 * sleep on a futex instead (the caller does that, with trc_futex_wait), else 0. */
static inline int trc_wait_turn(struct trc_wait *w)
{
	w->turns++;
	if (w->turns < TRC_WAIT_PAUSES + w->more_pauses && !w->is_single_cpu) {
		__asm__ volatile("pause");
		return 0;
	}
	if (w->turns < TRC_WAIT_PAUSES + w->more_pauses + TRC_WAIT_YIELDS) {
		trc_raw_syscall6(24 /* sched_yield */, 0, 0, 0, 0, 0, 0);
		return 0;
	}
	return 1;
}

/* Sleep until *word differs from `seen`, the other side calls trc_futex_wake(), a signal comes, or
 * timeout_ns have passed. The word lies in memory shared between processes. Returns the kernel's
 * answer: 0 when woken, else a negative error. */
static inline long trc_futex_wait(uint32_t *word, uint32_t seen, uint64_t timeout_ns)
{
	uint64_t ts[2] = {timeout_ns / 1000000000u, timeout_ns % 1000000000u};

	return trc_raw_syscall6(202, (long)word, 0 /* FUTEX_WAIT */, seen, (long)ts, 0, 0);
}

/* Wake the one sleeper at *word, if there is one. Store the new value first: a side that looks at
 * the word between the wake and the store would sleep until its timeout. */
static inline void trc_futex_wake(uint32_t *word)
{
	trc_raw_syscall6(202, (long)word, 1 /* FUTEX_WAKE */, 1, 0, 0, 0);
}

#endif
