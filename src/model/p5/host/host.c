/* host.c -- hot steps get host code, and it runs; see host.h. */
#define _DEFAULT_SOURCE
#include "model/p5/host/host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/p5/kept/memo_owners.h"
#include "trace/record.h"

#define MOST_RECORD_BYTES (4u + 8u * X86_MAX_SLOTS)
#define SHORT_BYTES	  4096u /* streams so short are copied */
#define ROOM_BEHIND	  (MOST_RECORD_BYTES + 4u)
/* four of them are the head of no block, and not what programs compare with that know none yet */
#define NO_HEAD 0xf7

#define HUGE_PAGE ((size_t)2 << 20)

typedef void enter_fn(struct p5 *m, const uint8_t *at, struct memo_step *step, uint64_t code);

/* ---- programs -------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct p5 *m, const struct p5_host_program *want, struct memo_step *s)
{
	const uint64_t *word = memo_extra(s);
	uint64_t h = memo_mix(want->outcome, (uint64_t)want->block << 1 | want->is_first);

	for (unsigned k = 0; k < p5_step_looks(m, s) * (sizeof(struct p5_act) / sizeof(*word)); k++)
		h = memo_mix(h, word[k]);
	return h;
}

static bool is_equal(struct p5 *m, const struct p5_host_program *p,
		     const struct p5_host_program *want, struct memo_step *s)
{
	struct memo_step *has;

	if (p->hash != want->hash || p->outcome != want->outcome || p->block != want->block ||
	    p->is_first != want->is_first)
		return false;
	has = memo_step_at(&m->memo.room, p->step);
	return p5_step_looks(m, has) == p5_step_looks(m, s) &&
	       !memcmp(memo_extra(has), memo_extra(s), p5_step_looks(m, s) * sizeof(struct p5_act));
}

/* The place of a program in the table: the one that has it, or a free one. */
static struct p5_host_program *place_of(struct p5 *m, const struct p5_host_program *want,
					struct memo_step *s)
{
	uint32_t i = (uint32_t)want->hash & (P5_HOST_PROGRAMS - 1);

	while (m->host.program[i].step && !is_equal(m, &m->host.program[i], want, s))
		i = (i + 1) & (P5_HOST_PROGRAMS - 1);
	return &m->host.program[i];
}

void p5_host_compile(struct p5 *m, const struct p5_run *x, struct memo_step *s)
{
	struct p5_host *j = &m->host;
	struct p5_host_program want = {.outcome = x->next << 1 | x->is_taken,
				       .step = memo_id(&m->memo.room, s),
				       .block = x->code->block->id,
				       .is_first = s->first == memo_id(&m->memo.room, s)};
	struct p5_host_program *p;

	if (m->blk[want.block]->flags & P5_B_CLIP)
		return;
	want.hash = hash_of(m, &want, s);
	p = place_of(m, &want, s);
	if (!p->step) {
		if (j->n_program > P5_HOST_PROGRAMS / 4 * 3 || !p5_host_has_room(j)) {
			j->is_full = true;
			return;
		}
		want.code = p5_host_write(m, x, s, want.is_first);
		*p = want;
		j->n_program++;
	}
	s->own = p->code;
}

/* ---- running --------------------------------------------------------------------------------- */

const uint8_t *p5_host_stream(struct p5 *m, const uint8_t *bytes, size_t n)
{
	struct p5_host *j = &m->host;

	j->behind = 0;
	if (!j->memory || n > SHORT_BYTES ||
	    m->has_peers) /* who hands over to a peer says where in the stream it goes on */
		return bytes;
	memcpy(j->copy, bytes, n);
	memset(j->copy + n, NO_HEAD, ROOM_BEHIND);
	j->behind = ROOM_BEHIND;
	return j->copy;
}

int p5_host_run(struct p5 *m, const uint8_t **at, const uint8_t *end)
{
	struct p5_host *j = &m->host;
	uint64_t code;

	if (!m->memo.state || end - *at < (ptrdiff_t)(j->behind ? 1 : 2 * MOST_RECORD_BYTES))
		return 0;
	if (j->n_bytes >= j->replant_at) {
		p5_memo_replant(m, P5_HOST_OFTEN);
		j->replant_at *= 2;
	}
	j->at = *at;
	j->limit = end + j->behind - ROOM_BEHIND;
	j->rc = 0;
	code = p5_host_next(m);
	if (code == (uint64_t)(uintptr_t)j->memory + j->leave)
		return 0;
	j->n_entered++;
	((enter_fn *)(uintptr_t)(j->memory + j->enter))(m, j->at, j->step, code);
	if (m->memo.last)
		m->memo.state = m->memo.last->next;
	m->waits = false;
	p5_owners_clock(m);
	j->n_bytes += (uint64_t)(j->at - *at);
	*at = j->at;
	return j->rc;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Is host code written for this shape? */
static bool is_fit(const struct p5 *m)
{
	return m->dcache.has_filter && m->icache.has_filter && m->icache.mark_words == 1 &&
	       m->icache.cache.ways <= 4 && !(m->icache.cache.ways & (m->icache.cache.ways - 1)) &&
	       m->dcache.cache.line_log2 <= 6 && m->dtlb.set_mask < 128;
}

void p5_host_forget(struct p5 *m)
{
	struct p5_host *j = &m->host;

	if (!j->memory || !j->n_program)
		return;
	j->out.off = j->first_program;
	j->n_program = 0;
	j->is_full = false;
	memset(j->program, 0, P5_HOST_PROGRAMS * sizeof(*j->program));
}

/* Writable code in pages as large as the host gives; NULL: the host refuses. */
static uint8_t *wide_pages(void)
{
	uint8_t *p = mmap(NULL, P5_HOST_BYTES + HUGE_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before;

	if (p == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)p & (HUGE_PAGE - 1);
	if (before)
		munmap(p, before);
	munmap(p + before + P5_HOST_BYTES, HUGE_PAGE - before);
	madvise(p + before, P5_HOST_BYTES, MADV_HUGEPAGE); /* if not, it is slower */
	return p + before;
}

void p5_host_open(struct p5 *m, uint32_t min_uses)
{
	struct p5_host *j = &m->host;

	memset(j, 0, sizeof(*j));
	if (!is_fit(m))
		return;
	j->program = calloc(P5_HOST_PROGRAMS, sizeof(*j->program)); /* touched as programs come */
	if (!j->program)
		return;
	j->copy = malloc(SHORT_BYTES + ROOM_BEHIND);
	j->memory = j->copy ? wide_pages() : NULL;
	if (!j->memory)
		return;
	j->min_uses = min_uses ? min_uses : P5_HOST_MIN_USES;
	if (j->min_uses >= P5_HOST_FIRST_CODE)
		j->min_uses = P5_HOST_FIRST_CODE - 1;
	j->replant_at = P5_HOST_REPLANT;
	j->out.base = j->memory;
	j->limit_off = P5_HOST_BYTES;
	p5_host_helpers(m);
	p5_host_write_frame(m);
}

void p5_host_close(struct p5 *m)
{
	if (m->host.memory)
		munmap(m->host.memory, P5_HOST_BYTES);
	m->host.memory = NULL;
	free(m->host.program);
	free(m->host.copy);
	m->host.program = NULL;
	m->host.copy = NULL;
}
