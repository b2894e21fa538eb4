/* time_access.c -- what an execution of a block does to caches, TLBs and buffers, found out before its clocks.
 *
 * The structures know no clocks, so all accesses of a block can be made first, in program order. What changed in their
 * counts says where a line came from; and the addresses of recent stores and misses say what an access has to do with
 * them. From here on time knows no addresses: what the clocks of a block depend on is its micro-ops, the state of the machine
 * and the codes of its accesses (time_key.h), most of which are 0.
 *
 * COUNTING RULES   those of plain.c, instruction by instruction. The usual case does at once what comes to the same: all
 *                  code lines are there, then the references.
 */
#include "model/p6/usual.h"

#include <string.h>

#include "base/error.h"
#include "model/p6/time_key.h"
#include "trace/record.h"

/* ---- what changed ------------------------------------------------------------------------------------ */

/* The counts that tell, before an access. */
struct before {
	uint64_t lines, l2, walks, walk_l2, cast_outs, write_backs, upgrades, brd, deferred, uc_reads, uc_writes, smc;
};

/* Lines that L1I or L1D asked for. */
static inline uint64_t lines_in(const struct p6 *m, bool is_code)
{
	uint64_t n = m->dyn[is_code ? WIRE_P6_IFU_MISS : WIRE_P6_DCU_LINE_IN];

	for (unsigned i = 0; i < P6_N_FOUND; i++)
		n += m->served[is_code ? P6_SERVED_FETCH : P6_SERVED_READ][i];
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
	    .uc_reads = n[WIRE_P6_BUS_PARTIAL_READ],
	    .smc = n[WIRE_P6_IFU_SMC],
	    .uc_writes = m->uncached.n ? n[WIRE_P6_BUS_PWR] : 0,
	};
}

/* What happened since: *x. Returns false when it was nothing but hits; *x is as it was, then. */
static inline bool what_happened(const struct p6 *m, const struct before *b, bool is_code, struct p6_touch *x)
{
	const uint64_t *n = m->dyn;
	struct before now;
	uint64_t walk_l2;

	if (lines_in(m, is_code) == b->lines &&
	    n[is_code ? WIRE_P6_WALK_ITLB : WIRE_P6_WALK_DTLB] == b->walks && n[WIRE_P6_BUS_INVAL] == b->upgrades &&
	    n[WIRE_P6_IFU_SMC] == b->smc && !m->uncached.n)
		return false;
	now = look(m, is_code);
	walk_l2 = now.walk_l2 - b->walk_l2;
	x->lines = (uint32_t)(now.lines - b->lines);
	x->l2_misses = (uint32_t)(now.l2 - b->l2 - walk_l2);
	x->walks = (uint32_t)(now.walks - b->walks);
	x->walk_misses = (uint32_t)walk_l2;
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

/* ---- older accesses ---------------------------------------------------------------------------------- */

/* Do two accesses overlap as the low 12 bits of their addresses tell? */
static inline bool overlaps(uint64_t a, uint32_t a_bytes, uint64_t b, uint32_t b_bytes)
{
	return ((b - a) & 0xfff) < a_bytes || ((a - b) & 0xfff) < b_bytes;
}

/* The youngest of the recent stores that overlaps, as stores back; 0: none. */
static inline unsigned older_store(const struct p6_near *r, uint64_t lin, uint32_t bytes)
{
	for (unsigned back = 1; back <= r->stores; back++) {
		const unsigned at = (r->n_store - back) & (P6_RECENT_STORES - 1);

		if (r->bytes[at] && overlaps(r->lin[at], r->bytes[at], lin, bytes))
			return back;
	}
	return 0;
}

static inline uint64_t older_miss(const struct p6_near *r, uint64_t line)
{
	for (unsigned back = 0; back < r->misses; back++)
		if (r->line[(r->n_miss - back) & (P6_RECENT_MISSES - 1)] == line)
			return r->n_miss - back;
	return 0;
}

static void note_store(struct p6_time *t, uint64_t lin, uint32_t bytes)
{
	struct p6_near *r = &t->near;
	const unsigned at = r->n_store++ & (P6_RECENT_STORES - 1);

	r->lin[at] = lin;
	r->bytes[at] = bytes;
	r->stores += r->stores < t->par.store_buffers && r->stores < P6_RECENT_STORES - 1;
}

#define NO_LINE (1ull << 60) /* and on: what no line number is */

static void note_misses(struct p6_near *r, struct p6_touch *x, uint64_t line)
{
	x->miss = r->n_miss + 1;
	for (unsigned i = 0; i < x->lines; i++)
		r->line[++r->n_miss & (P6_RECENT_MISSES - 1)] = line + i;
	r->misses = r->misses + x->lines < P6_RECENT_MISSES ? r->misses + x->lines : P6_RECENT_MISSES - 1;
}

/* Access number k, of a reference or fetching an instruction, did *x, whose code is `code`; false: it has none. */
static inline void note_code(struct p6_accesses *a, unsigned k, const struct p6_touch *x, bool has_code, uint16_t code)
{
	a->has_bus |= p6_bus_wanted(x) != 0;
	if (!has_code || a->n_code == P6_MAX_CODES)
		a->is_complex = true;
	else
		a->ref_code[a->n_code++] = k << 16 | code;
}

/* Reference k did *x, which is a->ref[k]; role: what it is to the buffers. Notes it for younger ones, and in the block's codes. */
static inline void relate(struct p6 *m, struct p6_accesses *a, unsigned k, uint64_t lin, uint32_t bytes, unsigned role,
			  struct p6_touch *x)
{
	struct p6_time *t = &m->time;
	struct p6_near *r = &t->near;
	const uint64_t n_miss = r->n_miss, line = lin >> m->line_log2;
	uint16_t code = 0;
	bool has_code;

	x->is_split = bytes && (line != (lin + bytes - 1) >> m->line_log2);
	if (role & P6_ROLE_LOAD && r->stores) {
		const unsigned back = older_store(r, lin, bytes);

		if (back) {
			const unsigned at = (r->n_store - back) & (P6_RECENT_STORES - 1);

			x->store = (uint8_t)back;
			x->is_forward = r->lin[at] == lin && bytes <= r->bytes[at];
		}
	}
	if (x->lines)
		note_misses(r, x, line);
	else if (r->misses)
		x->fill = older_miss(r, line);
	if (role & P6_ROLE_STORE)
		note_store(t, lin, bytes);
	has_code = p6_touch_code(x, n_miss, &code);
	if (has_code && !code)
		return;
	a->loud_ref[k / 64] |= 1ull << k % 64;
	note_code(a, k, x, has_code, code);
}

struct p6_touch p6_time_access(struct p6 *m, uint64_t lin, unsigned bytes, bool is_code)
{
	const struct before was = look(m, is_code);
	struct p6_touch x = {.lines = 0};

	if (is_code)
		p6_plain_fetch(m, lin, bytes);
	else
		p6_dcu_ref(m, lin, bytes, X86_REF_READ, false);
	what_happened(m, &was, is_code, &x);
	if (!is_code && x.lines)
		note_misses(&m->time.near, &x, lin >> m->line_log2);
	return x;
}

/* ---- instruction by instruction ----------------------------------------------------------------------- */

static void reference(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb, unsigned k, const uint8_t *slots)
{
	const struct before was = look(m, false);
	struct p6_touch *x = &m->time.access.ref[k];

	*x = (struct p6_touch){.lines = 0};
	p6_plain_reference(m, b, k, slots);
	what_happened(m, &was, false, x);
	relate(m, &m->time.access, k, p6_address(m, b, k, slots) & P6_LIN_MASK, b->ref[k].bytes, tb->role[k], x);
}

/* Instruction i was fetched. */
static void note_fetch(struct p6 *m, const struct before *was, unsigned i)
{
	struct p6_accesses *a = &m->time.access;
	struct p6_touch x = {.lines = 0};
	uint16_t code = 0;
	bool has_code;

	if (!what_happened(m, was, true, &x))
		return;
	has_code = p6_fetch_code(&x, &code);
	a->code[i] = x;
	a->loud_code |= 1ull << i;
	note_code(a, i, &x, has_code, code);
}

/* The code of an instruction. The line that was fetched last is still there, unless something happened to it. */
static void fetch(struct p6 *m, uint64_t pc, unsigned bytes, unsigned i)
{
	struct p6_time *t = &m->time;
	const uint64_t first = pc >> m->line_log2, last = (pc + bytes - 1) >> m->line_log2;
	struct before was;

	if (first == t->code_line && last == t->code_line && m->code_epoch == t->code_epoch && !m->is_plain)
		return;
	was = look(m, true);
	p6_plain_fetch(m, pc, bytes);
	note_fetch(m, &was, i);
	t->code_line = last;
	t->code_epoch = m->code_epoch;
}

/* Instructions i to n - 1 of b, references from k on. is_fetched: the code of the first was. */
static int run_from(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb, const uint8_t *slots, unsigned i,
		    unsigned n, unsigned k, bool is_fetched)
{
	struct p6_accesses *a = &m->time.access;

	for (; i < n; i++) {
		const struct x86_insn *in = &b->insn[i];
		const uint64_t stores = m->time.near.n_store;
		int rc;

		if (!is_fetched)
			fetch(m, b->pc + in->pc_off, in->bytes, i);
		is_fetched = false;
		rc = p6_plain_before(m, in);
		if (!rc && in->flags & X86_I_REP) {
			const struct before was = look(m, false);
			const uint64_t uops = m->dyn[WIRE_P6_RETIRE_UOP_REP];

			rc = p6_string_run(m, b, i, slots);
			a->rep[i] = (struct p6_touch){.lines = 0};
			if (what_happened(m, &was, false, &a->rep[i]))
				note_misses(&m->time.near, &a->rep[i], NO_LINE);
			a->rep_uops[i] = m->dyn[WIRE_P6_RETIRE_UOP_REP] - uops;
			a->rep_copied[i] = m->string_copied;
		}
		if (rc)
			return rc;
		for (; k < b->n_ref && b->ref[k].insn <= i; k++)
			if (!(b->ref[k].flags & X86_REF_REP))
				reference(m, b, tb, k, slots);
		p6_plain_after(m, in);
		/* whatever it is that it stores: it has an entry */
		if (tb->is_odd && tb->step[i].n_store && m->time.near.n_store == stores && !(in->flags & X86_I_REP))
			note_store(&m->time, 0, 0);
	}
	return 0;
}

/* ---- the usual case ------------------------------------------------------------------------------------ */

/* Code lines of b in the usual shape: when all are there and lie in the page that was used last in its set, note their use.
 * Returns false else; nothing is changed then. */
static inline bool code_is_there(struct p6 *m, const struct p6_blk *b)
{
	const struct cache c = cache_of_shape(&m->ifu.cache, P6_USUAL_WAYS, P6_USUAL_SET_LOG2, P6_USUAL_LINE_LOG2);
	const uint64_t vpn = b->pc >> PAGE_LOG2, end = p6_blk_fall(b) - 1;
	const uint32_t page_set = (uint32_t)vpn & (P6_USUAL_ITLB_SETS - 1);
	const uint32_t first = (uint32_t)(b->pc >> P6_USUAL_LINE_LOG2), last = (uint32_t)(end >> P6_USUAL_LINE_LOG2);
	const uint32_t page = m->itlb.last[page_set].id;

	if (m->quick.itlb[page_set] != vpn || end >> PAGE_LOG2 != vpn)
		return false;
	for (uint32_t line = first; line <= last; line++)
		if (!cache_hit_of_four((const uint8_t *)cache_tags(&c, line & (c.n_sets - 1)), page))
			return false;
	for (uint32_t line = first; line <= last; line++) {
		const uint32_t set = line & (c.n_sets - 1);
		struct cache_meta *meta = cache_meta(&c, set);

		meta->order = repl_touch_four(meta->order, cache_hit_of_four((const uint8_t *)cache_tags(&c, set), page));
	}
	m->time.code_line = end >> P6_USUAL_LINE_LOG2;
	m->time.code_epoch = m->code_epoch;
	return true;
}

static inline uint64_t address_of(const struct p6 *m, const struct p6_ref *r, const uint8_t *slots)
{
	uint64_t lin = (uint64_t)(int64_t)r->disp;

	if (r->slot != P6_NO_SLOT)
		lin += reader_slot(slots, r->slot);
	if (r->is_more) {
		if (r->slot2 != P6_NO_SLOT)
			lin += reader_slot(slots, r->slot2) << (r->is_more >> P6_MORE_SHIFT);
		if (r->is_more & P6_MORE_FS)
			lin += m->fs_base;
	}
	return lin;
}

/* Reference k = r of b, aligned or not, of a usual size, in full. Returns true when it stored into a line of L1I. */
static bool reference_in_full(struct p6 *m, const struct p6_ref *r, uint64_t lin, struct p6_touch *x)
{
	const struct before was = look(m, false);
	bool smc;

	if (lin & r->align_mask)
		smc = p6_dcu_ref_unaligned(m, lin, r->align_mask + 1u, (enum p6_access)r->access);
	else
		smc = p6_dcu_ref_usual(m, lin, (enum p6_access)r->access);
	what_happened(m, &was, false, x);
	return smc;
}

/* What a block that is done at once consists of. */
struct quick {
	const struct p6_blk *b;
	const uint8_t *slots;
};

static const struct x86_block *facts_of(const struct p6 *m, const struct quick *q)
{
	return x86_store_get(m->store, trc_block_id(q->b->head));
}

/* The rest of the block behind reference k, which stored into code. Returns as references(). */
static __attribute__((noinline)) int run_rest(struct p6 *m, const struct quick *q, unsigned k)
{
	const struct x86_block *xb = facts_of(m, q);
	const struct p6_tblk *tb = p6_template(m, xb);
	const int rc = tb ? run_from(m, xb, tb, q->slots, xb->ref[k].insn, q->b->n_insn, k + 1, true) : -SPMU_ENOMEM;

	return rc < 0 ? rc : 1;
}

/* References k to end - 1. Returns 0, or when the rest of the block has been done too, behind a store into code: 1, or as
 * mdl_feed(). */
static inline __attribute__((always_inline)) int references(struct p6 *m, const struct quick *q, unsigned k, unsigned end)
{
	const struct p6_ref *r = p6_blk_refs(q->b) + k;
	const struct p6_near *near = &m->time.near;

	for (; k < end; k++, r++) {
		const uint64_t lin = address_of(m, r, q->slots) & P6_LIN_MASK, vpn = lin >> PAGE_LOG2;
		const size_t set = lin >> P6_USUAL_LINE_LOG2 & ((1u << P6_USUAL_SET_LOG2) - 1);
		struct p6_touch *x = &m->time.access.ref[k];
		bool smc = false;

		*x = (struct p6_touch){.lines = 0};
		if ((m->quick.dtlb[vpn & (P6_USUAL_DTLB_SETS - 1)] != vpn || lin & r->align_mask ||
		     m->quick.dcu[P6_KINDS * set + r->kind] != vpn) &&
		    (lin & r->align_mask || !p6_dcu_hit_usual(m, lin, r->access != P6_READ)))
			smc = reference_in_full(m, r, lin, x);
		else if (!near->misses && !(near->stores && r->role & P6_ROLE_LOAD)) {
			if (r->role & P6_ROLE_STORE) /* an ordinary hit, and nothing in its way */
				note_store(&m->time, lin, r->align_mask + 1u);
			continue;
		}
		relate(m, &m->time.access, k, lin, r->align_mask + 1u, r->role, x);
		if (__builtin_expect(smc, 0))
			return run_rest(m, q, k);
	}
	return 0;
}

/* Instruction of b that reaches line number `line` first, from i on. */
static unsigned first_in_line(const struct x86_block *b, uint64_t line, unsigned i)
{
	while ((b->pc + b->insn[i].pc_off + b->insn[i].bytes - 1) >> P6_USUAL_LINE_LOG2 < line)
		i++;
	return i;
}

/* Line number `line`, when L1I has it and its page was used last in its set: its use noted. False else. */
static inline bool line_is_there(struct p6 *m, uint64_t line)
{
	const struct cache c = cache_of_shape(&m->ifu.cache, P6_USUAL_WAYS, P6_USUAL_SET_LOG2, P6_USUAL_LINE_LOG2);
	const uint64_t vpn = line >> (PAGE_LOG2 - P6_USUAL_LINE_LOG2);
	const uint32_t page_set = (uint32_t)vpn & (P6_USUAL_ITLB_SETS - 1), set = (uint32_t)line & (c.n_sets - 1);
	struct cache_meta *const meta = cache_meta(&c, set);
	unsigned hit;

	if (m->quick.itlb[page_set] != vpn)
		return false;
	hit = cache_hit_of_four((const uint8_t *)cache_tags(&c, set), m->itlb.last[page_set].id);
	if (hit)
		meta->order = repl_touch_four(meta->order, hit);
	return hit;
}

/* Lines [i, end) of the block, which instruction `insn` needs before anything else is done. */
static void fetch_lines(struct p6 *m, const struct quick *q, unsigned insn, unsigned i, unsigned end)
{
	const uint64_t first = q->b->pc >> P6_USUAL_LINE_LOG2;
	const struct before was = look(m, true);
	bool is_miss = false;

	for (; i < end; i++)
		is_miss |= p6_ifu_line_usual(m, (first + i) & (P6_LIN_MASK >> P6_USUAL_LINE_LOG2));
	P6_RAISE(m, IFU_MISS_REF, is_miss);
	note_fetch(m, &was, insn);
}

/* All of the block, of which a line of code may be missing: lines and references in order. Returns as references(). */
static __attribute__((noinline)) int run_lines(struct p6 *m, const struct quick *q)
{
	const uint8_t *before = p6_blk_lines(q->b);
	const uint64_t first = q->b->pc >> P6_USUAL_LINE_LOG2;
	unsigned k = 0, insn = 0;

	for (unsigned i = 0; i < q->b->n_line;) {
		/* only the first instruction can be the first one in two lines */
		const unsigned end = i == 0 && q->b->is_cut ? 2 : i + 1;
		const int rc = references(m, q, k, before[i]);

		if (rc)
			return rc;
		k = before[i];
		if (end != i + 1 || !line_is_there(m, first + i)) {
			insn = first_in_line(facts_of(m, q), first + i, insn);
			fetch_lines(m, q, insn, i, end);
		}
		i = end;
	}
	m->time.code_line = first + q->b->n_line - 1;
	m->time.code_epoch = m->code_epoch;
	return references(m, q, k, q->b->n_ref);
}

void p6_access_open(struct p6_time *t)
{
	for (unsigned i = 0; i < P6_RECENT_MISSES; i++)
		t->near.line[i] = NO_LINE;
	p6_access_look_far(t);
}

void p6_access_look_far(struct p6_time *t)
{
	t->near.stores = t->par.store_buffers < P6_RECENT_STORES ? t->par.store_buffers : P6_RECENT_STORES - 1;
	t->near.misses = P6_RECENT_MISSES - 1;
}

void p6_access_begin(struct p6_time *t)
{
	struct p6_accesses *a = &t->access;

	a->loud_code = 0;
	memset(a->loud_ref, 0, sizeof(a->loud_ref));
	a->is_complex = a->has_bus = false;
	a->n_code = 0;
}

int p6_access_insn(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb, const uint8_t *slots, unsigned i)
{
	unsigned k = 0;

	while (k < b->n_ref && b->ref[k].insn < i)
		k++;
	return run_from(m, b, tb, slots, i, i + 1, k, false);
}

int p6_access_blk(struct p6 *m, const struct p6_blk *b, const uint8_t *slots)
{
	const struct quick q = {b, slots};
	int rc;

	p6_access_begin(&m->time);
	rc = code_is_there(m, b) ? references(m, &q, 0, b->n_ref) : run_lines(m, &q);
	return rc < 0 ? rc : 0;
}

int p6_access_run(struct p6 *m, const struct p6_blk *blk, const struct x86_block *b, const struct p6_tblk *tb,
		  const uint8_t *slots, unsigned n)
{
	p6_access_begin(&m->time);
	if (blk && n == blk->n_insn && blk->flags & P6_B_QUICK && !(blk->flags & P6_B_WC && m->wc.n))
		return p6_access_blk(m, blk, slots);
	return run_from(m, b, tb, slots, 0, n, 0, false);
}
