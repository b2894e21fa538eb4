/* timers.h -- timers of the program that go on behind exec(2), while that is under way
 * (src/guest/time/timer.h). No libc. */
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
	uint64_t interval[3][2]; /* setitimer's: nanoseconds left, 0 = none; period */
	uint32_t n_file, n_marks; /* marks: given to timerfds so far */
	struct shr_timer_file file[SHR_TIMER_FILES];
};

#endif
