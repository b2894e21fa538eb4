/* host_ledger.c -- rows of counters beside host code, and how the ledger gets them; see
 * host_ledger.h. */
#include "model/p6/host/host_ledger.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/units/dcu.h"

#include <stddef.h>

#define N_COUNTERS  7u
#define MOST_OTHERS (1u << 20) /* most of p6_host.n_other: then host code changes its sort */

/* ---- writing --------------------------------------------------------------------------------- */

struct p6_host_row *p6_host_row_of(struct p6_writer *w, enum p6_host_row_kind kind, unsigned insn)
{
	struct p6_host *j = &w->m->host;

	_Static_assert(sizeof(struct p6_host_row) == 64 && offsetof(struct p6_host_row, n) == 8,
		       "as emitted");
	if (j->n_row == P6_HOST_ROWS) {
		j->is_full = true;
		w->a.is_bad = true;
		return &j->row[0];
	}
	j->row[j->n_row] =
	    (struct p6_host_row){.id = w->jb->id, .insn = (uint16_t)insn, .kind = (uint16_t)kind};
	return &j->row[j->n_row++];
}

struct x86_operand p6_host_transfer_counter(struct p6_writer *w, unsigned i, bool is_shared)
{
	if (is_shared)
		return MEM(R8, (int32_t)(offsetof(struct p6_host_row, n) + 8 * i));
	return DATA(&w->transfer_row->n[i]);
}

static bool wants(const struct p6_writer *w, unsigned wire)
{
	return p6_host_books(w->m) && w->m->ledger->wanted[wire];
}

static bool wants_wrong(const struct p6_writer *w)
{
	return wants(w, WIRE_P6_RETIRE_MISPREDICT) || wants(w, WIRE_P6_RETIRE_MISPREDICT_TAKEN);
}

void p6_write_did_line(struct p6_writer *w, uint32_t more)
{
	struct x86_asm *a = &w->a;

	_Static_assert(P6_DID_L2_E == P6_DID_L2_M + 1, "as emitted");
	x86_xor(a, R10D, R10D);
	x86_test(a, IN_SET(R8, meta.m), DX);
	x86_setcc(a, X86_CC_E, R10B);
	x86_add(a, R10D, IMM(P6_DID_L2_M + more));
}

void p6_write_booked_outcome(struct p6_writer *w, bool is_taken, bool is_shared)
{
	struct x86_asm *a = &w->a;

	if (is_taken && wants(w, WIRE_P6_RETIRE_TAKEN))
		x86_inc(a, QWORD(p6_host_transfer_counter(w, P6_ROW_TAKEN, is_shared)));
	if (!wants_wrong(w))
		return;
	if (is_taken) { /* carry when the counter said not taken */
		x86_cmp(a, ESI, IMM(2));
		x86_adc(a, QWORD(p6_host_transfer_counter(w, P6_ROW_WRONG_TAKEN, is_shared)),
			IMM(0));
	} else {
		x86_mov(a, EDI, IMM(1));
		x86_cmp(a, EDI, ESI);
		x86_adc(a, QWORD(p6_host_transfer_counter(w, P6_ROW_WRONG, is_shared)), IMM(0));
	}
}

void p6_write_booked_taken(struct p6_writer *w)
{
	if (wants(w, WIRE_P6_RETIRE_TAKEN))
		x86_inc(&w->a, QWORD(p6_host_transfer_counter(w, P6_ROW_TAKEN, false)));
}

void p6_write_booked_wrong(struct p6_writer *w)
{
	if (wants_wrong(w))
		x86_inc(&w->a, QWORD(p6_host_transfer_counter(w, P6_ROW_WRONG_TAKEN, false)));
}

void p6_write_booked_static(struct p6_writer *w, bool is_taken, bool is_wrong)
{
	if (is_taken)
		p6_write_booked_taken(w);
	if (is_taken && is_wrong)
		p6_write_booked_wrong(w);
	if (!is_taken && is_wrong && wants_wrong(w))
		x86_inc(&w->a, QWORD(p6_host_transfer_counter(w, P6_ROW_WRONG, false)));
}

/* rsi = a row, eax = what its reference did, not 0. Keeps rdi. */
void p6_write_book_part(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	const int32_t n = offsetof(struct p6_host_row, n);
	struct x86_label more = {0}, done = {0};

	if (!p6_host_books(w->m))
		return;
	w->m->host.book_reference = x86_here(a);
	x86_test(a, EAX, EAX);
	x86_jcc(a, X86_CC_S, &more);
	x86_mov(a, EDX, EAX);
	x86_shr(a, EDX, 4); /* P6_DID_OUT */
	x86_add(a, QWORD(MEM(RSI, n + 8 * P6_ROW_OUT)), RDX);
	x86_mov(a, EDX, EAX);
	x86_shr(a, EDX, 3);
	x86_and(a, EDX, IMM(1)); /* P6_DID_WALK */
	x86_add(a, QWORD(MEM(RSI, n + 8 * P6_ROW_WALK)), RDX);
	x86_xor(a, EDX, EDX);
	x86_mov(a, NEAR(a, &w->m->host.did), EDX);
	x86_and(a, EAX, IMM(7));
	x86_jcc(a, X86_CC_E, &done);
	x86_inc(a, QWORD(MEM_X(RSI, RAX, 8, n - 8)));
	x86_land(a, &done);
	x86_ret(a);
	x86_land(a, &more);
	x86_push(a, RDI);
	p6_write_machine(w);
	p6_write_call(w, P6_HOST_BOOK);
	x86_pop(a, RDI);
	x86_ret(a);
}

/* ---- run time -------------------------------------------------------------------------------- */

/* The machine's numbers that counter i of a row stands for: two at most, NULL for none. */
static void numbers_of(const struct p6 *m, const struct p6_host_row *r, unsigned i,
		       const uint64_t *number[2])
{
	number[0] = number[1] = NULL;
	switch (r->kind) {
	case P6_ROW_REFERENCE:
		number[0] = i < 2	       ? &m->l2.served[P6_SERVED_READ][i]
			    : i < P6_ROW_WALK  ? &m->l2.absent[P6_ABSENT_READ][i - 2]
			    : i == P6_ROW_WALK ? &m->walker.n_served[P6_WALKED_DATA]
			    : i == P6_ROW_OUT  ? &m->dcu.n_cast_out
					       : &m->dyn[WIRE_P6_DCU_MISALIGN];
		break;
	case P6_ROW_LINE:
		number[0] = &m->l2.served[P6_SERVED_FETCH][P6_L2_E + (i & 1)];
		number[1] = &m->dyn[WIRE_P6_IFU_MISS_REF];
		break;
	default:
		number[0] =
		    i == P6_ROW_TAKEN ? &m->btb.n_taken : &m->dyn[WIRE_P6_RETIRE_MISPREDICT];
		number[1] =
		    i == P6_ROW_WRONG_TAKEN ? &m->dyn[WIRE_P6_RETIRE_MISPREDICT_TAKEN] : NULL;
		break;
	}
}

/* The cells that host code moves, of all kinds of rows. */
void p6_host_ledger_open(struct p6 *m)
{
	struct p6_host *j = &m->host;

	_Static_assert(P6_L2_M == 0 && P6_L2_E == 1, "as the counters of a reference");
	if (!p6_host_books(m))
		return;
	for (unsigned kind = 0; kind < P6_ROW_KINDS; kind++)
		for (unsigned i = 0; i < N_COUNTERS; i++) {
			const struct p6_host_row row = {.kind = (uint16_t)kind};
			const uint64_t *number[2];

			numbers_of(m, &row, i, number);
			for (unsigned k = 0; k < 2; k++) {
				const unsigned cell = number[k]
							  ? ledger_cell_of(m->ledger, number[k])
							  : LEDGER_NO_CELL;

				j->cell[kind][i][k] = (uint16_t)cell;
				if (cell != LEDGER_NO_CELL)
					ledger_mark_own(m->ledger, cell);
			}
		}
}

void p6_host_ledger_fold(struct p6 *m)
{
	struct p6_host *j = &m->host;

	for (uint32_t r = 0; r < j->n_row; r++) {
		struct p6_host_row *row = &j->row[r];

		for (unsigned i = 0; i < N_COUNTERS; i++) {
			for (unsigned k = 0; k < 2 && row->n[i] && !j->is_outside; k++)
				if (j->cell[row->kind][i][k] != LEDGER_NO_CELL)
					ledger_add_to(m->ledger, row->id, row->insn,
						      j->cell[row->kind][i][k], row->n[i]);
			row->n[i] = 0;
		}
	}
}

/* Blocks that loops executed often become host code. */
static void compile_often(struct p6 *m)
{
	for (uint32_t id = 0; id < m->blocks.n_compiled && !m->host.is_full; id++)
		if (m->blocks.position[id] != P6_NO_ENTRY &&
		    p6_blk_at(m, m->blocks.position[id])->n_exec >= m->host.min_exec)
			p6_host_compile(m, id);
	if (m->host.is_full)
		p6_host_drop(m);
}

bool p6_host_serves(struct p6 *m, size_t n)
{
	struct p6_host *j = &m->host;

	if (!m->ledger || (m->ledger->context == LEDGER_OUTSIDE) == j->is_outside) {
		j->n_other -= n < j->n_other ? n : j->n_other;
		return true;
	}
	j->n_other += n;
	if (j->n_other < MOST_OTHERS)
		return false;
	p6_host_fold(m);
	j->n_other = 0;
	j->is_outside = !j->is_outside;
	compile_often(m);
	return j->memory != NULL;
}

void p6_host_ledger_pass(struct p6 *m)
{
	ledger_skip_own(m->ledger);
}

void p6_host_ledger_before(struct p6 *m)
{
	if (!(m->host.did & P6_DID_MORE))
		ledger_skip_own(m->ledger);
}

void p6_host_ledger_behind(struct p6 *m, uint32_t id, unsigned insn)
{
	struct p6_host *j = &m->host;
	const unsigned walk = j->cell[P6_ROW_REFERENCE][P6_ROW_WALK][0];

	ledger_book(m->ledger, id, insn);
	/* p6_host_ledger_before() skipped the walk, which host code had done */
	if (j->did & P6_DID_WALK && walk != LEDGER_NO_CELL && !j->is_outside)
		ledger_add_to(m->ledger, id, insn, walk, 1);
	j->did = 0;
}

void p6_host_page_booked(struct p6 *m, uint64_t vpn)
{
	p6_host_ledger_before(m);
	p6_dcu_page_fast(m, vpn);
	m->host.did |= P6_DID_MORE;
}

void p6_host_miss_booked(struct p6 *m, uint64_t lin, struct p6_frame page)
{
	p6_host_ledger_before(m);
	p6_dcu_read_miss_fast(m, lin, page);
	m->host.did |= P6_DID_MORE;
}

void p6_host_book(struct p6 *m, const struct p6_host_row *row)
{
	p6_host_ledger_behind(m, row->id, row->insn);
}
