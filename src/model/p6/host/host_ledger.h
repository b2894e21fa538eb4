/* host_ledger.h -- whose the misses of host code were (parts/ledger.h): rows of counters beside the
 * code.
 *
 * Host code counts into the machine's numbers as it does without a ledger. What it counts is also
 * added to a counter of the reference, code line or transfer that it writes out. p6_host_fold()
 * hands these rows to the ledger. A helper works as the loops do: what host code has counted before
 * it is passed over, and what moved behind it is booked.
 *
 * COUNTING RULES   those of blocks/ledger.c; a hit costs nothing.
 */
#ifndef SOFTPMU_MODEL_P6_HOST_LEDGER_H
#define SOFTPMU_MODEL_P6_HOST_LEDGER_H

#include "model/p6/host/host_write.h"

/* What the reference at hand did, in eax from the shared parts, and in p6_host.did until then: 0, a
 * hit; the line in bits 0 to 2; the page in bit 3, and so on. */
enum p6_did {
	P6_DID_L2_M = 1, /* L2 served it from state M */
	P6_DID_L2_E,
	P6_DID_ABSENT, /* it came from memory; in L2, a clean line made room */
	P6_DID_ABSENT_M,
	P6_DID_WALK = 8, /* a usual walk */
	P6_DID_OUT = 16, /* a modified line left L1D */
};
/* Some of it was a helper's: it is booked by what moved. */
#define P6_DID_MORE 0x80000000u

/* Counters of a row, by what it is of. A reference: by enum p6_did - 1, then these. */
enum { P6_ROW_WALK = 4, P6_ROW_OUT = 5, P6_ROW_MISALIGN = 6 };
/* A transfer. (A code line: 0 in state E, 1 in state S.) */
enum { P6_ROW_TAKEN, P6_ROW_WRONG, P6_ROW_WRONG_TAKEN };

/* Does host code book? Where accesses are told, somebody else knows whose they are. */
static inline bool p6_host_books(const struct p6 *m)
{
	return m->ledger && !m->log.is_on;
}

/* The row of instruction insn of the block; NULL when there is no room, and w->a.is_bad. */
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

/* May host code do the next n bytes of records? Its rows are of what counts, or of what counts for
 * nobody (LEDGER_OUTSIDE); loops do the other. When loops do more, the two change places. */
bool p6_host_serves(struct p6 *m, size_t n);

/* What host code counted is passed over: it is in the rows. */
void p6_host_ledger_pass(struct p6 *m);
/* In front of a helper, and behind it: what it did is booked to instruction insn of block id. */
void p6_host_ledger_before(struct p6 *m);
void p6_host_ledger_behind(struct p6 *m, uint32_t id, unsigned insn);
/* The helpers P6_HOST_PAGE, P6_HOST_MISS and P6_HOST_BOOK. */
void p6_host_page_booked(struct p6 *m, uint64_t vpn);
void p6_host_miss_booked(struct p6 *m, uint64_t lin, struct p6_frame page);
void p6_host_book(struct p6 *m, const struct p6_host_row *row);

#endif
