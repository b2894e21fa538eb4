/* timers.h -- timers of the program on their way over exec(2) (src/guest/time/timer.h). No libc.
 *
 * The old runtime writes them into the start data before the exec, the new one takes them out.
 * Times are what is left when the exec begins.
 */
#ifndef SOFTPMU_TRACE_TIMERS_H
#define SOFTPMU_TRACE_TIMERS_H

#include <stdint.h>

#define SHR_TIMER_FILES 16u

struct shr_timer_file {
	uint64_t value, period; /* nanoseconds; value: left, 0 = it is stopped */
	uint64_t overruns;
	uint32_t mark, is_realtime;
};

struct shr_timers {
	uint64_t interval[3][2];  /* setitimer's: nanoseconds left, 0 = none; period */
	uint32_t n_file, n_marks; /* marks: given to timerfds so far */
	struct shr_timer_file file[SHR_TIMER_FILES];
};

#endif
