/* host_ledger.h -- which instruction each miss of host code belongs to (parts/ledger.h): rows of
 * counters beside the code.
 *
 * Host code counts into the machine's numbers as it does without a ledger. It also counts in a row
 * of counters, one row for each reference, code line and transfer that it was written for.
 * p6_host_fold() hands these rows to the ledger. A helper works as the loops do: before it runs,
 * the ledger skips what host code has counted; after it, the ledger books what the helper moved.
 *
 * COUNTING RULES   those of blocks/ledger.c; a hit costs nothing.
 */
#ifndef SOFTPMU_MODEL_P6_HOST_LEDGER_H
#define SOFTPMU_MODEL_P6_HOST_LEDGER_H

#include "model/p6/host/host_write.h"

/* What the reference at hand did. Shared parts return it in eax; until then it is gathered in
 * p6_host.did. 0: a hit. Bits 0 to 2: where the line came from. Bit 3: a usual walk. Bit 4: a
 * modified line left L1D. */
enum p6_did {
	P6_DID_L2_M = 1, /* L2 served it from state M */
	P6_DID_L2_E,
	P6_DID_ABSENT, /* it came from memory; in L2, a clean line made room */
	P6_DID_ABSENT_M,
	P6_DID_WALK = 8, /* a usual walk */
	P6_DID_OUT = 16, /* a modified line left L1D */
};
/* A helper did part of the reference: the helper P6_HOST_BOOK books it by how far the ledger's
 * cells have moved. Of the bits above only P6_DID_WALK is looked at then. */
#define P6_DID_MORE 0x80000000u

/* Counters of a row, by what it is of. A reference: by enum p6_did - 1, then these. */
enum { P6_ROW_WALK = 4, P6_ROW_OUT = 5, P6_ROW_MISALIGN = 6 };
/* A transfer. (A code line: 0 in state E, 1 in state S.) */
enum { P6_ROW_TAKEN, P6_ROW_WRONG, P6_ROW_WRONG_TAKEN };

/* Returns true if host code counts in rows. A scout writes a log instead, and the workers that read
 * it book the accesses. */
static inline bool p6_host_books(const struct p6 *m)
{
	return m->ledger && !m->log.is_on;
}

/* Returns a new row for instruction insn of the block. Without room it sets w->a.is_bad and returns
 * a row that must not be used. */
struct p6_host_row *p6_host_row_of(struct p6_writer *w, enum p6_host_row_kind kind, unsigned insn);

/* A counter of the row of w's transfer, as an operand. is_shared: r8 = that row. */
struct x86_operand p6_host_transfer_counter(struct p6_writer *w, unsigned i, bool is_shared);

/* With a ledger, writers add what they count to the row at hand; else these write nothing.
 *   line        eax = 0 or 1, of the set of L2 r8 and the way in mask edx
 *   outcome     of a branch in the BTB whose counter is esi; edi is scratch
 *   static      of a branch without entry
 *   fetch       a code line of the part fetch_line, r10 = its counter */
void p6_write_did_line(struct p6_writer *w, uint32_t more);
void p6_write_booked_outcome(struct p6_writer *w, bool is_taken, bool is_shared);
void p6_write_booked_static(struct p6_writer *w, bool is_taken, bool is_wrong);
void p6_write_booked_wrong(struct p6_writer *w);
void p6_write_booked_taken(struct p6_writer *w);
/* The part book_reference. */
void p6_write_book_part(struct p6_writer *w);

/* ---- run time -------------------------------------------------------------------------------- */

/* Set up what the ledger needs of host code. */
void p6_host_ledger_open(struct p6 *m);
/* Hand all rows to the ledger. */
void p6_host_ledger_fold(struct p6 *m);

/* Returns true if host code may do the next n bytes of records. Its rows are either of contexts
 * that count or of LEDGER_OUTSIDE, never of both (p6_host.is_outside). Returns false for the other
 * sort: the loops must do those records. When they have done about a million bytes more of them
 * than host code has done of its own sort, host code takes over that sort. */
bool p6_host_serves(struct p6 *m, size_t n);

/* The ledger skips what host code has counted: it is in the rows. */
void p6_host_ledger_pass(struct p6 *m);
/* Call the first before a helper, the second after it: what the helper counted is booked to
 * instruction insn of block id. */
void p6_host_ledger_before(struct p6 *m);
void p6_host_ledger_behind(struct p6 *m, uint32_t id, unsigned insn);
/* The helpers P6_HOST_PAGE, P6_HOST_MISS and P6_HOST_BOOK. */
void p6_host_page_booked(struct p6 *m, uint64_t vpn);
void p6_host_miss_booked(struct p6 *m, uint64_t lin, struct p6_frame page);
void p6_host_book(struct p6 *m, const struct p6_host_row *row);

#endif
