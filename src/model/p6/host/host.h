/* host.h -- the record loop as host code, one piece per hot block.
 *
 * Used by feed.c in the fast shape. What the loop of feed.c does with a compiled block (code lines,
 * references, the transfer at its end) is written out as straight host code with the block's facts
 * as constants, and the pieces jump to each other as the program's blocks do, so that the host
 * predicts them as it would predict the program.
 *
 * RULES            the same as feed.c's; plain.c is the reference for both, and a test compares.
 * ORDER            code lines are looked at before the references of the block, as hits there make
 *                  no difference to them; when a line is missing that references come before, the
 *                  block goes on in a second form that is written line by line in program order.
 * MODELLED         hits in L1I and ITLB, in the line and page of L1D and DTLB used last in their
 *                  sets, and transfers that the BTB has; all else is done by the units' functions
 *                  (host_help.c).
 * NOT MODELLED     blocks with x87, MMX, REP, weakly ordered or serialising instructions, or at
 *                  addresses above 2 GiB are left to feed.c.
 * FILTERS          host code looks at the filters of L1D and the DTLB as feed.c does. Of code lines
 *                  and their pages it keeps the replacement words itself, so the filter of the ITLB
 *                  is empty while it runs; the helpers empty what the units' functions fill. What
 *                  the block before used last is not looked at again (enum p6_host_entry).
 * SOURCES          docs/decisions/007-record-loop-as-host-code.md.
 */
#ifndef SOFTPMU_MODEL_P6_HOST_H
#define SOFTPMU_MODEL_P6_HOST_H

#include "model/p6/p6.h"

/* Set up. min_exec: executions that make a block hot, 0 = P6_HOST_MIN_EXEC. Returns 0;
 * -SPMU_ENOTSUP when the host refuses writable code, or the shape does not fit (the loop of feed.c
 * does it then); -SPMU_ENOMEM. */
int p6_host_open(struct p6 *m, uint32_t min_exec);
void p6_host_close(struct p6 *m);
/* All host code is dropped, if there may be any, and made anew. */
void p6_host_again(struct p6 *m);
/* As p6_host_again() while blocks go on: what it counted comes into the compiled blocks. */
void p6_host_renew(struct p6 *m);

/* Make host code of block `id`, which is compiled. Nothing happens when it does not qualify. */
void p6_host_compile(struct p6 *m, uint32_t id);

/* Run host code from the record at p on, whose block has some, as long as the next record's block
 * has some too and p < limit. Returns the first record not done; m->pending waits for it. */
const uint8_t *p6_host_run(struct p6 *m, const uint8_t *p, const uint8_t *limit);

/* Bring the executions counted by host code into the compiled blocks. */
void p6_host_fold(struct p6 *m);

/* As p6_host_fold(), and drop all host code: the loop of feed.c does everything from here on. */
void p6_host_drop(struct p6 *m);

/* ---- host_help.c: called by host code -------------------------------------------------------- */

/* The page of code line i of b is not where b looked: note its use, walk when it is absent. */
void p6_host_code_page(struct p6 *m, struct p6_host_blk *b, uint64_t i, const uint8_t *slots);
/* Code line i of b is not in L1I, and what comes before it is done: fetch it. */
void p6_host_fetch(struct p6 *m, struct p6_host_blk *b, uint64_t i, const uint8_t *slots);
/* Reference k (bits 0..7, enum p6_access above) to lin in one line, which does not hit as it
 * should; the record is at m->host.at. Returns as p6_host_ref. */
bool p6_host_line(struct p6 *m, struct p6_host_blk *b, uint64_t k, uint64_t lin);
/* As p6_host_line(), for one that is not aligned, not P6_LOCKED, and may lie in two lines; its
 * bytes are above bit 16 of k. */
bool p6_host_unaligned(struct p6 *m, struct p6_host_blk *b, uint64_t k, uint64_t lin);
/* Reference k, of unusual size or locked, in full. Returns true when the rest of the block has been
 * done too. */
bool p6_host_ref(struct p6 *m, struct p6_host_blk *b, uint64_t k, const uint8_t *slots);
/* The branch of b, which the BTB does not have at b->entry, was taken or not. */
void p6_host_branch(struct p6 *m, struct p6_host_blk *b, uint64_t is_taken);
/* The return or indirect transfer of b, which the BTB does not have at b->entry, gets its entry
 * before it is resolved: what it is found to be worth is the same then. */
void p6_host_enter(struct p6 *m, struct p6_host_blk *b, uint64_t zero);
/* The transfer of b goes to the block of `head`: resolve it and return its code address; 0, and
 * nothing is done, when it has no host code. */
uint64_t p6_host_next(struct p6 *m, struct p6_host_blk *b, uint64_t head);

/* Fill in p6_host.helper[] with these functions, for a machine that writes a log (log.h), or has a
 * ledger, or neither. */
void p6_host_helpers(struct p6 *m);

#endif
