/* turns.h -- whose instructions the stream has, when the threads of a program run on several
 * modelled processors.
 *
 * The stream says which processor a thread runs on (TRC_THREAD). A processor's loop over records
 * ends with TURNS_OTHER where another one's records begin, and the system feeds that one from
 * `resume` on.
 */
#ifndef SOFTPMU_MODEL_PARTS_TURNS_H
#define SOFTPMU_MODEL_PARTS_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/parts/reader.h"
#include "trace/record.h"

#define TURNS_OTHER (-0x10000) /* no error code */

struct turns {
	const uint8_t *resume; /* where the stream goes on for the next one to run */
	unsigned n;	       /* processors */
	unsigned running;      /* whose instructions the stream has */
};

/* The processor that a TRC_THREAD with this payload of `size` >= 4 bytes names. */
static inline unsigned turns_cpu(const struct turns *t, const uint8_t *payload, uint32_t size)
{
	return trc_thread_cpu(reader_u32(payload), size >= 8 ? reader_u32(payload + 4) : 0, t->n);
}

/* Records of a thread on processor `cpu` begin at `resume`. Returns false when that runs already.
 * Else the caller's loop ends with TURNS_OTHER: if it went on, this processor would count what the
 * other one executes. */
static inline bool turns_change(struct turns *t, unsigned cpu, const uint8_t *resume)
{
	if (cpu == t->running)
		return false;
	t->running = cpu;
	t->resume = resume;
	return true;
}

#endif
