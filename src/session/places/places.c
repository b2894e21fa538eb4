/* places.c -- turns the postings of the model's ledger into counts of events by place. Rules:
 * places.h.
 *
 * A block gets its place before its first posting is taken, and keeps it: files come and go, and an
 * address may later belong to another file. Tables of vfork children form a stack; `depth` is the
 * one of the running process.
 */
#include "session/places/places.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/blank_pages.h"
#include "base/error.h"
#include "model/model.h"
#include "session/paths/paths.h"
#include "session/places/modes.h"
#include "session/places/objects.h"
#include "session/places/table.h"
#include "session/totals/counting.h"
#include "trace/record.h"

#define IDS	   (1u << TRC_ID_BITS)
#define MOST_DEPTH 5u /* the guest, and vfork children of children */

/* One of a wire is so much of an event. */
struct part {
	uint32_t event;
	int64_t times;
};

struct ses_places {
	const struct ses_config *cfg;
	struct mdl *model;
	const struct x86_store *store;
	const struct wires *wires;
	const struct ses_places_modes *modes; /* of a machine, or NULL */
	struct ses_objects objects;
	struct rec_place *of_block; /* by id, [0, n_block) */
	uint32_t n_block;
	struct ses_table table[MOST_DEPTH];
	unsigned depth; /* of the running process */
	/* with keeps_threads: those of the guest's other threads, and none of the one that runs,
	 * whose table is table[0] */
	struct ses_table *thread;
	uint32_t n_thread, now;
	struct part *part; /* by wire, one behind the other */
	uint32_t part_end[WIRE_N];
	uint32_t n_part;
	struct ses_paths *paths; /* calling contexts, or NULL */
	bool is_function;	 /* the region is a function, and paths tell what is in it */
	bool drops;		 /* counts are dropped, because the parent's server has them */
	bool is_shut;		 /* or because the gate is shut */
	bool is_lost;
	int fd;		/* memory of all servers */
	uint64_t *used; /* bytes of that memory in use; on a shared page */
};

/* ---- opening --------------------------------------------------------------------------------- */

/* Find out by how much one raise of each wire raises each event. Events are sums of wires, so these
 * factors are all that is needed. */
static int measure_wires(struct ses_places *p)
{
	const size_t n = p->cfg->n_event;
	struct evt_count *count = calloc(n + 1, sizeof(*count));
	struct wires *one = calloc(1, sizeof(*one));
	uint8_t wanted[WIRE_N] = {0};
	int rc = count && one ? 0 : -SPMU_ENOMEM;

	ses_modes_wires(p->cfg, p->modes, wanted);
	for (unsigned wire = 0; wire < WIRE_N && !rc; wire++) {
		struct part *more =
		    wanted[wire] ? realloc(p->part, (p->n_part + n + 1) * sizeof(*more)) : p->part;

		rc = wanted[wire] && !more ? -SPMU_ENOMEM : 0;
		p->part = rc ? p->part : more;
		memcpy(one->driven, p->wires->driven, sizeof(one->driven));
		one->total[wire] = 1;
		if (!rc && wanted[wire])
			ses_modes_count(p->cfg, p->modes, one, count);
		for (uint32_t e = 0; e < n && !rc && wanted[wire]; e++)
			if (count[e].status == EVT_COUNTED && count[e].value)
				p->part[p->n_part++] = (struct part){e, (int64_t)count[e].value};
		one->total[wire] = 0;
		p->part_end[wire] = p->n_part;
	}
	free(count);
	free(one);
	return rc;
}

/* Does the function that the region is named after begin there? */
static bool begins(void *ctx, struct rec_place at)
{
	const struct ses_places *p = ctx;

	return at.object > SES_OBJECT_ANON &&
	       p->cfg->function->begins(p->cfg->function->ctx, p->objects.name[at.object],
					at.offset);
}

static int open_paths(struct ses_places *p)
{
	const struct ses_config *cfg = p->cfg;
	struct ses_paths_of of = {.keeps_paths = cfg->keeps_paths};

	p->is_function = cfg->function != NULL;
	if (p->is_function) {
		of.begins = begins;
		of.ctx = p;
		of.call = cfg->function->call;
	}
	return ses_paths_open(&p->paths, p->store, p->of_block, (uint32_t)cfg->n_event, of);
}

int ses_places_open(struct ses_places **out, const struct ses_config *cfg, struct mdl *m,
		    const struct x86_store *store, const struct wires *w,
		    const struct ses_places_modes *modes)
{
	struct ses_places *p = calloc(1, sizeof(*p));
	int rc;

	*out = p;
	if (!p)
		return -SPMU_ENOMEM;
	p->cfg = cfg;
	p->model = m;
	p->store = store;
	p->wires = w;
	p->modes = modes;
	p->fd = memfd_create("softpmu-places", MFD_CLOEXEC);
	p->used =
	    mmap(NULL, sizeof(*p->used), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	p->of_block = blank_pages(IDS * sizeof(*p->of_block));
	for (unsigned i = 0; i < MOST_DEPTH; i++)
		p->table[i].n_event =
		    (uint32_t)cfg->n_event + (cfg->model.p6.sample_every ? MDL_REPLICATES : 0);
	if (p->used == MAP_FAILED)
		p->used = NULL;
	if (p->fd < 0 || !p->used)
		return -SPMU_ESYS;
	rc = p->of_block ? ses_objects_open(&p->objects) : -SPMU_ENOMEM;
	if (!rc && (cfg->keeps_paths || cfg->function))
		rc = open_paths(p);
	return rc ? rc : measure_wires(p);
}

/* In a new process, which has one thread. */
static void forget_threads(struct ses_places *p)
{
	for (uint32_t i = 0; i < p->n_thread; i++)
		ses_table_free(&p->thread[i]);
	p->n_thread = p->now = 0;
}

void ses_places_close(struct ses_places *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < MOST_DEPTH; i++)
		ses_table_free(&p->table[i]);
	forget_threads(p);
	free(p->thread);
	ses_objects_close(&p->objects);
	ses_paths_close(p->paths);
	blank_pages_free(p->of_block, IDS * sizeof(*p->of_block));
	if (p->used)
		munmap(p->used, sizeof(*p->used));
	if (p->fd >= 0)
		close(p->fd);
	free(p->part);
	free(p);
}

bool ses_places_are_lost(const struct ses_places *p)
{
	return p->is_lost || (p->paths && ses_paths_are_lost(p->paths));
}

/* ---- where blocks are ------------------------------------------------------------------------ */

void ses_places_feed(struct ses_places *p, const uint8_t *bytes, size_t n)
{
	const uint8_t *const end = bytes + n;

	while (end - bytes >= 4) {
		const uint64_t size = trc_record_bytes(bytes, (uint64_t)(end - bytes));
		uint32_t head;

		if (!size)
			return; /* the model says that it is damaged */
		memcpy(&head, bytes, sizeof(head));
		if (head >= TRC_SPECIAL &&
		    ses_objects_event(&p->objects, head - TRC_SPECIAL, bytes + 8, size - 8))
			p->is_lost = true;
		bytes += size;
	}
}

void ses_places_settle(struct ses_places *p)
{
	const uint32_t n = x86_store_count(p->store);

	for (; p->n_block < n; p->n_block++)
		p->of_block[p->n_block] =
		    ses_objects_at(&p->objects, x86_store_get(p->store, p->n_block)->pc);
}

/* ---- accounts -------------------------------------------------------------------------------- */

size_t ses_places_stretch(struct ses_places *p, const uint8_t *bytes, size_t n)
{
	uint32_t context;

	if (!p->paths)
		return n;
	ses_places_settle(p);
	n = ses_paths_next(p->paths, bytes, n, &context);
	mdl_set_context(p->model, context);
	return n;
}

/* Returns true if a wire of the posting is part of an event. */
static bool has_event(const struct ses_places *p, const struct mdl_posting *posting)
{
	for (unsigned i = 0; i < posting->n_wire; i++) {
		const unsigned wire = posting->wire[i];

		if (posting->total[wire] && p->part_end[wire] > (wire ? p->part_end[wire - 1] : 0))
			return true;
	}
	return false;
}

/* Add what the posting has of events to count[], which is NULL without memory. */
static void add_events(struct ses_places *p, const struct mdl_posting *posting, bool is_user,
		       int64_t *count)
{
	p->is_lost |= !count;
	for (unsigned i = 0; i < posting->n_wire && count; i++) {
		const unsigned wire = posting->wire[i];
		const int64_t n = (int64_t)posting->total[wire];

		for (uint32_t k = wire ? p->part_end[wire - 1] : 0; k < p->part_end[wire]; k++)
			if (ses_modes_has(p->modes, &p->cfg->event[p->part[k].event], is_user))
				count[p->part[k].event] += n * p->part[k].times;
	}
	for (unsigned m = 0; m < MDL_REPLICATES && posting->replicate && count; m++)
		count[p->cfg->n_event + m] += posting->replicate[m];
}

/* Are counts of this time dropped? The gate is for regions by marks. */
static bool are_dropped(const struct ses_places *p)
{
	return p->drops || (p->is_shut && !p->is_function);
}

/* Add a posting to what the region has counted. */
static void add_region(struct ses_places *p, const struct mdl_posting *posting)
{
	struct ses_totals *sum = ses_table_sum(&p->table[p->depth]);

	p->is_lost |= !sum;
	for (unsigned i = 0; i < posting->n_wire && sum; i++)
		sum->wire[posting->wire[i]] += posting->total[posting->wire[i]];
}

static void take(void *ctx, const struct mdl_posting *posting)
{
	struct ses_places *p = ctx;
	const bool is_user = !p->modes || p->modes->is_user(p->modes->ctx, posting);
	struct rec_place place;

	if (are_dropped(p))
		return;
	if (p->is_function)
		add_region(p, posting);
	if (posting->block < p->n_block) {
		place = p->of_block[posting->block];
		place.offset += posting->pc - x86_store_get(p->store, posting->block)->pc;
	} else {
		place = ses_objects_at(&p->objects, posting->pc);
	}
	if (has_event(p, posting))
		add_events(p, posting, is_user, ses_table_at(&p->table[p->depth], place));
}

/* Add a posting to the counts of its calling context. */
static void take_context(void *ctx, const struct mdl_posting *posting)
{
	struct ses_places *p = ctx;

	if (!are_dropped(p) && has_event(p, posting))
		add_events(p, posting, true, ses_paths_counts(p->paths, posting->block));
}

/* Instructions of the region. */
static void count_instructions(struct ses_places *p, const struct mdl_visit *visit, size_t n)
{
	struct ses_totals *sum = ses_table_sum(&p->table[p->depth]);
	uint64_t all = ses_paths_n_partial(p->paths);

	for (size_t i = 0; i < n; i++)
		all += visit[i].times * x86_store_get(p->store, visit[i].block)->n_insn;
	if (sum && !are_dropped(p))
		sum->instructions += all;
}

void ses_places_take(struct ses_places *p)
{
	const struct mdl_visit *visit = NULL;
	size_t n = 0;
	int rc;

	ses_places_settle(p);
	if (p->paths)
		visit = ses_paths_visits(p->paths, &n);
	if (p->is_function)
		count_instructions(p, visit, n);
	rc = p->is_function ? mdl_take_ledger(p->model, visit, n, take, p)
			    : mdl_take_ledger(p->model, NULL, 0, take, p);
	if (!rc && p->cfg->keeps_paths)
		rc = mdl_take_contexts(p->model, visit, n, take_context, p);
	p->is_lost |= rc != 0;
	if (p->paths)
		ses_paths_settle(p->paths, are_dropped(p));
}

/* The program marks a region of that name: it is that one, and what the function counted is
 * dropped. */
static void begin_marks(struct ses_places *p)
{
	p->is_function = false;
	p->drops = true;
	if (mdl_take_ledger(p->model, NULL, 0, take, p))
		p->is_lost = true;
	p->drops = false;
	for (unsigned i = 0; i <= p->depth; i++)
		ses_table_clear(&p->table[i]);
	for (uint32_t i = 0; i < p->n_thread; i++)
		ses_table_clear(&p->thread[i]);
	if (p->cfg->keeps_paths) {
		ses_paths_end_region(p->paths);
		return;
	}
	ses_paths_close(p->paths);
	p->paths = NULL;
	mdl_set_context(p->model, 0);
}

bool ses_places_is_function(const struct ses_places *p)
{
	return p->is_function;
}

uint64_t ses_places_n_calls(const struct ses_places *p)
{
	return p->is_function ? ses_paths_n_calls(p->paths) : 0;
}

/* Those of n tables in place of *t. */
static void set_region(const struct ses_table *from, uint32_t n, struct ses_totals *t)
{
	memset(t->wire, 0, sizeof(t->wire));
	t->instructions = 0;
	for (uint32_t i = 0; i < n; i++)
		if (from[i].sum)
			ses_totals_add(t, from[i].sum);
}

void ses_places_region(const struct ses_places *p, struct ses_totals *t)
{
	struct ses_totals threads = {.instructions = 0};

	if (!p->is_function)
		return;
	set_region(&p->table[p->depth], 1, t);
	if (!p->depth)
		set_region(p->thread, p->n_thread, &threads);
	ses_totals_add(t, &threads);
}

/* Returns false without memory. */
static bool has_thread(struct ses_places *p, uint32_t thread)
{
	const uint32_t n = thread < 2 * p->n_thread ? 2 * p->n_thread : thread + 1;
	struct ses_table *more;

	if (thread < p->n_thread)
		return true;
	more = realloc(p->thread, n * sizeof(*more));
	if (!more)
		return false;
	for (uint32_t i = p->n_thread; i < n; i++)
		more[i] = (struct ses_table){.n_event = p->table[0].n_event};
	p->thread = more;
	p->n_thread = n;
	return true;
}

void ses_places_thread(struct ses_places *p, uint32_t thread)
{
	struct ses_table other;

	if (thread == p->now)
		return;
	ses_places_take(p);
	if (!has_thread(p, thread > p->now ? thread : p->now)) {
		p->is_lost = true;
		return;
	}
	other = p->thread[thread];
	p->thread[p->now] = p->table[0];
	p->thread[thread] = (struct ses_table){.n_event = other.n_event};
	p->table[0] = other;
	p->now = thread;
	if (p->paths)
		ses_paths_thread(p->paths, thread);
}

void ses_places_shut(struct ses_places *p, bool shuts)
{
	ses_places_take(p);
	if (!shuts && p->is_function)
		begin_marks(p);
	p->is_shut = shuts;
}

void ses_places_forget(struct ses_places *p)
{
	if (p->paths)
		ses_paths_forget(p->paths);
	p->n_block = 0;
}

void ses_places_enter(struct ses_places *p)
{
	if (p->depth + 1 < MOST_DEPTH)
		p->depth++;
	ses_table_clear(&p->table[p->depth]);
	if (p->paths)
		ses_paths_enter(p->paths);
}

void ses_places_leave(struct ses_places *p)
{
	if (p->paths)
		ses_paths_leave(p->paths);
	ses_table_clear(&p->table[p->depth]);
	if (p->depth)
		p->depth--;
}

void ses_places_born(struct ses_places *p, bool was_vfork)
{
	if (was_vfork) {
		struct ses_table own;

		ses_places_take(p);
		own = p->table[p->depth];
		p->table[p->depth] = p->table[0];
		p->table[0] = own;
	} else {
		p->drops = true;
		ses_places_take(p);
		p->drops = false;
		ses_table_clear(&p->table[0]);
	}
	forget_threads(p);
	if (p->paths)
		ses_paths_born(p->paths, was_vfork);
	p->depth = 0;
}

/* ---- the end --------------------------------------------------------------------------------- */

struct sorted {
	const char *object;
	uint64_t offset;
	uint32_t at;
};

static int by_place(const void *a, const void *b)
{
	const struct sorted *s = a, *t = b;
	const int objects = s->object == t->object ? 0 : strcmp(s->object, t->object);

	return objects ? objects : s->offset < t->offset ? -1 : s->offset > t->offset;
}

static bool is_nothing(const int64_t *count, uint32_t n)
{
	for (uint32_t e = 0; e < n; e++)
		if (count[e])
			return false;
	return true;
}

/* The places of t that counted something, sorted, into *r and row[], which have room. Names are
 * those of p. */
static void sort_places(const struct ses_places *p, const struct ses_table *t,
			struct sorted *sorted, struct rec_process *r, const int64_t **row)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n; i++)
		if (!is_nothing(t->count + (size_t)i * t->n_event, t->n_event))
			sorted[n++] = (struct sorted){p->objects.name[t->place[i].object],
						      t->place[i].offset, i};
	qsort(sorted, n, sizeof(*sorted), by_place);
	for (uint32_t i = 0; i < n; i++) {
		const int64_t *from = t->count + (size_t)sorted[i].at * t->n_event;

		if (!i || sorted[i].object != sorted[i - 1].object)
			r->object[r->n_object++] = (char *)(uintptr_t)sorted[i].object;
		r->place[i] = (struct rec_place){r->n_object - 1, sorted[i].offset};
		row[i] = from;
		for (uint32_t e = 0; e < r->n_event; e++)
			r->machine[e] -= from[e];
	}
	r->n_place = n;
}

/* A limit of file sizes (ulimit -f) takes the accounts away, and nothing else. */
static struct ses_places_at put_accounts(struct ses_places *p, const struct rec_bytes *b)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct ses_places_at at = {.bytes = b->n};
	struct sigaction old;
	size_t done = 0;

	sigaction(SIGXFSZ, &ignore, &old);
	at.at = __atomic_fetch_add(p->used, b->n, __ATOMIC_SEQ_CST);
	while (done < b->n) {
		const ssize_t n = pwrite(p->fd, b->at + done, b->n - done, (off_t)(at.at + done));

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	sigaction(SIGXFSZ, &old, NULL);
	at.bytes = done == b->n ? b->n : 0;
	return at;
}

/* The calling contexts behind their process r. What they do not have and places have, the process
 * gets: both sum to the totals. */
static void put_paths(const struct ses_places *p, const struct rec_process *r,
		      struct rec_bytes *out)
{
	int64_t *rest = calloc(r->n_event + 1u, sizeof(*rest));

	if (!rest) {
		out->is_lost = true;
		return;
	}
	ses_paths_sum(p->paths, rest);
	for (uint32_t e = 0; e < r->n_event; e++)
		rest[e] = r->total[e] - r->machine[e] - rest[e];
	ses_paths_put(p->paths, p->objects.name, rest, out);
	free(rest);
}

/* The replicates of the same places, as a process that has them for events. */
static void put_replicates(const struct rec_process *r, const int64_t *const *row,
			   struct rec_bytes *out)
{
	int64_t total[MDL_REPLICATES] = {0}, machine[MDL_REPLICATES] = {0};
	const int64_t **at = calloc(r->n_place + 1u, sizeof(*at));
	struct rec_process of = *r;

	out->is_lost |= !at;
	for (uint32_t i = 0; i < r->n_place && at; i++) {
		at[i] = row[i] + r->n_event;
		for (unsigned m = 0; m < MDL_REPLICATES; m++)
			total[m] += at[i][m];
	}
	of.n_event = MDL_REPLICATES;
	of.total = total;
	of.machine = machine;
	if (at)
		rec_process_put(out, &of, at);
	free(at);
}

/* Put the accounts of one table there, with the calling contexts if any are kept. */
static struct ses_places_at end_table(struct ses_places *p, const struct ses_table *t,
				      const char *birth, const char *program, const uint64_t *wire)
{
	struct sorted *sorted = calloc(t->n + 1u, sizeof(*sorted));
	struct rec_process r = {
	    .birth = (char *)(uintptr_t)birth,
	    .program = (char *)(uintptr_t)program,
	    .n_event = (uint32_t)p->cfg->n_event,
	    .object = calloc(p->objects.n + 1u, sizeof(*r.object)),
	    .place = calloc(t->n + 1u, sizeof(*r.place)),
	    .machine = calloc(t->n_event + 1u, sizeof(*r.machine)),
	    .total = calloc(t->n_event + 1u, sizeof(*r.total)),
	};
	const int64_t **row = calloc(t->n + 1u, sizeof(*row));
	struct ses_places_at at = {0};
	struct rec_bytes out = {0};
	size_t n, n_path;

	if (sorted && r.object && r.place && row && r.machine && r.total &&
	    !ses_modes_totals(p->cfg, p->modes, p->wires, wire, &r)) {
		sort_places(p, t, sorted, &r, row);
		rec_process_put(&out, &r, row);
		n = out.n;
		if (p->cfg->keeps_paths)
			put_paths(p, &r, &out);
		n_path = out.n - n;
		if (t->n_event > r.n_event)
			put_replicates(&r, row, &out);
		if (!out.is_lost)
			at = put_accounts(p, &out);
		at.path_bytes = at.bytes ? n_path : 0;
		at.replicate_bytes = at.bytes ? at.bytes - n - n_path : 0;
		at.bytes -= at.path_bytes + at.replicate_bytes;
	}
	p->is_lost |= !at.bytes;
	rec_bytes_free(&out);
	free(sorted);
	free(r.object);
	free(r.place);
	free(row);
	free(r.machine);
	free(r.total);
	return at;
}

struct ses_places_at ses_places_end(struct ses_places *p, const char *birth, const char *program,
				    const uint64_t *wire)
{
	return end_table(p, &p->table[p->depth], birth, program, wire);
}

struct ses_places_at ses_places_end_thread(struct ses_places *p, uint32_t thread, const char *birth,
					   const char *program, struct ses_totals *totals)
{
	const struct ses_table nothing = {.n_event = p->table[0].n_event};
	const struct ses_table *t = thread == p->now	   ? &p->table[0]
				    : thread < p->n_thread ? &p->thread[thread]
							   : &nothing;

	if (p->paths)
		ses_paths_thread(p->paths, thread);
	if (p->is_function)
		set_region(t, 1, totals);
	return end_table(p, t, birth, program, totals->wire);
}

uint8_t *ses_places_read(const struct ses_places *p, struct ses_places_at at)
{
	const uint64_t all = at.bytes + at.path_bytes + at.replicate_bytes;
	uint8_t *bytes = malloc(all + 1);
	size_t done = 0;

	while (bytes && done < all) {
		const ssize_t n = pread(p->fd, bytes + done, all - done, (off_t)(at.at + done));

		if (n <= 0) {
			free(bytes);
			return NULL;
		}
		done += (size_t)n;
	}
	return bytes;
}
