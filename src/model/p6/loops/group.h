/* group.h -- machines of one processor that get one stream and differ in caches and TLBs: the loop
 * over records is done once for all of them.
 *
 * One more machine, the front, runs the loop. It executes blocks, so it counts what does not depend
 * on caches, and it has the predictor. It has no caches: its filters know which line and page were
 * used last in sets that are no more than those of any member, so what a filter knows is what was
 * used last in a set of every member, too. Touching that again changes no member (parts/replace.h),
 * and is left out for all of them at once. Everything else is done by each member in full.
 *
 * COUNTING RULES   wires that need caches (catalog: memory, alone) are a member's own, with what
 *                  the front's blocks count by being executed; all others are the front's.
 * KEPT UP          a line that leaves a member leaves the front's filter (p6_dcu.common). What is
 *                  done for members past the loop empties all filters of the front. Without either
 *                  a member would count a hit of a line that it does not have.
 * NOT MODELLED     clocks, several processors, ledgers, machines that are plain: those are no
 *                  members, and feed themselves.
 */
#ifndef SOFTPMU_MODEL_P6_GROUP_H
#define SOFTPMU_MODEL_P6_GROUP_H

#include "model/p6/p6.h"

#define P6_MOST_MEMBERS 16u

struct p6_group {
	struct p6 *front; /* p6.group of it is this one */
	struct p6 *member[P6_MOST_MEMBERS];
	unsigned n;
	/* A bit per member: it has done the rest of this block already; the last code line of this
	 * block was missing. */
	uint32_t is_done, was_missing;
};

/* The members' filters are those of front from now on, and it knows nothing. */
void p6_group_lead(struct p6_group *g, struct p6 *front);

/* Reference r of block b at linear address lin, which the filters do not leave out. */
void p6_group_reference(struct p6 *front, const struct p6_blk *b, const struct p6_ref *r,
			const uint8_t *slots, uint64_t lin);

/* Code line number `line`, number i of block b. */
void p6_group_line(struct p6 *front, const struct p6_blk *b, uint64_t line, unsigned i);

/* Block b has flags. Returns true when all members are done with it, *rc as mdl_feed(); else code
 * lines and references follow as of any block. */
bool p6_group_flagged(struct p6 *front, const struct p6_blk *b, const uint8_t *p, int *rc);

/* The event record at p, which the front has done. Returns as mdl_feed(). */
int p6_group_event(struct p6 *front, const uint8_t *p, const uint8_t *end);

/* Behind a block: members that were done early are as the others again. */
void p6_group_end_block(struct p6_group *g);

/* The front's blocks are to be forgotten: members keep what their executions, total[WIRE_N],
 * counted for them. */
void p6_group_add(struct p6_group *g, const uint64_t *executions);

/* total[WIRE_N] is what executions counted, and a member's own numbers: make it what the member
 * counts. executions: the former alone; front: the front's own numbers. */
void p6_group_sum(const uint64_t *executions, const uint64_t *front, uint64_t *total);

#endif
