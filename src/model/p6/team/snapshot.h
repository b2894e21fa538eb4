/* snapshot.h -- what a machine's past left in caches, TLBs and branch prediction, to go on from
 * there in another one.
 *
 * Used by team.c between two stretches (stretch.c), when no branch waits for its outcome. Whatever
 * only makes the model faster is left out.
 *
 * COUNTING RULES   none: a machine that went on from a snapshot counts what the one whose snapshot
 *                  it is would have.
 */
#ifndef SOFTPMU_MODEL_P6_SNAPSHOT_H
#define SOFTPMU_MODEL_P6_SNAPSHOT_H

struct p6;
struct p6_snapshot;

/* Returns the snapshot of m, or NULL without memory. The caller frees it by p6_snapshot_free(),
 * which takes NULL. The snapshot of a machine that writes a log of what it finds, or reads one
 * (log.h), has no L1D, L2 and DTLB. Cost: a copy of its caches, 20 to 50 us; without these, a few.
 */
struct p6_snapshot *p6_snapshot_take(const struct p6 *m);
void p6_snapshot_free(struct p6_snapshot *s);

/* Have m go on from s, which stays the caller's. m has the same configuration as the machine of s,
 * and nothing of it is held. Where s has no L1D, L2 and DTLB, m reads a log of what these find. All
 * pages that the other machine met must be known to m. Cost: as above. */
void p6_snapshot_put(struct p6 *m, const struct p6_snapshot *s);

#endif
