/* rat.c -- unit rat: rename, three micro-ops a clock, and what holds it.
 *
 * COUNTING RULES   A2H: clocks in which micro-ops wait for an entry of the reorder buffer, the
 *                  reservation station, the load or store buffers, for a port of the register file,
 *                  for the recovery from a mispredicted branch or for the store buffer to drain.
 *                  D2H: clocks in which they wait for a part of a register or the flags to be
 *                  retired.
 * MODELLED         groups of up to three consecutive micro-ops, entered together; two reads a clock
 *                  of registers whose writers have retired; reads of registers and flags that
 *                  several writers hold in parts; the known zero behind XOR and SUB of a register
 *                  with itself; x87 stack renaming, FXCH without a port; serialising instructions.
 *                  writes of segment registers that wait for a copy (seg.c; in neither event).
 * SOURCES          Agner Fog 2000 ch. 16 and 19; Intel 242816-003 2.2, 3.3 and table 7-2.
 */
#include "model/p6/clocks/rat.h"

#include "model/p6/p6.h"
#include "model/p6/clocks/mob.h"
#include "model/p6/clocks/ports.h"
#include "model/p6/clocks/rob.h"
#include "model/p6/units/seg.h"
#include "model/p6/blocks/ledger.h"

/* ---- registers ------------------------------------------------------------------------------- */

/* Register r of a micro-op by its number in the state: x87 registers count from the top of the
 * stack. */
static unsigned physical(const struct p6_time *t, unsigned r, uint8_t top)
{
	if (r < P6_R_X87 || r >= P6_R_X87 + 8)
		return r;
	return P6_R_X87 + t->x87[(top + (r - P6_R_X87)) & 7];
}

static uint8_t top_after(const struct p6_time *t, const struct p6_step *s)
{
	return (uint8_t)((t->x87_top + s->x87_push) & 7);
}

/* An instruction has been renamed: the x87 stack as it leaves it. */
static void move_stack(struct p6_time *t, const struct p6_step *s)
{
	if (s->x87_swap) {
		uint8_t *a = &t->x87[t->x87_top & 7], *b = &t->x87[(t->x87_top + s->x87_swap) & 7];
		const uint8_t was = *a;

		*a = *b;
		*b = was;
	}
	t->x87_top = top_after(t, s);
}

/* ---- parts of registers and flags ------------------------------------------------------------ */

/* The first clock in which a read of part r can be renamed. */
static uint64_t part_clk(const struct p6_time *t, const struct p6_part *r)
{
	const struct p6_part_state *p = &t->part[r->reg & 15];

	if (p->bytes >= 4)
		return 0;
	if (r->bytes <= p->bytes &&
	    (r->is_high == p->is_high || p->bytes == 2)) /* AX has AH in it */
		return 0;
	if (p6_zero_covers(p->bytes, p->zero, r->bytes))
		return 0;
	if (r->bytes == 1 && p->bytes == 1) /* the other half of 16 bits */
		return 0;
	return p->retire_clk + t->par.partial_clk;
}

/* The first clock in which a read of these flags can be renamed. */
static uint64_t flags_clk(const struct p6_time *t, uint8_t read)
{
	return p6_is_flag_stall(read, t->flags.written) ? t->flags.retire_clk + t->par.partial_clk
							: 0;
}

/* Does an older instruction of the collected group, before number i, write all of r? */
static bool is_written_before(const struct p6_rename *g, unsigned i, const struct p6_part *r)
{
	for (unsigned k = 0; k < i; k++)
		for (unsigned j = 0; j < g->pend[k].step->n_write; j++)
			if (g->pend[k].step->write[j].reg == r->reg &&
			    g->pend[k].step->write[j].bytes >= r->bytes)
				return true;
	return false;
}

/* The first clock in which the instruction that number i of the collected group begins can be
 * renamed, as far as parts go. What the group itself writes is whole (is_cut_off). */
static uint64_t parts_clk(const struct p6_time *t, unsigned i)
{
	const struct p6_step *s = t->ren.pend[i].step;
	uint8_t flags = s->flags_read;
	uint64_t clk;

	for (unsigned k = 0; k < i; k++)
		if (t->ren.pend[k].step->flags_written & P6_F_ALL)
			flags = 0;
	clk = flags_clk(t, flags);
	for (unsigned k = 0; k < s->n_read; k++)
		if (!is_written_before(&t->ren, i, &s->read[k]))
			clk = p6_later(clk, part_clk(t, &s->read[k]));
	return clk;
}

void p6_rat_write_parts(struct p6_time *t, const struct p6_pend *p, uint64_t retire_clk)
{
	const struct p6_step *s = p->step;

	for (unsigned i = 0; i < s->n_write; i++) {
		const struct p6_part *w = &s->write[i];

		t->part[w->reg & 15] = (struct p6_part_state){retire_clk, w->bytes, w->is_high,
							      p->zero_rest >> 2 * i & 3};
		t->cut_parts = (t->cut_parts & ~(1u << (w->reg & 15))) | (w->bytes < 4u)
									     << (w->reg & 15);
	}
	if (s->flags_written & P6_F_ALL)
		t->flags = (struct p6_flag_state){retire_clk, s->flags_written};
}

uint64_t p6_rat_wait_parts(struct p6 *m, unsigned i, uint64_t clk)
{
	const uint64_t there = parts_clk(&m->time, i);

	if (there <= clk)
		return clk;
	P6_RAISE_FOR(m, RAT_PARTIAL_STALL, clk, there - clk);
	p6_line_stall(m, P6_WHY_PARTIAL, there - clk);
	return there;
}

/* ---- room ------------------------------------------------------------------------------------ */

/* The first clock from `clk` on in which n entries of the reservation station are free: those
 * dispatched before are gone. */
static uint64_t station_clk(struct p6_time *t, uint64_t clk, unsigned n)
{
	p6_station_pass(t, clk);
	for (;;) {
		while (t->rs_clk < clk) {
			uint8_t *leaving = &t->rs_leaving[t->rs_clk++ % P6_STATION_CLKS];

			t->rs_used -= *leaving;
			*leaving = 0;
		}
		if (t->rs_used + n <= t->par.rs)
			return clk;
		clk++;
	}
}

/* A micro-op entered the station whose entry is free behind clk. Beyond what is told apart it stays
 * until the end of that. */
static void enter_station(struct p6_time *t, uint64_t clk)
{
	if (clk - t->rs_clk >= P6_STATION_CLKS)
		clk = t->rs_clk + P6_STATION_CLKS - 1;
	t->rs_leaving[clk % P6_STATION_CLKS]++;
	t->rs_last = p6_later(t->rs_last, clk);
	t->rs_used++;
}

/* The first clock from clk on in which the collected group has room in all buffers but the
 * reservation station; *station: entries of that it needs. */
static uint64_t room_clk(struct p6_time *t, uint64_t clk, unsigned *station)
{
	unsigned loads = 0, stores = 0;

	*station = 0;
	for (unsigned i = 0; i < t->ren.n; i++) {
		const struct p6_uop *u = t->ren.pend[i].uop;

		clk = p6_later(clk, t->rob[(t->rob_at + i - t->par.rob) % P6_MAX_ROB] + 1);
		*station += u->kind != P6_U_RENAME;
		if (u->kind == P6_U_LOAD)
			clk = p6_later(
			    clk,
			    t->load[(t->load_at + loads++ - t->par.load_buffers) % P6_MAX_BUFFERS] +
				1);
		if (u->kind == P6_U_STA)
			clk =
			    p6_later(clk, t->store[(t->store_at + stores++ - t->par.store_buffers) %
						   P6_MAX_BUFFERS]
						  .commit_clk +
					      1);
	}
	return clk;
}

/* Registers of the collected group that are read from the register file, when it is renamed at clk;
 * 0: no more than it has ports. */
static unsigned file_reads(const struct p6_time *t, uint64_t clk)
{
	uint64_t read = 0, written = 0;
	uint8_t top = t->x87_top;
	unsigned n = 0;

	for (unsigned i = 0; i < t->ren.n; i++)
		n += t->ren.pend[i].uop->n_src;
	if (n <= t->par.rrf_ports)
		return 0;
	for (unsigned i = 0; i < t->ren.n; i++) {
		const struct p6_uop *u = t->ren.pend[i].uop;
		const struct p6_step *s = t->ren.pend[i].step;

		for (unsigned k = 0; k < u->n_src; k++) {
			const unsigned r = physical(t, u->src[k], top);

			if (!(written >> r & 1) && t->reg[r].file_clk <= clk)
				read |= 1ull << r;
		}
		if (u->flags & P6_U_LAST)
			top = (uint8_t)((top + s->x87_push) & 7);
		for (unsigned k = 0; k < u->n_dst; k++)
			written |= 1ull << physical(t, u->dst[k], top);
	}
	for (n = 0, read &= ~(1ull << P6_R_CF); read;
	     read &= read - 1) /* the flags are one register */
		n++;
	return n;
}

/* ---- one micro-op behind rename -------------------------------------------------------------- */

static uint64_t sources_clk(const struct p6_time *t, const struct p6_uop *u, uint64_t clk)
{
	for (unsigned k = 0; k < u->n_src; k++)
		clk = p6_later(clk, t->reg[physical(t, u->src[k], t->x87_top)].ready_clk);
	for (unsigned k = 0; k < 2; k++)
		if (u->after[k] && u->after[k] <= t->n_done)
			clk = p6_later(clk, t->done[t->n_done - u->after[k]]);
	return clk;
}

/* The line of micro-op p; ready_clk: its sources were there. */
static void tell(struct p6 *m, const struct p6_pend *p, struct mdl_line_uop *u, uint64_t ready_clk)
{
	const unsigned usual = p->uop->kind == P6_U_LOAD ? m->time.par.load_clk : p->uop->latency;
	const unsigned first = m->time.par.rename_to_dispatch_clk;

	if (p->uop->kind != P6_U_RENAME && u->wait.why)
		u->wait.clk = (uint32_t)(u->done_clk - ready_clk - usual);
	else if (p->uop->kind != P6_U_RENAME && u->dispatch_clk > ready_clk)
		u->wait = (struct mdl_stall){P6_WHY_PORT, (uint32_t)(u->dispatch_clk - ready_clk)};
	else if (ready_clk > u->rename_clk + first)
		u->wait = (struct mdl_stall){P6_WHY_OPERAND,
					     (uint32_t)(ready_clk - u->rename_clk - first)};
	p6_line_uop(m, p, u);
}

/* What the source of u that comes last waits for. */
static uint8_t last_source(const struct p6_time *t, const struct p6_uop *u)
{
	uint64_t last = 0;
	uint8_t level = P6_SLOT_LATENCY;

	for (unsigned k = 0; k < u->n_src; k++) {
		const unsigned r = physical(t, u->src[k], t->x87_top);

		if (t->reg[r].ready_clk > last) {
			last = t->reg[r].ready_clk;
			level = t->stack.level[r];
		}
	}
	for (unsigned k = 0; k < 2; k++)
		if (u->after[k] && u->after[k] <= t->n_done &&
		    t->done[t->n_done - u->after[k]] > last) {
			last = t->done[t->n_done - u->after[k]];
			level = t->stack.done[t->n_done - u->after[k]];
		}
	return level;
}

/* Micro-op p, which retires now, for where the clocks went. */
static void tell_stack(struct p6 *m, const struct p6_pend *p, const struct p6_stack_uop *u)
{
	struct p6_time *t = &m->time;
	const uint8_t top = p->uop->flags & P6_U_LAST ? top_after(t, p->step) : t->x87_top;
	const uint8_t level = (uint8_t)p6_stack_level(m, p);

	for (unsigned k = 0; k < p->uop->n_dst; k++)
		t->stack.level[physical(t, p->uop->dst[k], top)] = level;
	if (t->n_done && t->n_done <= P6_MAX_UOPS)
		t->stack.done[t->n_done - 1] = level;
	p6_stack_retire(m, p, u);
}

/* A micro-op of MMX was dispatched to a port at clk. */
static void raise_port(struct p6 *m, unsigned port, uint64_t clk)
{
	_Static_assert(WIRE_P6_MMX_UOP_P3 == WIRE_P6_MMX_UOP_P0 + 3, "one behind the other");
	m->dyn[WIRE_P6_MMX_UOP_P0 + port]++;
	if (m->time.watch)
		p6_watch_at(m, WIRE_P6_MMX_UOP_P0 + port, clk, 1);
}

static void dispatch(struct p6 *m, const struct p6_pend *p, uint64_t clk)
{
	struct p6_time *t = &m->time;
	const struct p6_uop *u = p->uop;
	uint64_t ready, done, at, retire;
	uint8_t top, source = 0;

	if (u->flags & P6_U_FIRST)
		t->n_done = 0;
	ready = sources_clk(t, u, clk + t->par.rename_to_dispatch_clk);
	if (t->stack.is_on)
		source = last_source(t, u);
	t->port_taken = MDL_NO_PORT;
	t->why = P6_WHY_NONE;
	if (p->step->is_locked && u->kind == P6_U_LOAD)
		ready = p6_mob_lock(m, p->is_again ? NULL : p->effect, ready);
	switch (u->kind) {
	case P6_U_LOAD: at = p6_mob_load(m, p, ready, &done); break;
	case P6_U_STA: at = p6_mob_address(m, p, ready, &done); break;
	case P6_U_STD: at = p6_mob_data(m, p, ready, &done); break;
	case P6_U_EXEC: at = p6_port_execute(m, p, ready, &done); break;
	default: /* done by rename; its value is ready when its source is */
		at = clk;
		done = clk + 1;
		break;
	}
	if (u->flags & P6_U_MMX)
		raise_port(m, t->port_taken, at);
	if (u->kind != P6_U_RENAME)
		enter_station(t, at + t->par.station_leave_clk);
	if (t->n_done < P6_MAX_UOPS)
		t->done[t->n_done++] = done;
	if (p->step->reads_counter && u->flags & P6_U_LAST)
		p6_rob_read(m, at, p->step->n_read_uop - 1u);
	retire = p6_rob_retire(m, p, p6_later(done, clk + 1));
	t->exec[t->rob_at % P6_MAX_ROB] = u->kind == P6_U_STA || u->kind == P6_U_RENAME ? 0 : at;
	t->rob[t->rob_at++ % P6_MAX_ROB] = retire;
	if (u->kind == P6_U_LOAD)
		t->load[t->load_at++ % P6_MAX_BUFFERS] = retire;
	if (t->watch)
		p6_watch_uop(m, p, at, retire);
	if (t->stack.is_on)
		tell_stack(m, p, &(struct p6_stack_uop){clk, ready, at, done, source});
	if (t->on_line)
		tell(m, p,
		     &(struct mdl_line_uop){p->ready_clk - t->par.decode_to_rename_clk,
					    clk,
					    at,
					    done,
					    retire,
					    t->port_taken,
					    {t->why, 0}},
		     ready);
	top = u->flags & P6_U_LAST ? top_after(t, p->step) : t->x87_top;
	for (unsigned k = 0; k < u->n_dst; k++) {
		const unsigned r = physical(t, u->dst[k], top);

		t->reg[r] = (struct p6_reg_state){done, t->par.read_written_back ? done : retire};
		t->late_regs |= 1ull << r;
	}
	if (u->flags & P6_U_BRANCH)
		t->branch_clk = done;
	if (u->flags & P6_U_LAST) {
		if (p->step->n_store)
			p6_mob_retire(m, p, retire);
		if (p->step->seg_wire)
			p6_seg_retire(m, p->step, retire);
		p6_rat_write_parts(t, p, retire);
		move_stack(t, p->step);
	}
}

/* What has moved is of p's instruction. */
static inline void book(struct p6 *m, const struct p6_pend *p)
{
	const size_t i = (size_t)(p - m->time.ren.pend);
	struct ledger *l = m->ledger;
	uint32_t context;

	if (!p->block || __builtin_expect(!l, 1))
		return;
	context = l->context;
	l->context = m->time.context[i];
	l->age = m->time.origin[i];
	ledger_book_of(l, p->block, p->insn);
	l->age = 0;
	l->context = context;
}

void p6_rat_flush(struct p6 *m)
{
	struct p6_time *t = &m->time;
	struct p6_rename *r = &t->ren;
	uint64_t clk = r->next_clk, limit, room;
	unsigned extra, reads, station;

	if (!r->n)
		return;
	limit = 0;
	for (unsigned i = 0; i < r->n; i++)
		limit = p6_later(limit, r->pend[i].ready_clk);
	if (t->stack.is_on && limit >= clk)
		t->stack.group = P6_N_SLOTS;
	if (clk == r->recovered_clk && clk > limit) {
		P6_RAISE_FOR(m, RAT_RESOURCE_STALL, limit, clk - limit);
		t->stack.group = P6_SLOT_MISPREDICT;
		book(m, &r->pend[0]);
	}
	clk = p6_later(clk, limit);
	for (unsigned i = 0; i < r->n; i++) {
		const struct p6_step *s = r->pend[i].step;

		if (!(r->pend[i].uop->flags & P6_U_FIRST))
			continue;
		clk = p6_rat_wait_parts(m, i, clk);
		book(m, &r->pend[i]);
		if (s->seg_wire) {
			limit = p6_seg_room(m, s, clk);
			p6_line_stall(m, P6_WHY_SEGMENT, limit - clk);
			clk = limit;
		}
		if (s->is_serializing) {
			limit = p6_later(t->retire_clk, t->commit_clk) + 1;
			if (limit > clk) {
				if (t->commit_clk > t->retire_clk)
					P6_RAISE_FOR(m, MOB_SB_DRAIN, p6_later(clk, t->retire_clk),
						     t->commit_clk - p6_later(clk, t->retire_clk));
				P6_RAISE_FOR(m, RAT_RESOURCE_STALL, clk, limit - clk);
				p6_line_stall(m, P6_WHY_SERIAL, limit - clk);
				clk = limit;
			}
		}
	}
	limit = room_clk(t, clk, &station);
	P6_RAISE_FOR(m, RAT_RESOURCE_STALL, clk, limit - clk);
	p6_line_stall(m, P6_WHY_ROOM, limit - clk);
	clk = limit;
	limit = station_clk(t, clk, station);
	P6_RAISE_FOR(m, RAT_RESOURCE_STALL, clk, limit - clk);
	p6_line_stall(m, P6_WHY_STATION, limit - clk);
	clk = limit;
	reads = file_reads(t, clk);
	extra = reads > t->par.rrf_ports ? (reads - 1u) / t->par.rrf_ports : 0;
	P6_RAISE_FOR(m, RAT_RESOURCE_STALL, clk, extra);
	p6_line_stall(m, P6_WHY_READ_PORTS, extra);
	clk += extra;
	book(m, &r->pend[0]);
	r->next_clk = clk + 1;
	room = clk > t->par.decode_to_queue_clk ? clk - t->par.decode_to_queue_clk : 0;
	for (unsigned i = 0; i < r->n; i++) {
		r->queue[r->queue_at++ % P6_MAX_QUEUE] = room;
		dispatch(m, &r->pend[i], clk);
		book(m, &r->pend[i]);
	}
	r->n = 0;
}

bool p6_rat_is_cut_off(const struct p6_rename *r, const struct p6_step *s)
{
	uint8_t flags = P6_F_ALL;

	for (unsigned i = 0; i < r->n; i++) {
		const struct p6_step *w = r->pend[i].step;

		if (s->seg_wire && s->seg_wire == w->seg_wire)
			return true;
		if (w->flags_written & P6_F_ALL)
			flags = w->flags_written;
		for (unsigned k = 0; k < w->n_write; k++)
			for (unsigned j = 0; w->write[k].bytes < 4 && j < s->n_read; j++)
				if (s->read[j].reg == w->write[k].reg &&
				    s->read[j].bytes > w->write[k].bytes)
					return true;
	}
	return p6_is_flag_stall(s->flags_read, flags);
}

struct p6_pend *p6_rat_next(struct p6 *m, const struct p6_uop *u, const struct p6_step *s,
			    uint64_t ready_clk)
{
	struct p6_rename *r = &m->time.ren;

	/* a group takes what is there when it goes; a serialising instruction begins one */
	if (r->n && (r->n == m->time.par.rename_uops ||
		     ready_clk > p6_later(r->next_clk, r->pend[0].ready_clk) ||
		     (u->flags & P6_U_FIRST && (s->is_serializing || p6_rat_is_cut_off(r, s)))))
		p6_rat_flush(m);
	m->time.context[r->n] = m->ledger ? m->ledger->context : 0;
	m->time.origin[r->n] = 0;
	return &r->pend[r->n++];
}
