/* turns.h -- whose instructions the stream has, when the threads of a program run on several modelled processors.
 *
 * Thread t runs on processor t modulo their number. A processor's loop over records ends with TURNS_OTHER where another
 * one's records begin, and the system feeds that one from `resume` on.
 */
#ifndef SOFTPMU_MODEL_PARTS_TURNS_H
#define SOFTPMU_MODEL_PARTS_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#define TURNS_OTHER (-0x10000) /* no error code */

struct turns {
	const uint8_t *resume; /* where the stream goes on for the next one to run */
	unsigned n;            /* processors */
	unsigned running;      /* whose instructions the stream has */
};

/* Records of `thread` begin at `resume`. Returns false when its processor runs already. */
static inline bool turns_change(struct turns *t, unsigned thread, const uint8_t *resume)
{
	const unsigned cpu = thread % t->n;

	if (cpu == t->running)
		return false;
	t->running = cpu;
	t->resume = resume;
	return true;
}

#endif
