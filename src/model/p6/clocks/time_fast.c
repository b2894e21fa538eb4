/* time_fast.c -- the clocks of a block of usual instructions: what decode.c, rat.c, ports.c, mob.c
 * and rob.c say, in one loop.
 *
 * Nobody looks at single micro-ops or clocks, and nothing in the block or in front of it is rare
 * (template_fast.c). What the loop asks of a micro-op is in its content (struct p6_fast_uop); of a
 * group, what its micro-ops add up to while they are collected.
 *
 * COUNTING RULES   those of these units: tests/unit/test_p6_fast.c and test_p6_paths.c compare
 *                  streams with a machine that never comes here.
 * NOT MODELLED     x87 and MMX, REP, locked and serialising instructions, segment registers, RDPMC:
 *                  the general way does them.
 */
#include "model/p6/clocks/time_fast.h"

#include <string.h>

#include "model/p6/clocks/templates.h"
#include "model/p6/p6.h"
#include "model/p6/clocks/ports.h"
#include "model/p6/clocks/rat.h"
#include "model/p6/clocks/decode.h"
#include "model/p6/clocks/fill.h"
#include "model/p6/clocks/mob.h"
#include "model/p6/clocks/rob.h"

#define INLINE static inline __attribute__((always_inline))

#define LOADS(needs)  ((needs)&0xff)
#define STORES(needs) ((needs) >> 8)

/* ---- the collected group --------------------------------------------------------------------- */

/* What its micro-ops add up to. */
struct group {
	uint64_t ready_clk;	/* of the last */
	uint64_t reads, writes; /* registers: read that it has not written, and written */
	uint32_t needs;
	uint16_t cut_writes; /* registers of which a step writes a part */
	uint8_t flags;	     /* written last */
	bool has_flags;
	bool has_parts; /* an instruction may have to wait for a part of a register, or for flags */
};

static const struct group empty = {.flags = P6_F_ALL};

INLINE void collect(struct group *g, const struct p6_time *t, const struct p6_content *c,
		    uint64_t ready_clk)
{
	const struct p6_step *s = &c->step;

	g->ready_clk = p6_later(g->ready_clk, ready_clk);
	g->reads |= c->fast.reads & ~g->writes;
	g->writes |= c->fast.writes;
	g->needs += c->fast.needs;
	if (c->uop.flags & P6_U_FIRST)
		g->has_parts |=
		    c->fast.part_reads & t->cut_parts ||
		    (!g->has_flags && p6_is_flag_stall(s->flags_read, t->flags.written));
	g->cut_writes |= c->fast.cut_writes;
	if (s->flags_written & P6_F_ALL) {
		g->flags = s->flags_written;
		g->has_flags = true;
	}
}

/* Does instruction c, which comes next, begin a group of its own? */
INLINE bool is_cut_off(const struct group *g, const struct p6_rename *r, const struct p6_content *c)
{
	return p6_is_flag_stall(c->step.flags_read, g->flags) ||
	       (c->fast.part_reads & g->cut_writes && p6_rat_is_cut_off(r, &c->step));
}

/* ---- reservation station --------------------------------------------------------------------- */

/* Who is dispatched before clk is gone. */
static void leave_station(struct p6_time *t, uint64_t clk)
{
	p6_station_pass(t, clk);
	while (t->rs_clk < clk) {
		const unsigned at = t->rs_clk % P6_STATION_CLKS;
		const uint64_t n = clk - t->rs_clk;
		uint64_t now, some;

		if (n < sizeof(now) && at + sizeof(now) > P6_STATION_CLKS) {
			t->rs_used -= t->rs_leaving[at];
			t->rs_leaving[at] = 0;
			t->rs_clk++;
			continue;
		}
		if (at + sizeof(now) > P6_STATION_CLKS) {
			for (unsigned i = at; i < P6_STATION_CLKS; i++) {
				t->rs_used -= t->rs_leaving[i];
				t->rs_leaving[i] = 0;
			}
			t->rs_clk += P6_STATION_CLKS - at;
			continue;
		}
		/* no more than the station holds in all of them: their sum fits eight bits */
		memcpy(&now, &t->rs_leaving[at], sizeof(now));
		some = n < sizeof(now) ? now & ((1ull << 8 * n) - 1) : now;
		t->rs_used -= (unsigned)(some * 0x0101010101010101u >> 56);
		now ^= some;
		memcpy(&t->rs_leaving[at], &now, sizeof(now));
		t->rs_clk += n < sizeof(now) ? n : sizeof(now);
	}
}

/* The first clock from clk on in which n entries are free. Who left is taken out only when it
 * matters. */
INLINE uint64_t station_clk(struct p6_time *t, uint64_t clk, unsigned n)
{
	if (__builtin_expect(t->rs_used + n <= t->par.rs, 1))
		return clk;
	leave_station(t, clk);
	while (t->rs_used + n > t->par.rs) {
		const unsigned at = t->rs_clk % P6_STATION_CLKS;
		uint64_t next = 1;

		if (at + sizeof(next) <= P6_STATION_CLKS)
			memcpy(&next, &t->rs_leaving[at], sizeof(next));
		clk = t->rs_clk + (next ? (unsigned)__builtin_ctzll(next) / 8 + 1 : sizeof(next));
		leave_station(t, clk);
	}
	return clk;
}

/* As enter_station() of rat.c. from: the clock for which rename found room in the station; no
 * micro-op in it leaves before. */
INLINE void enter_station(struct p6_time *t, uint64_t clk, uint64_t from)
{
	if (__builtin_expect(clk - t->rs_clk >= P6_STATION_CLKS, 0)) {
		leave_station(t, from);
		if (clk - t->rs_clk >= P6_STATION_CLKS)
			clk = t->rs_clk + P6_STATION_CLKS - 1;
	}
	t->rs_leaving[clk % P6_STATION_CLKS]++;
	t->rs_last = p6_later(t->rs_last, clk);
	t->rs_used++;
}

/* ---- one micro-op behind rename -------------------------------------------------------------- */

INLINE uint64_t take_port(struct p6_time *t, unsigned port, uint64_t ready_clk)
{
	const uint64_t clk = p6_port_find(t, port, ready_clk);

	p6_port_mark(t, port, clk);
	return clk;
}

/* What p6_port_more_of_1() says, once it was asked for a group. */
struct balance {
	int more;
	bool is_known;
};

/* Which of ports 0 and 1 takes u: see ports.c. */
INLINE unsigned choose_port(const struct p6_time *t, const struct p6_uop *u, struct balance *b)
{
	if (u->ports != 3)
		return u->ports >> 1 & 1;
	if (!b->is_known)
		*b = (struct balance){p6_port_more_of_1(t), true};
	return b->more < t->par.port_of_tie;
}

INLINE uint64_t execute(struct p6 *m, const struct p6_uop *u, struct balance *b, uint64_t ready_clk,
			uint64_t *done_clk)
{
	struct p6_time *t = &m->time;
	uint64_t clk;

	if (u->unit)
		ready_clk = p6_later(ready_clk, t->unit_clk[u->unit]);
	if (u->ports & 3) {
		const unsigned port = choose_port(t, u, b);

		clk = p6_port_take_result(t, port, ready_clk, u->latency);
		if (u->flags & P6_U_MMX)
			m->dyn[WIRE_P6_MMX_UOP_P0 + port]++;
		b->more += p6_port_is_far(t, clk) ? 0 : port ? 1 : -1;
	} else {
		clk = take_port(t, (unsigned)__builtin_ctz(u->ports | 1u << 4), ready_clk);
	}
	if (u->unit) {
		t->unit_clk[u->unit] = clk + u->interval;
		P6_RAISE(m, FPU_DIV_BUSY, u->unit == CAT_P6_DIV ? u->interval : 0);
	}
	*done_clk = clk + u->latency;
	return clk;
}

/* A load that hits, and has nothing to do with older ones, or another one. */
INLINE uint64_t load(struct p6 *m, const struct p6_pend *p, uint64_t ready_clk, uint64_t *done_clk)
{
	struct p6_time *t = &m->time;
	const bool is_held = ready_clk < t->addresses_clk && !t->par.load_goes_ahead;
	uint64_t clk;

	if (p->effect != &p6_quiet)
		return p6_mob_load(m, p, ready_clk, done_clk);
	clk = take_port(t, 2, is_held ? t->addresses_clk : ready_clk);
	P6_RAISE(m, MOB_LD_BLOCK, is_held);
	*done_clk = clk + t->par.load_clk;
	return clk;
}

/* As p6_mob_retire(), quicker for a store whose access was an ordinary hit. */
INLINE void retire_store(struct p6 *m, const struct p6_pend *p, uint64_t retire_clk)
{
	struct p6_time *t = &m->time;

	if (p->effect != &p6_quiet) {
		p6_mob_retire(m, p, retire_clk);
		return;
	}
	t->commit_clk = p6_later(retire_clk, t->commit_clk) + 1;
	t->store[t->store_at++ % P6_MAX_BUFFERS].commit_clk = t->commit_clk;
}

/* p, which is renamed at clk. */
INLINE void dispatch(struct p6 *m, const struct p6_pend *p, struct balance *b, uint64_t clk,
		     uint64_t station)
{
	struct p6_time *t = &m->time;
	const struct p6_content *c = p6_content_of(p->uop);
	const struct p6_uop *u = &c->uop;
	uint64_t ready = clk + t->par.rename_to_dispatch_clk, done, at, retire;

	if (u->flags & P6_U_FIRST)
		t->n_done = 0;
	for (unsigned k = 0; k < u->n_src; k++)
		ready = p6_later(ready, t->reg[u->src[k]].ready_clk);
	for (unsigned k = 0; k < 2 && u->after[k]; k++)
		if (u->after[k] <= t->n_done)
			ready = p6_later(ready, t->done[t->n_done - u->after[k]]);
	if (u->kind == P6_U_EXEC) {
		at = execute(m, u, b, ready, &done);
	} else if (u->kind == P6_U_LOAD) {
		at = load(m, p, ready, &done);
		P6_RAISE(m, MMX_UOP_P2, (u->flags & P6_U_MMX) != 0);
	} else if (u->kind == P6_U_STA) {
		at = take_port(t, 3, ready);
		P6_RAISE(m, MMX_UOP_P3, (u->flags & P6_U_MMX) != 0);
		done = at + 1;
		t->addresses_clk = p6_later(t->addresses_clk, done);
	} else {
		at = take_port(t, 4, ready);
		done = at + 1;
		t->store[t->store_at % P6_MAX_BUFFERS].data_clk = done;
	}
	enter_station(t, at + t->par.station_leave_clk, station);
	if (t->n_done < P6_MAX_UOPS)
		t->done[t->n_done++] = done;
	retire = p6_rob_retire(m, p, p6_later(done, clk + 1));
	t->exec[t->rob_at % P6_MAX_ROB] = u->kind == P6_U_STA ? 0 : at;
	t->rob[t->rob_at++ % P6_MAX_ROB] = retire;
	if (u->kind == P6_U_LOAD)
		t->load[t->load_at++ % P6_MAX_BUFFERS] = retire;
	for (unsigned k = 0; k < u->n_dst; k++)
		t->reg[u->dst[k]] =
		    (struct p6_reg_state){done, t->par.read_written_back ? done : retire};
	if (u->flags & P6_U_BRANCH)
		t->branch_clk = done;
	if (!(u->flags & P6_U_LAST))
		return;
	if (c->step.n_store)
		retire_store(m, p, retire);
	if (c->fast.cut_writes | (c->fast.whole_writes & t->cut_parts))
		p6_rat_write_parts(t, p, retire);
	else if (c->step.flags_written & P6_F_ALL)
		t->flags = (struct p6_flag_state){retire, c->step.flags_written};
}

/* ---- rename ---------------------------------------------------------------------------------- */

/* Clocks by which ports of the register file hold the group at clk. */
INLINE unsigned wait_file(const struct p6_time *t, const struct group *g, uint64_t clk)
{
	uint64_t read = g->reads, more = read;
	unsigned n = 0;

	for (unsigned i = 0; i < t->par.rrf_ports; i++)
		more &= more - 1;
	if (!more)
		return 0;
	for (uint64_t late = read & t->late_regs; late; late &= late - 1)
		if (t->reg[__builtin_ctzll(late)].file_clk > clk)
			read &= ~(late & -late);
	for (; read; read &= read - 1)
		n++;
	return n > t->par.rrf_ports ? (n - 1) / t->par.rrf_ports : 0;
}

/* Room in buffers, as rat.c: each entry is looked at, whatever a state says of those that an older
 * one hides. */
INLINE uint64_t room_clk(const struct p6_time *t, const struct group *g, uint64_t clk)
{
	uint64_t taken = 0;

	for (unsigned i = 0; i < t->ren.n; i++)
		taken = p6_later(taken, t->rob[(t->rob_at + i - t->par.rob) % P6_MAX_ROB]);
	for (unsigned i = 0; i < LOADS(g->needs); i++)
		taken = p6_later(taken,
				 t->load[(t->load_at + i - t->par.load_buffers) % P6_MAX_BUFFERS]);
	for (unsigned i = 0; i < STORES(g->needs); i++)
		taken = p6_later(
		    taken,
		    t->store[(t->store_at + i - t->par.store_buffers) % P6_MAX_BUFFERS].commit_clk);
	return p6_later(clk, taken + 1);
}

/* Rename the collected group, g. Returns the clock at which it had room in the station. */
static uint64_t flush(struct p6 *m, struct group *g)
{
	struct p6_time *t = &m->time;
	struct p6_rename *r = &t->ren;
	uint64_t clk = r->next_clk, begin, station, room, stalled = 0;
	struct balance ports = {0, false};

	if (clk == r->recovered_clk && clk > g->ready_clk)
		stalled = clk - g->ready_clk;
	clk = p6_later(clk, g->ready_clk);
	for (unsigned i = 0; g->has_parts && i < r->n; i++)
		if (r->pend[i].uop->flags & P6_U_FIRST)
			clk = p6_rat_wait_parts(m, i, clk);
	begin = clk;
	clk = room_clk(t, g, clk);
	clk = station = station_clk(t, clk, r->n);
	clk += wait_file(t, g, clk);
	P6_RAISE(m, RAT_RESOURCE_STALL, stalled + (clk - begin));
	r->next_clk = clk + 1;
	room = clk > t->par.decode_to_queue_clk ? clk - t->par.decode_to_queue_clk : 0;
	p6_ports_slide(t);
	for (unsigned i = 0; i < r->n; i++) {
		r->queue[r->queue_at++ % P6_MAX_QUEUE] = room;
		dispatch(m, &r->pend[i], &ports, clk, station);
	}
	t->late_regs |= g->writes;
	r->n = 0;
	*g = empty;
	return station;
}

/* What is collected as a group. false: it is not usual. */
static bool take_up(const struct p6_time *t, struct group *g)
{
	const struct p6_rename *r = &t->ren;

	*g = empty;
	for (unsigned i = 0; i < r->n; i++) {
		const struct p6_content *c = p6_content_of(r->pend[i].uop);

		if (!c->fast.is_fast)
			return false;
		collect(g, t, c, r->pend[i].ready_clk);
	}
	return true;
}

bool p6_fast_flush(struct p6 *m)
{
	struct p6_time *t = &m->time;
	struct group g;

	if (!t->is_fast || !take_up(t, &g))
		return false;
	if (t->ren.n)
		leave_station(t, flush(m, &g));
	return true;
}

/* ---- fetch and decode ------------------------------------------------------------------------ */

/* As p6_decode(), but for what is counted of each instruction alike. */
INLINE uint64_t decode(struct p6 *m, const struct p6_code *s, uint64_t pc,
		       const struct p6_effect *code)
{
	struct p6_time *t = &m->time;
	struct p6_front *f = &t->front;
	const uint64_t chunk = (pc >> 4) + 1, last_chunk = ((pc + s->bytes - 1) >> 4) + 1;
	const unsigned queued =
	    t->ren.n + s->n_uop < t->par.queue_uops ? t->ren.n + s->n_uop : t->par.queue_uops;
	uint64_t clk;

	P6_RAISE(m, IFU_CHUNK, last_chunk - chunk + (f->is_fresh || f->chunk != chunk));
	f->chunk = last_chunk;
	if (f->is_fresh || pc + s->bytes > f->block_end) {
		p6_decode_begin(f, t->par.fetch_bytes, s, pc);
	} else if (f->slot && (f->slot >= t->par.decoders || !s->is_simple ||
			       (s->is_branch && f->has_branch))) {
		f->clk++;
		f->groups++;
		f->slot = 0;
		f->has_branch = false;
	}
	clk = f->clk;
	if (code && code->lines | code->walks | code->uc_reads) {
		clk = p6_fill_code(m, code, f->clk);
		P6_RAISE(m, IFU_MEM_STALL, clk - f->clk);
	}
	P6_RAISE(m, ILD_STALL, s->lcp_clk);
	clk += s->lcp_clk + s->prefix_clk;
	for (unsigned i = t->ren.n; i < queued; i++)
		clk = p6_later(
		    clk, t->ren.queue[(t->ren.queue_at + i + P6_MAX_QUEUE - t->par.queue_uops) %
				      P6_MAX_QUEUE]);
	f->slot++;
	f->has_branch |= s->is_branch;
	f->clk = clk;
	if (!s->is_microcoded)
		return clk + t->par.decode_to_rename_clk;
	clk += t->par.sequencer_start_clk;
	f->slot = (uint8_t)t->par.decoders;
	f->clk = clk + (s->n_uop + t->par.sequencer_uops - 1u) / t->par.sequencer_uops - 1;
	return clk + t->par.decode_to_rename_clk;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Instruction i of a block of templates t, which ends in a branch that is taken. Returns the clock
 * of rename's room in the station last, or station. */
INLINE uint64_t run_insn(struct p6 *m, const struct p6_tblk *tb, unsigned i, uint64_t pc,
			 bool is_taken, bool is_loud, struct group *g, uint64_t station)
{
	struct p6_time *t = &m->time;
	struct p6_rename *r = &t->ren;
	const struct p6_accesses *a = &t->access;
	const struct p6_code *c = &tb->code[i];
	const uint64_t ready = decode(m, c, pc, a->loud_code >> i & 1 ? &a->code[i] : NULL);
	const struct p6_fast_uop *first =
	    &p6_templates_content(t->templates, tb->uop[c->first_uop].content)->fast;
	unsigned zero_rest = 0;

	if (first->zero_is_simple)
		t->zero &= ~first->zero_clear;
	else
		zero_rest = p6_zero_step(&t->zero, p6_templates_step(t->templates, tb, i));
	for (unsigned k = 0; k < c->n_uop; k++) {
		const struct p6_place at = tb->uop[c->first_uop + k];
		const struct p6_content *n = p6_templates_content(t->templates, at.content);
		const bool is_last = n->uop.flags & P6_U_LAST;
		const uint64_t ready_clk =
		    c->is_microcoded ? ready + k / t->par.sequencer_uops : ready;

		if (r->n && (r->n == t->par.rename_uops ||
			     ready_clk > p6_later(r->next_clk, r->pend[0].ready_clk) ||
			     (n->uop.flags & P6_U_FIRST && is_cut_off(g, r, n))))
			station = flush(m, g);
		collect(g, t, n, ready_clk);
		r->pend[r->n++] = (struct p6_pend){
		    .uop = &n->uop,
		    .step = &n->step,
		    .ready_clk = ready_clk,
		    .effect =
			is_loud && at.ref != 0xff && a->loud_ref[at.ref / 64] >> at.ref % 64 & 1
			    ? &a->ref[at.ref]
			    : &p6_quiet,
		    .is_again = at.is_again,
		    .is_taken = is_taken && n->uop.flags & P6_U_BRANCH,
		    .zero_rest = is_last ? (uint8_t)zero_rest : 0,
		};
	}
	return station;
}

bool p6_fast_run(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb, unsigned from,
		 unsigned n, bool is_taken)
{
	struct p6_time *t = &m->time;
	const struct p6_accesses *a = &t->access;
	const bool is_loud = a->loud_ref[0] | a->loud_ref[1] | a->loud_ref[2] | a->loud_ref[3];
	uint64_t pc, station = 0;
	unsigned branches = 0;
	struct group g;

	if (!t->is_fast || !tb->is_fast || from >= n || !take_up(t, &g))
		return false;
	m->path.usual++;
	pc = b->pc + b->insn[from].pc_off;
	for (unsigned i = from; i < n; i++) {
		station = run_insn(m, tb, i, pc, is_taken && i + 1 == n, is_loud, &g, station);
		pc += tb->code[i].bytes;
		branches += tb->code[i].is_transfer;
	}
	P6_RAISE(m, DECODE_INST, n - from);
	P6_RAISE(m, DECODE_BRANCH, branches);
	leave_station(t, station);
	return true;
}
