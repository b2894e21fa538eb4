/* host_cold.c -- the cold part of a block: what it does when something is not as usual.
 *
 * A piece tries the shared parts first (host_memory.c, host_transfer.c, host_enter.c), then has its
 * helper do it in C. All of them come back behind the jump that led there.
 */
#include "model/p6/host/host_write.h"

#include <stddef.h>

#include "model/p6/host/host_ledger.h"
#include "model/p6/host/host_slot.h"

/* May the block be done when its helper comes back? */
static bool may_end(const struct p6_cold *c)
{
	return c->kind == COLD_MAY_END || c->kind == COLD_UNALIGNED || c->kind == COLD_WRITE;
}

/* eax = what the reference of c did. 0: go on. Else write it to the log or add it to the row, and
 * go on. */
static void write_log(struct p6_writer *w, struct p6_cold *c)
{
	struct x86_asm *a = &w->a;

	x86_test(a, EAX, EAX);
	x86_jcc(a, X86_CC_E, &c->back);
	if (w->m->log.is_on) {
		x86_mov(a, ESI, IMM((c->argument & 0xff) << (P6_LOG_WHICH_AT - P6_LOG_CODE_AT)));
		x86_call_to(a, w->m->host.log_reference);
	} else {
		x86_lea(a, RSI, DATA(w->ref_row[c->argument & 0xff]));
		x86_call_to(a, w->m->host.book_reference);
	}
	x86_jmp(a, &c->back);
}

static void write_read(struct p6_writer *w, struct p6_cold *c)
{
	struct x86_asm *a = &w->a;
	struct x86_label tell = {0};

	x86_land(a, &c->way_in[0]);
	x86_call_to(a, w->m->host.read_page);
	if (p6_write_says(w))
		x86_jmp_short(a, &tell);
	else
		x86_jmp(a, &c->back);
	x86_land(a, &c->way_in[1]);
	x86_call_to(a, w->m->host.read_line);
	x86_land(a, &tell);
	if (p6_write_says(w))
		write_log(w, c);
	else
		x86_jmp(a, &c->back);
}

/* COLD_UNALIGNED; its argument has the bytes above bit 16. Falls through when the access lies in
 * two lines. */
static void write_in_one_line(struct p6_writer *w, struct p6_cold *c)
{
	struct x86_asm *a = &w->a;
	const unsigned bytes = c->argument >> 16;
	const uint64_t *misalign = &w->m->dyn[WIRE_P6_DCU_MISALIGN];
	struct x86_label cut = {0};

	if (bytes == 1u << P6_FAST_LINE_LOG2)
		return;
	x86_mov(a, EAX, EBP);
	x86_and(a, EAX, IMM(31));
	x86_cmp(a, EAX, IMM((1u << P6_FAST_LINE_LOG2) - bytes));
	x86_jcc(a, X86_CC_A, &cut);
	if (bytes <= 8) {
		x86_and(a, EAX, IMM(7));
		x86_cmp(a, EAX, IMM(9 - bytes)); /* does it lie over an 8-byte boundary? */
		x86_setcc(a, X86_CC_NC, DL);
		x86_movzx(a, EDX, DL);
	} else {
		x86_mov(a, EDX, IMM(bytes / 8));
	}
	x86_add(a, QWORD(NEAR(a, misalign)), RDX);
	if (p6_host_books(w->m))
		x86_add(a, QWORD(DATA(&w->ref_row[c->argument & 0xff]->n[P6_ROW_MISALIGN])), RDX);
	x86_jmp(a, &c->again);
	x86_land(a, &cut);
}

/* After write_page or write_line: go on when it did the store (ZF is clear); else fall through. */
static void write_done(struct p6_writer *w, struct p6_cold *c)
{
	struct x86_asm *a = &w->a;
	struct x86_label full = {0};

	if (!p6_write_says(w)) {
		x86_jcc(a, X86_CC_NE, &c->back);
		return;
	}
	x86_jcc(a, X86_CC_E, &full);
	p6_write_log_so_far(w);
	write_log(w, c);
	x86_land(a, &full);
}

/* Try the part fetch_line for the code line of c. Go on when it fetched the line; else fall
 * through. */
static void write_fetched(struct p6_writer *w, struct p6_cold *c)
{
	struct x86_asm *a = &w->a;
	struct x86_label full = {0};

	p6_write_fetch(w, c->argument);
	if (!p6_host_books(w->m)) {
		x86_jcc(a, X86_CC_NE, &c->back);
		return;
	}
	x86_jcc(a, X86_CC_E, &full);
	x86_lea(a, RSI, DATA(w->line_row[c->argument]));
	x86_inc(a, QWORD(MEM_X(RSI, R10, 8, offsetof(struct p6_host_row, n))));
	x86_jmp(a, &c->back);
	x86_land(a, &full);
}

/* ended: where it goes when the block is done. */
static void write_piece(struct p6_writer *w, struct p6_cold *c, struct x86_label *ended)
{
	struct x86_asm *a = &w->a;
	struct x86_label done = {0};

	x86_land(a, &c->way_in[0]);
	if (c->kind == COLD_WRITE) {
		x86_call_to(a, w->m->host.write_page);
		x86_jmp_short(a, &done);
		x86_land(a, &c->way_in[1]);
		x86_call_to(a, w->m->host.write_line);
		x86_land(a, &done);
		write_done(w, c);
	}
	if (c->helper == P6_HOST_FETCH && w->m->host.fetch_line &&
	    !(w->b->is_cut && c->argument < 2)) {
		write_fetched(w, c);
	}
	if (c->kind == COLD_TEACH) {
		p6_write_try_teach(w, c->argument);
		x86_jcc(a, X86_CC_NE, &c->back);
	}
	if (c->helper == P6_HOST_BRANCH || c->helper == P6_HOST_ENTER)
		p6_write_try_enter(w, c);
	if (c->kind == COLD_UNALIGNED && (c->argument >> 8 & 0xff) != P6_READ_WRITE)
		write_in_one_line(w, c);
	p6_write_machine(w);
	x86_lea(a, RSI, DATA(w->jb));
	x86_mov(a, EDX, IMM(c->argument));
	if (c->kind == COLD_WRITE || c->kind == COLD_UNALIGNED) {
		x86_mov(a, NEAR(a, &w->m->host.at), R12);
		x86_mov(a, RCX, RBP);
	} else {
		x86_lea(a, RCX, MEM(R12, 4));
	}
	p6_write_call(w, (enum p6_host_helper)c->helper);
	if (may_end(c)) {
		x86_test(a, AL, AL);
		x86_jcc(a, X86_CC_NE, ended);
	}
	if (c->base_slot != P6_NO_SLOT)
		p6_time_host_base(a, c->base_slot);
	x86_jmp(a, &c->back);
}

void p6_write_cold(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct x86_label ended = {0};
	bool has_end = false;

	for (unsigned i = 0; i < w->n_cold; i++)
		has_end |= may_end(&w->cold[i]);
	if (has_end) {
		x86_land(a, &ended);
		x86_lea(a, RSI, DATA(w->jb));
		x86_jmp_to(a, w->m->host.ended);
	}
	for (unsigned i = 0; i < w->n_cold; i++) {
		if (w->cold[i].kind == COLD_READ)
			write_read(w, &w->cold[i]);
		else
			write_piece(w, &w->cold[i], &ended);
	}
}
