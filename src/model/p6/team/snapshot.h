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

/* The snapshot of m; of one that tells what it finds (log.h) without L1D, L2 and DTLB. NULL when
 * memory is out. Freed by p6_snapshot_free(), which takes NULL. Cost: a copy of its caches, 20 to
 * 50 us; without these, a few. */
struct p6_snapshot *p6_snapshot_take(const struct p6 *m);
void p6_snapshot_free(struct p6_snapshot *s);

/* m, of the same configuration, goes on from s: it is told what s leaves out. Its pages must be
 * known. Cost: as above. */
void p6_snapshot_put(struct p6 *m, const struct p6_snapshot *s);

#endif
