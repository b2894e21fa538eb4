/* time_access.c -- what an execution of a block does to caches, TLBs and buffers, found out before
 * its clocks.
 *
 * The structures know no clocks, so all accesses of a block can be made first, in program order.
 * What changed in their counts says where a line came from; and the addresses of recent stores and
 * misses say what an access has to do with them. From here on time knows no addresses: what the
 * clocks of a block depend on is its micro-ops, the state of the machine and the codes of its
 * accesses (time_key.h), most of which are 0.
 *
 * COUNTING RULES   those of plain.c, instruction by instruction. The usual case does at once what
 *                  comes to the same: all code lines are there, then the references.
 */

#include <string.h>

#include "base/error.h"
#include "model/p6/clocks/time_key.h"
#include "model/p6/clocks/time_relate.h"
#include "model/p6/clocks/time_access.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/blocks/ledger.h"
#include "model/p6/blocks/plain.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/dcu_inline.h"
#include "model/p6/units/ifu.h"
#include "model/p6/blocks/address.h"
#include "trace/record.h"

/* ---- what changed ---------------------------------------------------------------------------- */

/* The counts that tell, before an access. */
struct before {
	uint64_t lines, l2, walks, walk_l2, cast_outs, write_backs, upgrades, brd, deferred,
	    uc_reads, uc_writes, smc, parts, large;
};

/* Lines that L1I or L1D asked for. */
static inline uint64_t lines_in(const struct p6 *m, bool is_code)
{
	uint64_t n = m->dyn[is_code ? WIRE_P6_IFU_MISS : WIRE_P6_DCU_LINE_IN];

	for (unsigned i = 0; i < P6_N_FOUND; i++)
		n += m->l2.served[is_code ? P6_SERVED_FETCH : P6_SERVED_READ][i];
	return n;
}

static inline struct before look(const struct p6 *m, bool is_code)
{
	const uint64_t *n = m->dyn;

	return (struct before){
	    .lines = lines_in(m, is_code),
	    .l2 = n[WIRE_P6_BUS_BRD] + n[WIRE_P6_BUS_RFO] + n[WIRE_P6_BUS_IFETCH],
	    .walks = n[is_code ? WIRE_P6_WALK_ITLB : WIRE_P6_WALK_DTLB],
	    .walk_l2 = n[WIRE_P6_WALK_BRD],
	    .cast_outs = n[WIRE_P6_DCU_M_LINE_OUT],
	    .write_backs = n[WIRE_P6_BUS_WB],
	    .upgrades = n[WIRE_P6_BUS_INVAL],
	    .brd = n[WIRE_P6_BUS_BRD],
	    .deferred = n[WIRE_P6_BUS_DEFER],
	    .uc_reads = m->bus.uncached.n ? n[WIRE_P6_BUS_PARTIAL_READ]
					  : 0, /* else of locked sequences, which mob.c knows */
	    .smc = n[WIRE_P6_IFU_SMC],
	    .uc_writes = m->bus.uncached.n ? n[WIRE_P6_BUS_PWR] : 0,
	    .parts = n[WIRE_P6_BUS_PWR],
	    .large = m->walker.n_large,
	};
}

/* What happened since: *x. Returns false when it was nothing but hits; *x is as it was, then. */
static inline bool what_happened(const struct p6 *m, const struct before *b, bool is_code,
				 struct p6_effect *x)
{
	const uint64_t *n = m->dyn;
	struct before now;
	uint64_t walk_l2;

	if (lines_in(m, is_code) == b->lines &&
	    n[is_code ? WIRE_P6_WALK_ITLB : WIRE_P6_WALK_DTLB] == b->walks &&
	    n[WIRE_P6_BUS_INVAL] == b->upgrades && n[WIRE_P6_IFU_SMC] == b->smc &&
	    !m->bus.uncached.n)
		return false;
	now = look(m, is_code);
	walk_l2 = now.walk_l2 - b->walk_l2;
	x->lines = (uint32_t)(now.lines - b->lines);
	x->l2_misses = (uint32_t)(now.l2 - b->l2 - walk_l2);
	x->walks = (uint32_t)(now.walks - b->walks);
	x->walk_misses = (uint32_t)walk_l2;
	x->large_walks = (uint32_t)(now.large - b->large);
	x->cast_outs = (uint32_t)(now.cast_outs - b->cast_outs);
	x->write_backs = (uint32_t)(now.write_backs - b->write_backs);
	x->upgrades = (uint32_t)(now.upgrades - b->upgrades);
	x->deferred = (uint32_t)(now.deferred - b->deferred);
	x->uc_reads = (uint32_t)(now.uc_reads - b->uc_reads);
	x->uc_writes = (uint32_t)(now.uc_writes - b->uc_writes);
	x->is_smc = now.smc != b->smc;
	x->is_brd = now.brd - b->brd > walk_l2;
	return true;
}

void p6_access_spell(struct p6_accesses *a)
{
	for (unsigned i = 0; i < a->n_code; i++)
		if (!(a->spelt >> i & 1))
			p6_spell(a, a->ref_code[i] >> 16, (uint16_t)a->ref_code[i], a->n_miss[i]);
	a->spelt = ~0ull;
}

struct p6_effect p6_time_access(struct p6 *m, uint64_t lin, unsigned bytes, bool is_code)
{
	const struct before was = look(m, is_code);
	struct p6_effect x = {.lines = 0};

	if (is_code)
		p6_plain_fetch(m, lin, bytes);
	else
		p6_dcu_ref(m, lin, bytes, X86_REF_READ, false);
	what_happened(m, &was, is_code, &x);
	if (!is_code && x.lines)
		p6_note_misses(&m->time.recent, &x, lin >> m->line_log2);
	return x;
}

/* What a prefetch, or else a store past the caches, did to the bus since *was, and neither lines
 * nor a walk say. */
static void what_went_past(struct p6 *m, const struct before *was, bool is_prefetch,
			   struct p6_effect *x)
{
	const struct before now = look(m, false);
	const uint32_t missed = (uint32_t)(now.l2 - was->l2 - (now.walk_l2 - was->walk_l2));
	const uint32_t written = (uint32_t)(now.write_backs - was->write_backs);

	x->l2_misses = missed < x->lines ? missed : x->lines;
	x->l2_lines = (uint8_t)(missed - x->l2_misses);
	x->deferred = (uint32_t)(now.deferred - was->deferred);
	x->write_backs = is_prefetch || x->lines ? written : 0;
	x->wc_lines = (uint8_t)(written - x->write_backs);
	x->wc_parts = is_prefetch || x->uc_writes ? 0 : (uint8_t)(now.parts - was->parts);
}

/* Its buffers have numbers behind those of its lines. */
static void note_past(struct p6_recent *r, struct p6_effect *x)
{
	if (!x->lines)
		x->miss = r->n_miss + 1;
	p6_add_misses(r, x->l2_lines + x->wc_lines + (x->wc_parts != 0), P6_NO_LINE);
}

/* ---- instruction by instruction -------------------------------------------------------------- */

static void reference(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb, unsigned k,
		      const uint8_t *slots)
{
	const struct before was = look(m, false);
	const bool is_past = b->ref[k].flags & (X86_REF_PREFETCH | X86_REF_NONTEMPORAL);
	struct p6_effect *x = &m->time.access.ref[k];

	*x = (struct p6_effect){.lines = 0};
	p6_plain_reference(m, b, k, slots);
	what_happened(m, &was, false, x);
	if (is_past)
		what_went_past(m, &was, b->ref[k].flags & X86_REF_PREFETCH, x);
	p6_relate(m, &m->time.access, k, p6_address(m, b, k, slots) & P6_LIN_MASK, b->ref[k].bytes,
		  tb->role[k], x);
	if (is_past)
		note_past(&m->time.recent, x);
	if (m->time.watch && (x->ticket = p6_stages_ticket(m)))
		m->time.access.loud_ref[k / 64] |= 1ull << k % 64;
}

/* As reference(), from the log: another machine has found out what it did. */
static void reference_logged(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb,
			     unsigned k, const uint8_t *slots)
{
	struct p6_effect *x = &m->time.access.ref[k];
	const int code = p6_log_read_reference(m, k, x);

	if (code >= 0)
		*x = p6_effect_of_code((uint16_t)code, 0);
	p6_relate(m, &m->time.access, k, p6_address(m, b, k, slots) & P6_LIN_MASK, b->ref[k].bytes,
		  tb->role[k], x);
	if (b->ref[k].flags & (X86_REF_PREFETCH | X86_REF_NONTEMPORAL))
		note_past(&m->time.recent, x);
}

/* Fetching instruction i did *x, which was not all hits. */
void p6_access_fetched(struct p6_accesses *a, unsigned i, const struct p6_effect *x)
{
	uint16_t code = 0;
	const bool has_code = p6_fetch_code(x, &code);

	a->code[i] = *x;
	a->loud_code |= 1ull << i;
	p6_note_code(a, i, x, has_code, code);
}

/* Instruction i was fetched. */
static void note_fetch(struct p6 *m, const struct before *was, unsigned i)
{
	struct p6_accesses *a = &m->time.access;
	struct p6_effect x = {.lines = 0};

	if (!what_happened(m, was, true, &x)) {
		if (m->time.watch && (x.ticket = p6_stages_ticket(m))) {
			a->code[i] = x;
			a->loud_code |= 1ull << i;
		}
		return;
	}
	if (m->time.watch)
		x.ticket = p6_stages_ticket(m);
	p6_access_fetched(a, i, &x);
}

/* The code of an instruction. The line that was fetched last is still there, unless something
 * happened to it. */
static void fetch(struct p6 *m, uint64_t pc, unsigned bytes, unsigned i)
{
	struct p6_time *t = &m->time;
	const uint64_t first = pc >> m->line_log2, last = (pc + bytes - 1) >> m->line_log2;
	struct before was;

	if (first == t->code_line && last == t->code_line && m->ifu.epoch == t->code_epoch &&
	    !m->is_plain)
		return;
	was = look(m, true);
	p6_plain_fetch(m, pc, bytes);
	note_fetch(m, &was, i);
	t->code_line = last;
	t->code_epoch = m->ifu.epoch;
}

/* As fetch(), from the log. */
static void fetch_logged(struct p6 *m, const struct x86_block *b, unsigned i)
{
	struct p6_effect x;

	if (p6_log_read_fetched(m, p6_line_in_block(m, b, i), &x))
		p6_access_fetched(&m->time.access, i, &x);
}

/* REP instruction i of b. Returns as p6_string_run(). */
static int string(struct p6 *m, const struct x86_block *b, unsigned i, const uint8_t *slots)
{
	struct p6_accesses *a = &m->time.access;
	const struct before was = look(m, false);
	const uint64_t uops = m->dyn[WIRE_P6_RETIRE_UOP_REP];
	const int rc = p6_string_run(m, b, i, slots);

	a->rep[i] = (struct p6_effect){.lines = 0};
	if (what_happened(m, &was, false, &a->rep[i]))
		p6_note_misses(&m->time.recent, &a->rep[i], P6_NO_LINE);
	a->rep_uops[i] = m->dyn[WIRE_P6_RETIRE_UOP_REP] - uops;
	a->rep_copied[i] = m->strings.copied;
	return rc;
}

/* As string(), from the log. */
static int string_logged(struct p6 *m, unsigned i)
{
	struct p6_accesses *a = &m->time.access;
	const int rc = p6_log_read_string(m, i, &a->rep[i], &a->rep_uops[i], &a->rep_copied[i]);

	if (rc > 0)
		p6_note_misses(&m->time.recent, &a->rep[i], P6_NO_LINE);
	return rc < 0 ? rc : 0;
}

/* Instructions i to n - 1 of b, references from k on. is_fetched: the code of the first was. */
static int run_from(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb,
		    const uint8_t *slots, unsigned i, unsigned n, unsigned k, bool is_fetched)
{
	const bool is_told = m->time.log.is_on;

	for (; i < n; i++) {
		const struct x86_insn *in = &b->insn[i];
		const uint64_t stores = m->time.recent.n_store;
		int rc;

		if (!is_fetched && is_told)
			fetch_logged(m, b, i);
		else if (!is_fetched)
			fetch(m, b->pc + in->pc_off, in->bytes, i);
		is_fetched = false;
		rc = p6_plain_before(m, in);
		if (!rc && in->flags & X86_I_REP)
			rc = is_told ? string_logged(m, i) : string(m, b, i, slots);
		if (rc)
			return rc;
		for (; k < b->n_ref && b->ref[k].insn <= i; k++)
			if (!(b->ref[k].flags & X86_REF_REP))
				(is_told ? reference_logged : reference)(m, b, tb, k, slots);
		p6_plain_after(m, in);
		/* whatever it is that it stores: it has an entry */
		if (tb->is_odd && tb->code[i].has_store && m->time.recent.n_store == stores &&
		    !(in->flags & X86_I_REP))
			p6_note_store(&m->time, 0, 0);
		p6_ledger_of(m, b, i);
	}
	return 0;
}

/* ---- the usual case -------------------------------------------------------------------------- */

/* Code lines of b in the fast shape: when all are there and lie in one page that the ITLB has, note
 * their use. Returns false else; nothing but the use of the page, which comes first in any case, is
 * noted then. */
static inline bool code_is_there(struct p6 *m, const struct p6_blk *b)
{
	const struct cache c =
	    cache_of_shape(&m->ifu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);
	const uint64_t vpn = b->pc >> PAGE_LOG2, end = p6_blk_fall(b) - 1;
	const uint32_t page_set = (uint32_t)vpn & (P6_FAST_ITLB_SETS - 1);
	const uint64_t first = b->pc >> P6_FAST_LINE_LOG2, last = end >> P6_FAST_LINE_LOG2;
	uint32_t page;

	/* the line that was fetched last is still there */
	if (first == m->time.code_line && last == first && m->ifu.epoch == m->time.code_epoch)
		return true;
	if (end >> PAGE_LOG2 != vpn ||
	    (m->fast.itlb[page_set] != vpn && !p6_ifu_page_is_in(m, vpn)))
		return false;
	page = m->itlb.last[page_set].id;
	for (uint64_t line = first; line <= last; line++)
		if (!cache_hit_of_four((const uint8_t *)cache_tags(&c, line & (c.n_sets - 1)),
				       page))
			return false;
	for (uint64_t line = first; line <= last; line++) {
		const uint32_t set = (uint32_t)line & (c.n_sets - 1);
		struct cache_meta *meta = cache_meta(&c, set);

		meta->order = repl_touch_four(
		    meta->order, cache_hit_of_four((const uint8_t *)cache_tags(&c, set), page));
	}
	m->time.code_line = last;
	m->time.code_epoch = m->ifu.epoch;
	return true;
}

/* Reference r, aligned or not, of a usual size, in full; what it does besides has been done since
 * *was. Returns true when it stored into a line of L1I. */
static bool reference_in_full(struct p6 *m, const struct p6_ref *r, uint64_t lin,
			      const struct before *was, struct p6_effect *x)
{
	bool smc;

	*x = (struct p6_effect){.lines = 0};
	if (lin & r->align_mask)
		smc = p6_dcu_ref_unaligned(m, lin, r->align_mask + 1u, (enum p6_access)r->access);
	else
		smc = p6_dcu_ref_fast(m, lin, (enum p6_access)r->access);
	what_happened(m, was, false, x);
	return smc;
}

/* Counts in front of a reference that is more than a hit. */
struct aside {
	uint64_t walks, walk_l2, outs, write_backs, large;
};

/* The page of an aligned reference is not the one of its set that was used last, or its line is
 * not: do it as far as it needs no more than a code to say so. Returns that code. Else -1: its page
 * alone is done, and *a says how it was before. */
static inline __attribute__((always_inline)) int reference_aside(struct p6 *m, bool is_read,
								 uint64_t lin, struct aside *a)
{
	const uint64_t *n = m->dyn;
	struct p6_frame page;
	int found;

	if (m->fast.dtlb[lin >> PAGE_LOG2 & (P6_FAST_DTLB_SETS - 1)] == lin >> PAGE_LOG2 &&
	    p6_dcu_hit_fast(m, lin, !is_read))
		return 0;
	*a = (struct aside){n[WIRE_P6_WALK_DTLB], n[WIRE_P6_WALK_BRD], n[WIRE_P6_DCU_M_LINE_OUT],
			    n[WIRE_P6_BUS_WB], m->walker.n_large};
	page = p6_dcu_page_fast(m, lin >> PAGE_LOG2);
	if (n[WIRE_P6_WALK_BRD] != a->walk_l2 || m->walker.n_large != a->large)
		return -1;
	found = p6_dcu_try_fast(m, lin, page, is_read);
	if (found == P6_DCU_NOT_DONE)
		return -1;
	return (found == P6_DCU_SERVED ? P6_CODE_LINE : 0) |
	       (n[WIRE_P6_WALK_DTLB] != a->walks ? P6_CODE_WALK : 0);
}

/* The rest of it when that was -1: *x says what happened. Returns true when it stored into a line
 * of L1I. */
static __attribute__((noinline)) bool reference_behind(struct p6 *m, const struct p6_ref *r,
						       uint64_t lin, const struct aside *a,
						       struct p6_effect *x)
{
	const uint64_t missed = m->dyn[WIRE_P6_WALK_BRD] - a->walk_l2;
	struct before was = look(m, false);

	was.walks = a->walks;
	was.walk_l2 = a->walk_l2;
	was.large = a->large;
	was.l2 -= missed;
	was.brd -= missed;
	was.cast_outs = a->outs;
	was.write_backs = a->write_backs;
	return reference_in_full(m, r, lin, &was, x);
}

int p6_access_rest(struct p6 *m, const struct p6_blk *b, const uint8_t *slots, unsigned k)
{
	const struct x86_block *xb = x86_store_get(m->store, trc_block_id(b->head));
	const struct p6_tblk *tb = p6_template(m, xb);
	const int rc =
	    tb ? run_from(m, xb, tb, slots, xb->ref[k].insn, b->n_insn, k + 1, true) : -SPMU_ENOMEM;

	return rc < 0 ? rc : 1;
}

/* What a block that is done at once consists of. */
struct fast {
	const struct p6_blk *b;
	const uint8_t *slots;
};

/* The rest of the block behind reference k, which stored into code. Returns as references(). */
static __attribute__((noinline)) int run_rest(struct p6 *m, const struct fast *q, unsigned k)
{
	return p6_access_rest(m, q->b, q->slots, k);
}

/* Reference k = r to lin, which was not all usual. Returns true when the rest of the block has to
 * be done behind it. */
static __attribute__((noinline)) bool reference_fully(struct p6 *m, const struct p6_ref *r,
						      unsigned k, uint64_t lin)
{
	struct p6_effect *x = &m->time.access.ref[k];
	const struct before was = look(m, false);
	const bool smc = reference_in_full(m, r, lin, &was, x);

	p6_relate(m, &m->time.access, k, lin, r->align_mask + 1u, r->role, x);
	return smc;
}

static inline void book_reference(struct p6 *m, const struct p6_blk *b, unsigned k)
{
	if (__builtin_expect(m->ledger != NULL, 0))
		ledger_book_memory(m->ledger, trc_block_id(b->head), p6_blk_refs(b)[k].insn);
}

/* References k to end - 1. Returns 0, or when the rest of the block has been done too, behind a
 * store into code: 1, or as mdl_feed(). */
static inline __attribute__((always_inline)) int references(struct p6 *m, const struct fast *q,
							    unsigned k, unsigned end)
{
	const struct p6_ref *r = p6_blk_refs(q->b) + k;

	for (; k < end; k++, r++) {
		const uint64_t lin = p6_address_of(m, r, q->slots) & P6_LIN_MASK,
			       vpn = lin >> PAGE_LOG2;
		const size_t set = lin >> P6_FAST_LINE_LOG2 & ((1u << P6_FAST_SET_LOG2) - 1);
		const uint64_t n_miss = m->time.recent.n_miss;
		int code = 0;

		if (__builtin_expect((lin & r->align_mask) != 0, 0)) {
			const bool smc = reference_fully(m, r, k, lin);

			book_reference(m, q->b, k);
			if (smc)
				return run_rest(m, q, k);
			continue;
		}
		if (m->fast.dtlb[vpn & (P6_FAST_DTLB_SETS - 1)] != vpn ||
		    m->fast.dcu[P6_KINDS * set + r->kind] != vpn) {
			struct p6_effect *x = &m->time.access.ref[k];
			struct aside a;

			code = reference_aside(m, r->access == P6_READ, lin, &a);
			if (code < 0) {
				const bool smc = reference_behind(m, r, lin, &a, x);

				p6_relate(m, &m->time.access, k, lin, r->align_mask + 1u, r->role,
					  x);
				book_reference(m, q->b, k);
				if (__builtin_expect(smc, 0))
					return run_rest(m, q, k);
				continue;
			}
			book_reference(m, q->b, k);
		}
		p6_look_back(m, p6_access_what(r, k), lin, code, n_miss);
	}
	return 0;
}

/* Line number `line`, when L1I has it and its page was used last in its set: its use noted. False
 * else. */
static inline bool line_is_there(struct p6 *m, uint64_t line)
{
	const struct cache c =
	    cache_of_shape(&m->ifu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);
	const uint64_t vpn = line >> (PAGE_LOG2 - P6_FAST_LINE_LOG2);
	const uint32_t page_set = (uint32_t)vpn & (P6_FAST_ITLB_SETS - 1),
		       set = (uint32_t)line & (c.n_sets - 1);
	struct cache_meta *const meta = cache_meta(&c, set);
	unsigned hit;

	if (m->fast.itlb[page_set] != vpn)
		return false;
	hit = cache_hit_of_four((const uint8_t *)cache_tags(&c, set), m->itlb.last[page_set].id);
	if (hit)
		meta->order = repl_touch_four(meta->order, hit);
	return hit;
}

/* Lines [i, end) of the block, which instruction `insn` needs before anything else is done. */
static void fetch_lines(struct p6 *m, const struct fast *q, unsigned insn, unsigned i, unsigned end)
{
	const uint64_t first = q->b->pc >> P6_FAST_LINE_LOG2;
	const struct before was = look(m, true);
	bool is_miss = false;

	for (; i < end; i++)
		is_miss |= p6_ifu_line_fast(m, (first + i) & (P6_LIN_MASK >> P6_FAST_LINE_LOG2));
	P6_RAISE(m, IFU_MISS_REF, is_miss);
	note_fetch(m, &was, insn);
	if (m->ledger)
		ledger_book(m->ledger, trc_block_id(q->b->head), insn);
}

/* All of the block, of which a line of code may be missing: lines and references in order. Returns
 * as references(). */
static __attribute__((noinline)) int run_lines(struct p6 *m, const struct fast *q)
{
	const uint8_t *before = p6_blk_lines(q->b);
	const uint64_t first = q->b->pc >> P6_FAST_LINE_LOG2;
	unsigned k = 0;

	for (unsigned i = 0; i < q->b->n_line;) {
		/* only the first instruction can be the first one in two lines */
		const unsigned end = i == 0 && q->b->is_cut ? 2 : i + 1;
		const int rc = references(m, q, k, before[i]);

		if (rc)
			return rc;
		k = before[i];
		if (end != i + 1 || !line_is_there(m, first + i)) {
			fetch_lines(m, q, p6_blk_line_insns(q->b)[i], i, end);
		}
		i = end;
	}
	m->time.code_line = first + q->b->n_line - 1;
	m->time.code_epoch = m->ifu.epoch;
	return references(m, q, k, q->b->n_ref);
}

void p6_access_open(struct p6_time *t)
{
	p6_recent_open(&t->recent, P6_NO_LINE);
	p6_access_look_far(t);
}

void p6_access_exec(struct p6_time *t)
{
	p6_recent_forget_lines(&t->recent, P6_NO_LINE);
	p6_access_look_far(t);
}

void p6_access_look_far(struct p6_time *t)
{
	t->recent.stores =
	    t->par.store_buffers < P6_RECENT_STORES ? t->par.store_buffers : P6_RECENT_STORES - 1;
	t->recent.misses = P6_RECENT_MISSES - 1;
}

void p6_access_begin(struct p6_time *t)
{
	struct p6_accesses *a = &t->access;

	a->loud_code = 0;
	memset(a->loud_ref, 0, sizeof(a->loud_ref));
	a->is_complex = a->has_bus = false;
	a->n_code = 0;
	a->spelt = 0;
}

int p6_access_insn(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb,
		   const uint8_t *slots, unsigned i)
{
	unsigned k = 0;

	while (k < b->n_ref && b->ref[k].insn < i)
		k++;
	m->time.log.record = m->time.log.held;
	return run_from(m, b, tb, slots, i, i + 1, k, false);
}

int p6_access_blk(struct p6 *m, const struct p6_blk *b, const uint8_t *slots)
{
	const struct fast q = {b, slots};
	int rc;

	if (m->time.log.is_on)
		return p6_log_blk(m, b, slots);
	p6_access_begin(&m->time);
	rc = code_is_there(m, b) ? references(m, &q, 0, b->n_ref) : run_lines(m, &q);
	return rc < 0 ? rc : 0;
}

int p6_access_one(struct p6 *m, const struct p6_blk *b, const uint8_t *slots, unsigned k)
{
	const struct fast q = {b, slots};

	return m->time.log.is_on ? p6_log_one(m, b, slots, k) : references(m, &q, k, k + 1);
}

__attribute__((noinline)) void p6_look_back_in_full(struct p6 *m, struct p6_access_what r,
						    uint64_t lin, int code, uint64_t n_miss)
{
	struct p6_recent *const recent = &m->time.recent;

	if (r.role & P6_ROLE_LOAD && p6_recent_may_store(recent, lin, lin + r.align_mask)) {
		const unsigned back = p6_recent_store(recent, lin, r.align_mask + 1u);

		if (back)
			code |=
			    (int)(back | (p6_recent_forwards(recent, back, lin, r.align_mask + 1u)
					      ? P6_CODE_FORWARD
					      : 0));
	}
	if (code & P6_CODE_LINE) {
		p6_add_misses(recent, 1, lin >> P6_FAST_LINE_LOG2);
	} else if (p6_recent_may_miss(recent, lin >> P6_FAST_LINE_LOG2)) {
		const uint64_t fill = p6_recent_miss(recent, lin >> P6_FAST_LINE_LOG2);

		if (fill)
			code |= (int)((n_miss + 1 - fill) << P6_CODE_FILL_AT);
	}
	if (r.role & P6_ROLE_STORE)
		p6_note_store(&m->time, lin, r.align_mask + 1u);
	if (code)
		p6_note_short(&m->time.access, r.k, (unsigned)code, n_miss);
}

void p6_access_near(struct p6 *m, uint64_t any_lin, struct p6_access_what what)
{
	p6_look_back(m, what, any_lin & P6_LIN_MASK, 0, m->time.recent.n_miss);
}

/* p6_access_look() when it takes more than a code to say what happens. */
static __attribute__((noinline)) enum p6_access_look look_behind(struct p6 *m, uint64_t lin,
								 unsigned k, const struct p6_blk *b,
								 const uint8_t *slots,
								 const struct aside *a)
{
	const struct fast q = {b, slots};
	const struct p6_ref *r = &p6_blk_refs(b)[k];
	struct p6_effect *x = &m->time.access.ref[k];
	const bool smc = reference_behind(m, r, lin, a, x);

	p6_relate(m, &m->time.access, k, lin, r->align_mask + 1u, r->role, x);
	if (!smc)
		return P6_ACCESS_DONE;
	if (run_rest(m, &q, k) < 0)
		m->time.trouble = -SPMU_ENOMEM;
	return P6_ACCESS_ALL;
}

enum p6_access_look p6_access_look(struct p6 *m, uint64_t any_lin, struct p6_access_what what,
				   uint32_t position, const uint8_t *slots)
{
	const uint64_t lin = any_lin & P6_LIN_MASK, n_miss = m->time.recent.n_miss;
	struct aside a;
	const int code = reference_aside(m, what.is_read, lin, &a);

	if (!code)
		return P6_ACCESS_HIT;
	if (code < 0)
		return look_behind(m, lin, what.k, p6_blk_at(m, position), slots, &a);
	p6_look_back(m, what, lin, code, n_miss);
	return P6_ACCESS_DONE;
}

int p6_access_run(struct p6 *m, const struct p6_blk *blk, const struct x86_block *b,
		  const struct p6_tblk *tb, const uint8_t *slots, unsigned n)
{
	int rc;

	p6_access_begin(&m->time);
	if (blk && n == blk->n_insn && blk->flags & P6_B_FAST &&
	    !(blk->flags & P6_B_WC && m->dcu.wc.n))
		return p6_access_blk(m, blk, slots);
	m->time.log.record = m->time.log.held;
	rc = run_from(m, b, tb, slots, 0, n, 0, false);
	return rc || !m->time.log.is_on ? rc : p6_log_read_done(m);
}
