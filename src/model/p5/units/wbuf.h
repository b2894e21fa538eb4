/* wbuf.h -- unit wbuf: the write buffers, in time.
 *
 * COUNTING RULES   as in wbuf.c.
 */
#ifndef SOFTPMU_MODEL_P5_WBUF_H
#define SOFTPMU_MODEL_P5_WBUF_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p5/units/bus.h"

#define P5_MOST_WBUFS 8u

/* Core clocks in which each buffer, and all of them, are written to the bus; they may lie in the
 * future. 0: not used yet. */
struct p5_wbuf {
	uint64_t free_clk[P5_MOST_WBUFS];
	uint64_t last_clk;
};

/* A store at m->time.data_clk goes to the bus: it waits for a buffer, which moves data_clk and is
 * counted. seen: what p5_bus_see() returned. is_mmx: by an MMX instruction, whose waits have an
 * event of their own. Stores come in program order, with m->time.is_in_v set for the pipe: it says
 * which buffers they may use. */
void p5_wbuf_put(struct p5 *m, enum p5_bus_kind kind, unsigned seen, bool is_mmx);

/* A store hits an E or M line: it waits until the writes before it are on the bus, which moves
 * m->time.data_clk. So the stores before it have called p5_wbuf_put(): it does not wait for one
 * that calls later. */
void p5_wbuf_hit(struct p5 *m, bool is_mmx);

#endif
