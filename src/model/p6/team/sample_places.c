/* sample_places.c -- estimates by instruction. Rules: sample_places.h.
 *
 * Sums are whole numbers, so that the order in which workers end units does not matter.
 */
#include "model/p6/team/sample_places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gen/wires_p6.h"
#include "model/parts/ledger.h"
#include "x86/block.h"

#define FIRST_ROOM (1u << 12)

_Static_assert(ESTIMATE_REPLICATES == MDL_REPLICATES, "handed out as they are");

/* What an instruction counted of a wire. */
struct place {
	uint64_t key;	       /* block, instruction, wire, and a bit; 0: none */
	int64_t settled;       /* of estimates that are done */
	int64_t n;	       /* units, each as often as it stands for */
	int64_t x[ESTIMATE_X]; /* ... times each covariate */
	uint32_t replicate;    /* of the wire of clocks: 1 + its number */
};

struct replicate {
	int64_t settled[ESTIMATE_REPLICATES], n[ESTIMATE_REPLICATES];
};

struct sample_places {
	const struct team_sample *sample;
	uint8_t is_estimated[WIRE_N];
	struct place *place; /* by hash */
	size_t n, room;
	struct replicate *replicate;
	size_t n_replicate, room_replicate;
	bool is_lost;
};

static uint64_t key_of(uint32_t block, unsigned insn, unsigned wire)
{
	return 1ull << 63 | (uint64_t)block << 24 | (uint64_t)insn << 16 | wire;
}

int p6_sample_places_open(const struct team_sample *s, struct sample_places **out)
{
	struct sample_places *p = calloc(1, sizeof(*p));

	*out = p;
	if (!p)
		return -SPMU_ENOMEM;
	p->sample = s;
	for (unsigned k = 0; k < s->n_wire; k++)
		p->is_estimated[s->wire[k]] = 1;
	p->room = FIRST_ROOM;
	p->place = calloc(p->room, sizeof(*p->place));
	return p->place ? 0 : -SPMU_ENOMEM;
}

void p6_sample_places_close(struct sample_places *p)
{
	if (!p)
		return;
	free(p->place);
	free(p->replicate);
	free(p);
}

/* ---- adding ---------------------------------------------------------------------------------- */

static struct place *find(struct place *place, size_t room, uint64_t key)
{
	uint64_t h = key * 0x9e3779b97f4a7c15u;
	size_t at = (h ^ h >> 32) & (room - 1);

	while (place[at].key && place[at].key != key)
		at = (at + 1) & (room - 1);
	return &place[at];
}

static bool grow(struct sample_places *p)
{
	const size_t room = 2 * p->room;
	struct place *more = calloc(room, sizeof(*more));

	if (!more)
		return false;
	for (size_t i = 0; i < p->room; i++)
		if (p->place[i].key)
			*find(more, room, p->place[i].key) = p->place[i];
	free(p->place);
	p->place = more;
	p->room = room;
	return true;
}

/* The number of a new replicate, and one more; 0 without memory. */
static uint32_t new_replicate(struct sample_places *p)
{
	if (p->n_replicate == p->room_replicate) {
		const size_t room = p->room_replicate ? 2 * p->room_replicate : FIRST_ROOM;
		struct replicate *more = realloc(p->replicate, room * sizeof(*more));

		if (!more)
			return 0;
		p->replicate = more;
		p->room_replicate = room;
	}
	memset(&p->replicate[p->n_replicate], 0, sizeof(*p->replicate));
	return (uint32_t)++p->n_replicate;
}

/* The place of a key, which is added; NULL without memory. */
static struct place *place_of(struct sample_places *p, uint64_t key)
{
	struct place *to = find(p->place, p->room, key);

	if (to->key)
		return to;
	if (2 * p->n >= p->room) {
		if (!grow(p))
			return NULL;
		to = find(p->place, p->room, key);
	}
	if ((key & 0xffff) == WIRE_P6_CORE_CLK) {
		to->replicate = new_replicate(p);
		if (!to->replicate)
			return NULL;
	}
	to->key = key;
	p->n++;
	return to;
}

/* An instruction counted n of a wire in unit *r. */
static void add(struct sample_places *p, uint64_t key, int64_t n, const struct sample_row *r)
{
	struct place *to = place_of(p, key);

	if (!to) {
		p->is_lost = true;
		return;
	}
	n *= (int64_t)r->unit.d;
	to->n += n;
	for (unsigned j = 0; j < ESTIMATE_X; j++)
		to->x[j] += n * (int64_t)r->unit.x[j];
	for (unsigned m = 0; m < ESTIMATE_REPLICATES && to->replicate; m++)
		p->replicate[to->replicate - 1].n[m] += n * p6_sample_sign(r, m);
}

int p6_sample_places_add(struct sample_places *p, struct ledger *l, const struct sample_row *r)
{
	for (uint32_t i = 0; i < l->n_note; i++) {
		const struct ledger_note *note = &l->note[i];
		uint32_t k = note->cell ? l->share_end[note->cell - 1] : 0;

		for (; k < l->share_end[note->cell]; k++)
			if (p->is_estimated[l->share[k].wire])
				add(p, key_of(note->id, note->insn, l->share[k].wire),
				    note->n * l->share[k].times, r);
	}
	l->n_note = 0;
	return p->is_lost ? -SPMU_ENOMEM : 0;
}

/* ---- estimates ------------------------------------------------------------------------------- */

static double linear(const double *a, const int64_t *x)
{
	double sum = 0;

	for (unsigned j = 0; j < ESTIMATE_X; j++)
		sum += a[j] * (double)x[j];
	return sum;
}

static int by_key(const void *a, const void *b)
{
	const uint64_t s = (*(struct place *const *)a)->key, t = (*(struct place *const *)b)->key;

	return s < t ? -1 : s > t;
}

/* All places, by key; NULL without memory. The caller's. */
static struct place **in_order(struct sample_places *p)
{
	struct place **all = malloc((p->n + 1) * sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < p->room && all; i++)
		if (p->place[i].key)
			all[n++] = &p->place[i];
	if (all)
		qsort(all, n, sizeof(*all), by_key);
	return all;
}

/* What rounding leaves over of a wire goes to the next instruction, so that rows sum to the
 * total. */
void p6_sample_places_settle(struct sample_places *p)
{
	const struct sample_fit *fit = &p->sample->fit;
	struct place **all = in_order(p);
	double *rest = calloc(WIRE_N, sizeof(*rest));

	p->is_lost |= !all || !rest;
	for (size_t i = 0; i < p->n && !p->is_lost; i++) {
		struct place *to = all[i];
		double *over = &rest[to->key & 0xffff];
		const double n = (double)to->n + linear(fit->coefficient, to->x) + *over;

		to->settled += llround(n);
		*over = n - (double)llround(n);
		for (unsigned m = 0; m < ESTIMATE_REPLICATES && to->replicate; m++) {
			struct replicate *r = &p->replicate[to->replicate - 1];

			r->settled[m] += r->n[m] - llround(linear(fit->off[m], to->x));
			r->n[m] = 0;
		}
		to->n = 0;
		memset(to->x, 0, sizeof(to->x));
	}
	free(all);
	free(rest);
}

int p6_sample_places_take(struct sample_places *p, const struct x86_store *store,
			  mdl_take_posting *take, void *ctx)
{
	struct place **all = in_order(p);
	uint64_t *total = calloc(WIRE_N, sizeof(*total));
	uint16_t wire[WIRE_N];

	p->is_lost |= !all || !total;
	for (size_t i = 0, n; i < p->n && !p->is_lost; i += n) {
		const uint64_t insn = all[i]->key >> 16;
		const uint32_t id = (uint32_t)(insn >> 8 & 0xffffffff);
		const struct x86_block *b = x86_store_get(store, id & 0x7fffffff);
		struct mdl_posting out = {.block = b->id, .insn = insn & 0xff, .wire = wire};

		for (n = 0; i + n < p->n && all[i + n]->key >> 16 == insn; n++) {
			const struct place *of = all[i + n];

			wire[n] = (uint16_t)(of->key & 0xffff);
			total[wire[n]] = (uint64_t)of->settled;
			if (of->replicate)
				out.replicate = p->replicate[of->replicate - 1].settled;
		}
		out.pc = b->pc + b->insn[out.insn].pc_off;
		out.total = total;
		out.n_wire = (unsigned)n;
		take(ctx, &out);
	}
	free(all);
	free(total);
	memset(p->place, 0, p->room * sizeof(*p->place));
	p->n = p->n_replicate = 0;
	return p->is_lost ? -SPMU_ENOMEM : 0;
}
