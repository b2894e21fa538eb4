/* shadow.c -- where transfers go: calls, tail calls, returns, signals. Rules: paths.h. */
#include "session/paths/shadow.h"

#define CALL_BYTES 2u /* of SYSCALL, and of INT 80h */

static void note_entry(struct ses_paths *p, struct pth_block *b)
{
	if (!b->is_entry)
		ses_marks_set(&p->marks, b->pc, SES_MARK_ENTRY);
	b->is_entry = true;
}

static void note_back(struct ses_paths *p, struct pth_block *b)
{
	if (!b->is_back)
		ses_marks_set(&p->marks, b->pc, SES_MARK_BACK);
	b->is_back = true;
}

struct rec_place pth_site(const struct ses_paths *p)
{
	struct rec_place site;

	if (p->run.last == PTH_NO_BLOCK)
		return p->run.site;
	site = p->block[p->run.last].at;
	site.offset += p->block[p->run.last].last_insn;
	return site;
}

/* ---- where a transfer went ------------------------------------------------------------------- */

/* The context for a transfer to b, which is new in the region when b begins the region's function.
 */
static uint32_t child_of(struct ses_paths *p, const struct rec_context *as,
			 const struct pth_block *b)
{
	bool is_in;
	uint32_t child;

	if (!b->is_region || p->tree.at[as->parent].is_under)
		return ses_tree_child(&p->tree, as);
	is_in = ++p->n_calls == p->of.call || !p->of.call;
	child = is_in && p->of.call ? ses_tree_alone(&p->tree, as) : ses_tree_child(&p->tree, as);
	if (child >= SES_N_CONTEXTS) {
		p->tree.at[child].is_in = is_in;
		p->tree.at[child].is_under = true;
	}
	return child;
}

/* The running thread goes on in a context under `parent`. Returns that context. */
static uint32_t go_on_in(struct ses_paths *p, uint32_t parent, unsigned kind, struct rec_place site,
			 const struct pth_block *b)
{
	const struct rec_context as = {
	    .parent = parent, .kind = (uint8_t)kind, .site = site, .entry = b->at};
	const uint32_t child = child_of(p, &as, b);

	p->tree.at[child].is.calls++;
	p->tree.at[child].back = p->run.frame ? p->frames.at[p->run.frame].back : 0;
	p->run.context = p->tree.at[child].is.to;
	return child;
}

static void called(struct ses_paths *p, uint32_t id)
{
	struct pth_block *from = p->run.last == PTH_NO_BLOCK ? NULL : &p->block[p->run.last];
	const uint32_t caller = p->run.context;

	if (from && from->went && from->went_from == caller && from->went_to == id) {
		p->tree.at[from->went].is.calls++;
		p->run.context = p->tree.at[from->went].is.to;
		return;
	}
	const uint32_t child = go_on_in(p, caller, REC_PATH_CALL, pth_site(p), &p->block[id]);

	note_entry(p, &p->block[id]);
	if (from && !p->block[id].is_region) {
		from->went_from = caller;
		from->went_to = id;
		from->went = child;
	}
}

/* Returns true if code of the context has made a CALL that returns to pc. */
static bool has_called(const struct ses_paths *p, uint32_t context, uint64_t pc)
{
	for (uint32_t i = p->tree.at[context].first; i; i = p->tree.at[i].sibling)
		if (p->tree.at[i].back == pc && pth_context(p, i)->kind == REC_PATH_CALL)
			return true;
	return false;
}

/* Go back to the nearest frame whose function made a CALL that returns to pc, if there is one. */
static void unwind_to_caller(struct ses_paths *p, uint64_t pc)
{
	uint32_t frame = p->run.frame, context = p->run.context;

	while (!has_called(p, context, pc)) {
		if (!frame)
			return;
		context = p->frames.at[frame].context;
		frame = p->frames.at[frame].up;
	}
	p->run.frame = frame;
	p->run.context = context;
}

static void tail_called(struct ses_paths *p, const struct pth_block *b)
{
	go_on_in(p, p->run.context, REC_PATH_JUMP, pth_site(p), b);
}

/* Returns true if a and b lie in two files. Objects 0 and 1 are no files. */
static bool is_other_file(struct rec_place a, struct rec_place b)
{
	return a.object != b.object && a.object > 1 && b.object > 1;
}

/* Returns true if b begins another function, one that a CALL has gone to before. */
static bool is_other_entry(const struct ses_paths *p, const struct pth_block *b)
{
	const struct rec_place now = pth_context(p, p->run.context)->entry;

	return b->is_entry && (now.object != b->at.object || now.offset != b->at.offset);
}

/* The running context, which jumps from a's file into b's, hands its place on. Returns false where
 * it is none that can. */
static bool handed_on(struct ses_paths *p, struct rec_place a, struct pth_block *b)
{
	const struct rec_context *now = pth_context(p, p->run.context);

	if (!is_other_file(a, b->at) || p->run.context < SES_N_CONTEXTS)
		return false;
	go_on_in(p, now->parent, now->kind, now->site, b);
	note_entry(p, b);
	return true;
}

static void jumped(struct ses_paths *p, struct pth_block *b)
{
	const struct pth_block *from = p->run.last == PTH_NO_BLOCK ? NULL : &p->block[p->run.last];

	if (!from || (from->leaves == LEAVES_JUMP && b->pc != from->target))
		return;
	if (from->leaves != LEAVES_JUMP && b->is_back) {
		unwind_to_caller(p, b->pc);
	} else if (from->leaves != LEAVES_JUMP && handed_on(p, from->at, b)) {
		return;
	} else if (is_other_entry(p, b)) {
		tail_called(p, b);
	}
}

/* ---- stubs ----------------------------------------------------------------------------------- */

static void begin_through(struct ses_paths *p, unsigned kind, uint32_t id)
{
	p->run.through = (uint8_t)kind;
	p->run.stub = id;
	p->run.through_site = pth_site(p);
}

void pth_end_through(struct ses_paths *p)
{
	const unsigned kind = p->run.through;

	p->run.through = REC_PATH_ROOT;
	if (kind != REC_PATH_ROOT)
		go_on_in(p, p->run.context, kind, p->run.through_site, &p->block[p->run.stub]);
}

/* A stub, or what it goes on in until it is resolved, has jumped to b, which is what was called: in
 * another file, or in the same one, whose functions others may replace. But where code jumped to
 * the stub, and b is no function that was called before, all of it is a jump inside a function. */
static void jumped_through(struct ses_paths *p, struct pth_block *b)
{
	const struct pth_block *from = &p->block[p->run.last];
	const unsigned kind = p->run.through;

	if (b->is_stub || b->is_lazy)
		return;
	if (kind == REC_PATH_JUMP && !is_other_file(from->at, b->at) && !b->is_entry) {
		pth_end_through(p);
		jumped(p, b);
		return;
	}
	p->run.through = REC_PATH_ROOT;
	go_on_in(p, p->run.context, kind, p->run.through_site, b);
	note_entry(p, b);
}

/* A jump, direct or not, that may be the first one of a tail call by a stub. */
static void left_by_jump(struct ses_paths *p, uint32_t id)
{
	struct pth_block *b = &p->block[id];
	const struct pth_block *from = p->run.last == PTH_NO_BLOCK ? NULL : &p->block[p->run.last];

	if (p->run.through != REC_PATH_ROOT && from)
		jumped_through(p, b);
	else if (b->is_stub && from && from->leaves == LEAVES_JUMP && b->pc == from->target)
		begin_through(p, REC_PATH_JUMP, id);
	else
		jumped(p, b);
}

/* ---- returns --------------------------------------------------------------------------------- */

static bool is_on_the_way(const struct ses_paths *p, uint32_t frame)
{
	uint32_t i = p->run.frame;

	while (i && i != frame)
		i = p->frames.at[i].up;
	return i != 0;
}

/* The nearest frame of the running stack that returns to pc, or 0. */
static uint32_t nearest(const struct ses_paths *p, uint64_t pc)
{
	uint32_t i = p->run.frame;

	while (i && (pth_is_boundary(&p->frames.at[i]) || p->frames.at[i].back != pc))
		i = p->frames.at[i].up;
	return i;
}

/* A RET read an address that no CALL wrote, and went to where no CALL returns: it is a jump, to
 * another stack if it read above this one's frames. So jumps the resolver of 32-bit code. */
static void ret_jumped(struct ses_paths *p, struct pth_block *b)
{
	const uint32_t frame = p->run.frame;

	if (p->run.last == PTH_NO_BLOCK || !handed_on(p, p->block[p->run.last].at, b))
		tail_called(p, b);
	if (frame && p->run.slot > p->frames.at[frame].slot)
		p->run.frame =
		    ses_frames_put(&p->frames, (struct ses_frame){.slot = p->run.slot | 1,
								  .up = frame,
								  .context = p->run.context});
}

/* The RET read a slot that is not that of the running frame. */
static void returned(struct ses_paths *p, struct pth_block *b)
{
	uint32_t i = ses_frames_find(&p->frames, p->run.slot);

	if (i && p->frames.at[i].back != b->pc && !is_on_the_way(p, i))
		i = 0;
	if (!i)
		i = nearest(p, b->pc);
	if (i) {
		const bool is_back = p->frames.at[i].back == b->pc;

		pth_pop(p, i);
		if (is_back)
			note_back(p, b);
		if (!is_back && is_other_entry(p, b))
			tail_called(p, b);
		return;
	}
	if (p->run.frame && pth_is_boundary(&p->frames.at[p->run.frame]))
		return; /* the end of a handler, or of a stack's first function */
	i = ses_frames_last(&p->frames, b->pc);
	if (i) { /* the stack has moved, and frames of another one came between */
		pth_pop(p, i);
		note_back(p, b);
		return;
	}
	if (!b->is_back) {
		ret_jumped(p, b);
		return;
	}
	p->run.frame = 0;
	go_on_in(p, SES_CONTEXT_UNKNOWN, REC_PATH_JUMP, pth_site(p), b);
}

/* ---- signals --------------------------------------------------------------------------------- */

/* A signal's frame has the state that sigreturn goes back to. */
void pth_interrupt(struct ses_paths *p)
{
	pth_end_through(p);

	const struct ses_frame f = {
	    .slot = 1ull << 63 | (uint64_t)p->number << 33 | (uint64_t)p->run.frame << 1 | 1,
	    .back = p->run.slot,
	    .up = p->run.frame,
	    .context = p->run.context,
	    .last = p->run.last,
	    .awaited = p->run.awaited,
	};

	p->run.frame = ses_frames_put(&p->frames, f);
	p->run.awaited = AWAITED_HANDLER;
}

void pth_go_on(struct ses_paths *p, uint64_t pc)
{
	const struct pth_block *last = p->run.last == PTH_NO_BLOCK ? NULL : &p->block[p->run.last];
	uint32_t i = p->run.frame;

	if (p->run.awaited == AWAITED_HANDLER || p->run.awaited == AWAITED_START)
		return; /* where the handler or the thread begins */
	if (!last || last->leaves != LEAVES_SYSCALL || pc == last->fall ||
	    pc == last->fall - CALL_BYTES)
		return;
	while (i && !(p->frames.at[i].slot >> 63))
		i = p->frames.at[i].up;
	if (!i)
		return;
	pth_pop(p, i);
	p->run.slot = p->frames.at[i].back;
	p->run.last = p->frames.at[i].last;
	p->run.awaited = p->frames.at[i].awaited;
}

/* ---- the next block -------------------------------------------------------------------------- */

void pth_arrive(struct ses_paths *p, uint32_t id)
{
	struct pth_block *b = &p->block[id];
	const unsigned awaited = p->run.awaited;

	p->run.awaited = AWAITED_NOTHING;
	if (awaited == AWAITED_CALL && b->is_stub) {
		begin_through(p, REC_PATH_CALL, id);
	} else if (awaited == AWAITED_CALL) {
		called(p, id);
	} else if (awaited == AWAITED_JUMP) {
		left_by_jump(p, id);
	} else if (awaited == AWAITED_BACK && b->pc == p->run.slot) {
		note_back(p, b);
	} else if (awaited == AWAITED_BACK && is_other_entry(p, b)) {
		tail_called(p, b);
	} else if (awaited == AWAITED_RET) {
		returned(p, b);
	} else if (awaited == AWAITED_HANDLER) {
		go_on_in(p, p->run.context, REC_PATH_SIGNAL, (struct rec_place){0}, b);
	} else if (awaited == AWAITED_START) {
		go_on_in(p, SES_CONTEXT_ROOT, REC_PATH_THREAD, (struct rec_place){0}, b);
	}
}
