/* l2.h -- unit l2: requests of L1 and of walks, and the lines that L1D puts out.
 *
 * p6_l2_request() does any request, for any geometry. In the fast shape most requests find their
 * line, or miss and replace a line that nothing else knows of. The functions of l2_inline.h do
 * these in the place that asks, and count them as one number for several wires (p6_l2.served,
 * p6_l2.absent). Nothing here can fail, and nothing here owns memory: p6_open() makes the sets and
 * p6_close() frees them.
 *
 * KEPT UP          a line is in one way of its set at most, and its tag names its page. Where
 *                  cache_meta.noted of a set is not 0, walks know in which way a line of it lies
 *                  (walk.c): p6_walk_lost() comes before a line of the set is replaced, else a walk
 *                  would note the use of a way that holds another line.
 *
 * COUNTING RULES   as in l2.c.
 */
#ifndef SOFTPMU_MODEL_P6_L2_H
#define SOFTPMU_MODEL_P6_L2_H

#include <stdbool.h>
#include <stdint.h>

#include "model/parts/cache.h"

struct p6;

/* Requests that are served in place (l2_inline.h): what for, and what L2 found. */
enum p6_served { P6_SERVED_READ, P6_SERVED_WALK, P6_SERVED_FETCH, P6_SERVED_STORE, P6_N_SERVED };
enum p6_l2_found { P6_L2_M, P6_L2_E, P6_L2_S, P6_N_FOUND };
enum p6_absent { P6_ABSENT_READ, P6_ABSENT_STORE, P6_N_ABSENT };

/* L2. */
struct p6_l2 {
	struct cache cache; /* its lines; without memory when there is none */
	bool is_there;	    /* this processor has one; p6_open() sets it */
	/* --replace lru: a modified line that L1D puts out goes to memory when L2 lacks it, and
	 * does not count as a use of L2's copy when L2 has it; a line that leaves L2 stays in
	 * L1D. p6_open() sets it */
	bool is_textbook;
	/* Short forms and host code count these as one number for several wires;
	 * p6_l2_add_served() makes wires of them. */
	/* requests that L2 served in place: what for (enum p6_served), and the state that it had */
	uint64_t served[P6_N_SERVED][P6_N_FOUND];
	/* operands whose line neither L1D nor L2 had, and which replaced a line of L2: read or
	 * store (enum p6_absent), and was the replaced line modified */
	uint64_t absent[P6_N_ABSENT][2];
};

/* From ST on: requests for ownership. UPGRADE: of a line that L1D has in state S. */
enum p6_request {
	P6_REQ_IFETCH,
	P6_REQ_LD,
	P6_REQ_WALK,
	P6_REQ_LD_NO_FILL,
	P6_REQ_ST,
	P6_REQ_UPGRADE,
};

/* One request of L1 or the walker, counted under the state in which L2 has the line before. Returns
 * the state in which L1D receives the line; the caller puts it there. Making room here can pull
 * another modified line out of L1D, so what the caller knew of L1D's ways before may be void. */
enum cache_state p6_l2_request(struct p6 *m, struct cache_line l, enum p6_request req);

/* Add what short forms and host code counted as one number for several wires (p6_l2.served and
 * .absent, p6_walker.n_served, p6_dcu.n_cast_out) to the wires of all units in total[WIRE_N]. Each
 * unit adds its own part: p6_dcu_add_served() and so on. Call it once per total: the numbers stay
 * as they are, so a second call would count all of it again, and a total without it lacks most hits
 * of L2. */
void p6_l2_add_served(const struct p6 *m, uint64_t *total);

/* L1D puts out line l, which is modified there: L2 receives it, or without L2 memory. The
 * caller drops it from L1D, or turns it clean: a line that stayed M there would be put out, and
 * counted, once more. */
void p6_l2_cast_out(struct p6 *m, struct cache_line l);

/* State of l in L2; CACHE_I when absent or without L2. Changes nothing. */
enum cache_state p6_l2_state(const struct p6 *m, struct cache_line l);

/* As p6_dcu_snoop(), for L2, and after it: is_m says that the copy of L1D was modified, so that the
 * line counts as a modified one that goes. */
enum cache_state p6_l2_snoop(struct p6 *m, struct cache_line l, bool takes, bool is_m);

#endif
