/* pairs.h -- pairs of events: what counters 0 and 1 count together, as rabbit's switches set
 * them.
 *
 * COUNTING RULES   an event without a unit mask has all bits that it has; of an event whose masks
 *                  are single values, its default. A mask that is written with the event and the
 *                  switch's are combined by AND. --mesi reaches events by the state of a line,
 *                  --bus_agent those that tell this processor from all agents, --MMX all others
 *                  with masks; an event ignores the other two. --duration 0 sets E of a P6 in
 *                  events that last, and CC's clock bit of a Pentium says the same of every
 *                  event.
 */
#ifndef SOFTPMU_RABBIT_PAIRS_H
#define SOFTPMU_RABBIT_PAIRS_H

#include "event/events.h"
#include "rabbit/options.h"

#define RBT_LABEL_BYTES 64u

struct rbt_pair {
	bool has[2];  /* counter n counts something; one of them does */
	size_t at[2]; /* its place in rbt_pairs.events */
	char label[RBT_LABEL_BYTES];
};

/* Pairs, and their events in one list, whose first one counts the processor's clocks. Start with
 * all zero. */
struct rbt_pairs {
	const struct cat_cpu *cpu;
	struct rbt_pair *pair; /* owned */
	size_t n, room;
	struct evt_events events; /* owned */
};

/* Place of the clocks in rbt_pairs.events. */
#define RBT_CLOCK 0u

/* Event of counter n of a pair, which has one there. */
static inline const struct evt_event *rbt_pair_event(const struct rbt_pairs *list,
						     const struct rbt_pair *p, int n)
{
	return &list->events.event[p->at[n]];
}

/* Begin a list for cpu. Returns 0; -SPMU_ENOTSUP with a sentence when no event counts its clocks;
 * -SPMU_ENOMEM. rbt_pairs_free() in every case. */
int rbt_pairs_open(struct rbt_pairs *list, const struct cat_cpu *cpu, struct spmu_error *err);
void rbt_pairs_free(struct rbt_pairs *list);

/* Append a pair. a, b: events as people type them; b NULL: a on each counter that has it.
 * Returns 0; -SPMU_EINVAL with the reason why it cannot be; -SPMU_ENOMEM. */
int rbt_pairs_add(struct rbt_pairs *list, const char *a, const char *b,
		  const struct rbt_switches *s, const char *label, struct spmu_error *err);

/* Append what the command line asks for: --e, -g, -input, or, without these, instructions and
 * micro-ops (a Pentium: instructions, and those of the V pipe). Returns as above. */
int rbt_pairs_choose(struct rbt_pairs *list, const struct rbt_options *o, struct spmu_error *err);

/* Append the pairs of a file (input.c). Returns as above, with the number of the bad line;
 * -SPMU_ENOENT when the file cannot be read. */
int rbt_pairs_read(struct rbt_pairs *list, const char *path, const struct rbt_switches *all,
		   struct spmu_error *err);

/* The event that `word` means on counter n of cpu, with its name spelled out; switches are not
 * looked at. Returns 0 or -SPMU_EINVAL with the reason. */
int rbt_event_find(const struct cat_cpu *cpu, const char *word, int n, struct evt_event *out,
		   struct spmu_error *err);

/* Set the switches of counter n in e and spell its name anew. Returns 0, or -SPMU_EINVAL with the
 * reason why they cannot be. */
int rbt_event_switch(const struct cat_cpu *cpu, const struct rbt_switches *s, int n,
		     struct evt_event *e, struct spmu_error *err);

/* The switch that sets the unit mask of an event: "--mesi"; NULL: none does. Static. */
const char *rbt_mask_switch(const struct cat_event *e);

#endif
