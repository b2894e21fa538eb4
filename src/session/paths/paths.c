/* paths.c -- the walk over records, and the accounts of contexts. Rules: paths.h. */
#include "session/paths/paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "base/error.h"
#include "session/paths/shadow.h"

#define IDS	     (1u << TRC_ID_BITS)
#define MOST_THREADS (1u << 20)
#define EBX	     3u

/* ---- opening --------------------------------------------------------------------------------- */

int ses_paths_open(struct ses_paths **out, const struct x86_store *store,
		   const struct rec_place *of_block, uint32_t n_event, struct ses_paths_of of)
{
	struct ses_paths *p = calloc(1, sizeof(*p));
	int rc;

	*out = p;
	if (!p)
		return -SPMU_ENOMEM;
	p->store = store;
	p->of_block = of_block;
	p->of = of;
	p->round = 1;
	for (unsigned i = 0; i < PTH_MOST_DEPTH; i++)
		p->sums[i].n_column = n_event + 1;
	p->block = blank_pages(IDS * sizeof(*p->block));
	rc = p->block ? ses_tree_open(&p->tree) : -SPMU_ENOMEM;
	rc = rc ? rc : ses_frames_open(&p->frames);
	return rc ? rc : ses_visits_open(&p->visits);
}

static void forget_others(struct ses_paths *p)
{
	for (uint32_t i = 0; i < p->n_others; i++)
		ses_sums_free(&p->others[i]);
	free(p->others);
	p->others = NULL;
	p->n_others = p->whose = 0;
}

void ses_paths_close(struct ses_paths *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < PTH_MOST_DEPTH; i++)
		ses_sums_free(&p->sums[i]);
	forget_others(p);
	ses_visits_close(&p->visits);
	ses_marks_free(&p->marks);
	ses_frames_close(&p->frames);
	ses_tree_close(&p->tree);
	blank_pages_free(p->block, IDS * sizeof(*p->block));
	free(p->thread);
	free(p);
}

bool ses_paths_are_lost(const struct ses_paths *p)
{
	return p->is_lost || p->visits.is_lost;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static enum pth_leaves leaves_of(const struct x86_block *x)
{
	switch (x->term) {
	case X86_TERM_CALL: return x->target == x->fall ? LEAVES_ON : LEAVES_CALL;
	case X86_TERM_CALL_IND: return LEAVES_CALL;
	case X86_TERM_RET: return LEAVES_RET;
	case X86_TERM_JMP:
	case X86_TERM_JCC: return LEAVES_JUMP;
	case X86_TERM_JMP_IND: return LEAVES_JUMP_IND;
	case X86_TERM_SYSCALL: return LEAVES_SYSCALL;
	default: return LEAVES_ON;
	}
}

/* Find the return address's slot: of a CALL the last reference writes it, of a RET the first one of
 * the instruction reads it. */
static void find_slot(struct pth_block *b, const struct x86_block *x)
{
	const unsigned wanted =
	    X86_REF_STACK | (b->leaves == LEAVES_CALL ? X86_REF_WRITE : X86_REF_READ);
	const struct x86_ref *found = NULL;

	for (unsigned k = 0; k < x->n_ref; k++)
		if (x->ref[k].insn + 1u == x->n_insn && (x->ref[k].flags & wanted) == wanted &&
		    (!found || b->leaves == LEAVES_CALL))
			found = &x->ref[k];
	if (!found || found->slot >= x->n_slot || found->slot2 != X86_NO_SLOT) {
		b->leaves = LEAVES_ON;
		return;
	}
	b->disp = found->disp;
	b->slot = found->slot;
}

/* Is the block a jump by way of a pointer at a fixed address, or in 32-bit code by EBX, with an
 * ENDBR in front of it at most? */
static bool is_stub(const struct x86_block *x)
{
	const struct x86_ref *by = x->ref;

	if (x->term != X86_TERM_JMP_IND || x->n_insn > 2 || x->n_ref != 1 ||
	    by->flags != X86_REF_READ || by->slot2 != X86_NO_SLOT)
		return false;
	if (x->n_insn == 2 && x->insn[0].n_op)
		return false;
	return by->slot == X86_NO_SLOT ||
	       (x->mode == X86_MODE_32 && by->slot < x->n_slot &&
		x->slot[by->slot].kind == X86_SLOT_REG && x->slot[by->slot].reg == EBX);
}

/* Does the block push something, and jump: on the way to the dynamic linker? */
static bool is_lazy(const struct x86_block *x)
{
	if ((x->term != X86_TERM_JMP && x->term != X86_TERM_JMP_IND) || x->n_insn < 2 ||
	    x->n_insn > 3)
		return false;
	for (unsigned k = 0; k < x->n_ref; k++)
		if (x->ref[k].insn + 2u == x->n_insn &&
		    x->ref[k].flags == (X86_REF_STACK | X86_REF_WRITE))
			return true;
	return false;
}

static void look(struct ses_paths *p, uint32_t id)
{
	const struct x86_block *x = x86_store_get(p->store, id);
	struct pth_block *b = &p->block[id];

	*b = (struct pth_block){.pc = x->pc,
				.target = x->target,
				.fall = x->fall,
				.at = p->of_block[id],
				.last_insn = x->insn[x->n_insn - 1].pc_off,
				.n_slot = x->n_slot,
				.leaves = (uint8_t)leaves_of(x),
				.is_entry = ses_marks_get(&p->marks, x->pc) & SES_MARK_ENTRY,
				.is_back = ses_marks_get(&p->marks, x->pc) & SES_MARK_BACK,
				.is_stub = is_stub(x),
				.is_region =
				    p->of.begins && p->of.begins(p->of.ctx, p->of_block[id]),
				.is_lazy = is_lazy(x)};
	if (b->leaves == LEAVES_CALL || b->leaves == LEAVES_RET)
		find_slot(b, x);
}

/* ---- records --------------------------------------------------------------------------------- */

/* The block was executed to its end. */
static inline void leave(struct ses_paths *p, uint32_t id, const uint8_t *slots)
{
	const struct pth_block *b = &p->block[id];
	uint64_t at;

	p->run.last = id;
	if (b->leaves == LEAVES_ON || b->leaves == LEAVES_SYSCALL)
		return;
	if (b->leaves >= LEAVES_JUMP) {
		p->run.awaited = AWAITED_JUMP;
		return;
	}
	memcpy(&at, slots + 8 * b->slot, sizeof(at));
	at += b->disp;
	if (b->leaves == LEAVES_CALL) {
		while (p->run.frame && !pth_is_boundary(&p->frames.at[p->run.frame]) &&
		       p->frames.at[p->run.frame].slot <= at)
			pth_pop(p, p->run.frame);
		p->run.frame =
		    ses_frames_put(&p->frames, (struct ses_frame){at & ~1ull, b->fall, p->run.frame,
								  p->run.context, 0, 0});
		p->run.awaited = AWAITED_CALL;
	} else if (p->frames.at[p->run.frame].slot == at && p->run.frame) {
		p->run.slot = p->frames.at[p->run.frame].back;
		pth_pop(p, p->run.frame);
		p->run.awaited = AWAITED_BACK;
	} else {
		p->run.slot = at;
		p->run.awaited = AWAITED_RET;
	}
}

static void visit(struct ses_paths *p, uint32_t id, uint32_t context)
{
	struct pth_block *b = &p->block[id];

	if (context == MDL_OUTSIDE)
		return;
	if (b->round != p->round || b->context != context) {
		b->visit = ses_visits_find(&p->visits, context, id);
		b->round = p->round;
		b->context = context;
	}
	p->visits.at[b->visit].times++;
}

/* The first `insns` instructions of a block. */
static void partial(struct ses_paths *p, const uint8_t *payload, size_t bytes)
{
	uint32_t word[2];

	if (bytes < sizeof(word))
		return;
	memcpy(word, payload, sizeof(word));
	if (word[0] >= x86_store_count(p->store))
		return;
	if (!p->block[word[0]].leaves)
		look(p, word[0]);
	pth_arrive(p, word[0]);
	if (pth_model_number(p, p->run.context) != MDL_OUTSIDE)
		p->n_partial += word[1];
	if (word[1] == x86_store_get(p->store, word[0])->n_insn &&
	    bytes >= sizeof(word) + 8u * p->block[word[0]].n_slot)
		leave(p, word[0], payload + sizeof(word));
}

static void switch_to(struct ses_paths *p, uint32_t number)
{
	uint32_t n = p->n_thread ? p->n_thread : 16;
	struct pth_state *more;

	if (number >= MOST_THREADS)
		return;
	while (n <= number || n <= p->number)
		n *= 2;
	more = n > p->n_thread ? realloc(p->thread, n * sizeof(*more)) : p->thread;
	if (!more) {
		p->is_lost = true;
		return;
	}
	memset(more + p->n_thread, 0, (n - p->n_thread) * sizeof(*more));
	p->thread = more;
	p->n_thread = n;
	p->thread[p->number] = p->run;
	p->run = p->thread[number];
	p->number = number;
}

static void start_anew(struct ses_paths *p)
{
	ses_frames_clear(&p->frames);
	ses_marks_clear(&p->marks);
	if (p->thread)
		memset(p->thread, 0, p->n_thread * sizeof(*p->thread));
	memset(&p->run, 0, sizeof(p->run));
	p->n_calls = 0;
}

/* Kind of the record behind the one that ends at `at`, where the chunk has it; else TRC_N_KINDS. */
static uint32_t kind_at(const uint8_t *at, const uint8_t *end)
{
	uint32_t head;

	if (end - at < 4)
		return TRC_N_KINDS;
	memcpy(&head, at, sizeof(head));
	return head >= TRC_SPECIAL ? head - TRC_SPECIAL : TRC_N_KINDS;
}

static void event(struct ses_paths *p, const uint8_t *bytes, size_t size, const uint8_t *end)
{
	const uint32_t kind = kind_at(bytes, end), next = kind_at(bytes + size, end);
	uint64_t word = 0;

	if (size >= 16)
		memcpy(&word, bytes + 8, sizeof(word));
	switch (kind) {
	case TRC_PARTIAL: partial(p, bytes + 8, size - 8); break;
	case TRC_SIGNAL: pth_interrupt(p); break;
	case TRC_THREAD: switch_to(p, (uint32_t)word); break;
	case TRC_EXEC: start_anew(p); break;
	case TRC_GO:
		if (size >= 16 && next != TRC_SIGNAL && next != TRC_THREAD)
			pth_go_on(p, word);
		break;
	}
}

size_t ses_paths_next(struct ses_paths *p, const uint8_t *bytes, size_t n, uint32_t *context)
{
	const uint8_t *const end = bytes + n;
	const uint8_t *at = bytes;

	*context = pth_model_number(p, p->run.context);
	while (at < end) {
		const uint64_t size = trc_record_bytes(at, (uint64_t)(end - at));
		uint32_t head, id, now;

		if (!size)
			return n;
		memcpy(&head, at, sizeof(head));
		if (head >= TRC_SPECIAL) {
			/* alone, so that what was walked over is one thread's */
			const bool is_thread = head == TRC_SPECIAL + TRC_THREAD;

			if (is_thread && at > bytes)
				break;
			event(p, at, size, end);
			at += size;
			if (is_thread)
				break;
			continue;
		}
		id = trc_block_id(head);
		if (id >= x86_store_count(p->store))
			return n;
		if (!p->block[id].leaves)
			look(p, id);
		if (p->block[id].n_slot != head >> TRC_ID_BITS)
			return n;
		if (p->run.awaited != AWAITED_NOTHING)
			pth_arrive(p, id);
		now = pth_model_number(p, p->run.context);
		if (at == bytes)
			*context = now;
		else if (*context != now)
			break;
		visit(p, id, now);
		leave(p, id, at + 4);
		at += size;
	}
	return (size_t)(at - bytes);
}

/* ---- accounts -------------------------------------------------------------------------------- */

const struct mdl_visit *ses_paths_visits(struct ses_paths *p, size_t *n)
{
	return ses_visits_sort(&p->visits, n);
}

int64_t *ses_paths_counts(struct ses_paths *p, uint32_t context)
{
	return ses_sums_at(&p->sums[p->depth], context);
}

void ses_paths_settle(struct ses_paths *p, bool drops)
{
	struct ses_sums *s = &p->sums[p->depth];

	for (uint32_t i = 0; i < p->tree.n; i++) {
		bool is_counted;
		int64_t *to;

		if (!p->tree.at[i].is.calls)
			continue;
		is_counted =
		    !drops && (!p->of.begins || (p->of.keeps_paths && p->tree.at[i].is_in));
		to = is_counted ? ses_sums_at(s, i) : NULL;
		if (to)
			to[s->n_column - 1] += (int64_t)p->tree.at[i].is.calls;
		p->is_lost |= is_counted && !to;
		p->tree.at[i].is.calls = 0;
	}
	ses_visits_clear(&p->visits);
	p->round++;
}

void ses_paths_end_region(struct ses_paths *p)
{
	p->of.begins = NULL;
}

uint64_t ses_paths_n_calls(const struct ses_paths *p)
{
	return p->n_calls;
}

uint64_t ses_paths_n_partial(struct ses_paths *p)
{
	const uint64_t n = p->n_partial;

	p->n_partial = 0;
	return n;
}

static void forget_last(struct ses_paths *p, struct pth_state *s)
{
	const struct pth_state run = p->run;

	p->run = *s;
	pth_end_through(p);
	*s = p->run;
	s->site = pth_site(p);
	s->last = PTH_NO_BLOCK;
	p->run = run;
}

void ses_paths_forget(struct ses_paths *p)
{
	forget_last(p, &p->run);
	for (uint32_t i = 0; i < p->n_thread; i++)
		forget_last(p, &p->thread[i]);
	for (unsigned i = 0; i < p->depth; i++)
		forget_last(p, &p->before[i]);
	for (uint32_t i = 1; i < p->frames.n; i++)
		p->frames.at[i].last = PTH_NO_BLOCK;
	memset(p->block, 0, x86_store_count(p->store) * sizeof(*p->block));
}

void ses_paths_enter(struct ses_paths *p)
{
	p->before[p->depth] = p->run;
	if (p->depth + 1 < PTH_MOST_DEPTH)
		p->depth++;
	ses_sums_clear(&p->sums[p->depth]);
}

void ses_paths_leave(struct ses_paths *p)
{
	ses_sums_clear(&p->sums[p->depth]);
	if (p->depth)
		p->depth--;
	p->run = p->before[p->depth];
}

void ses_paths_born(struct ses_paths *p, bool was_vfork)
{
	if (was_vfork) {
		const struct ses_sums own = p->sums[p->depth];

		p->sums[p->depth] = p->sums[0];
		p->sums[0] = own;
	} else {
		ses_sums_clear(&p->sums[0]);
		if (p->thread)
			memset(p->thread, 0, p->n_thread * sizeof(*p->thread));
		p->number = 0; /* the one that forked is the first of the child */
	}
	forget_others(p);
	p->depth = 0;
}

void ses_paths_thread(struct ses_paths *p, uint32_t thread)
{
	const uint32_t most = thread > p->whose ? thread : p->whose;
	struct ses_sums other, *more;

	if (thread == p->whose)
		return;
	if (most >= p->n_others) {
		more = realloc(p->others, (2 * (size_t)most + 1) * sizeof(*more));
		if (!more) {
			p->is_lost = true;
			return;
		}
		for (uint32_t i = p->n_others; i < 2 * most + 1; i++)
			more[i] = (struct ses_sums){.n_column = p->sums[0].n_column};
		p->others = more;
		p->n_others = 2 * most + 1;
	}
	other = p->others[thread];
	p->others[p->whose] = p->sums[0];
	p->others[thread] = (struct ses_sums){.n_column = other.n_column};
	p->sums[0] = other;
	p->whose = thread;
}

void ses_paths_sum(const struct ses_paths *p, int64_t *sum)
{
	const struct ses_sums *s = &p->sums[p->depth];

	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t e = 0; e + 1 < s->n_column; e++)
			sum[e] += s->count[(size_t)i * s->n_column + e];
}
