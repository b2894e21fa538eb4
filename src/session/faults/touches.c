/* touches.c -- follows the mappings and the touched pages of a program from its records, and finds
 * the page faults of each block. Rules: touches.h.
 *
 * Areas are sorted and do not overlap; the page set holds the pages that are there. `recent` is a
 * cache of both. Each change that takes pages away must clear it (forget_recent()), else faults are
 * missed.
 */
#include "session/faults/touches.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/faults/page_set.h"
#include "session/serve/serve.h"
#include "session/faults/touches_plan.h"
#include "trace/record.h"
#include "x86/block.h"

#define PAGE_LOG2	TOUCH_PAGE_LOG2
#define AROUND		16u /* pages of a file that one fault brings (fault_around_bytes) */
#define MOST_FILLED	(1ull << 30) /* bytes, of an honest runtime */
#define MOST_STRING	(1ull << 34) /* bytes of a REP instruction; a longer one is ignored */
#define MOST_LISTED	(1ull << 20) /* pages of one mapping that are looked up at the begin */
#define PAGEMAP_PRESENT (1ull << 63) /* of /proc/PID/pagemap, see proc(5) */
#define PAGEMAP_OF_FILE (1ull << 61)
#define PAGEMAP_ALONE	(1ull << 56)

enum { IS_THERE = 1, IS_WRITABLE = 2 };

struct area {
	uint64_t lo, hi; /* pages */
	bool is_file, is_shared;
	bool has_own; /* a page of it was written, and is no longer the file's */
};

struct ses_touches {
	uint64_t fs_base;
	bool has_fs_base, is_down;
	struct area *area; /* owned; by address, without overlaps */
	size_t n_area, room_area;
	struct page_set pages; /* IS_THERE, IS_WRITABLE */
	struct touch_recent recent;
	struct touch_plans plans;
};

static void forget_recent(struct ses_touches *t)
{
	memset(t->recent.page, 0, sizeof(t->recent.page));
	t->recent.age++;
}

/* Pages [lo, hi) are gone. */
static void drop_pages(struct ses_touches *t, uint64_t lo, uint64_t hi)
{
	page_set_drop(&t->pages, lo, hi);
	forget_recent(t);
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* The first area that ends behind page `number`. */
static size_t find_area(const struct ses_touches *t, uint64_t number)
{
	size_t lo = 0, hi = t->n_area;

	while (lo < hi) {
		const size_t middle = (lo + hi) / 2;

		if (t->area[middle].hi <= number)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

static void insert_area(struct ses_touches *t, size_t at, struct area a)
{
	if (a.lo >= a.hi)
		return;
	if (t->n_area == t->room_area) {
		const size_t room = t->room_area ? 2 * t->room_area : 64;
		struct area *p = realloc(t->area, room * sizeof(*p));

		if (!p)
			return; /* its pages are then as those of no file */
		t->area = p;
		t->room_area = room;
	}
	memmove(&t->area[at + 1], &t->area[at], (t->n_area - at) * sizeof(a));
	t->area[at] = a;
	t->n_area++;
}

/* Nothing is mapped in pages [lo, hi) any more. */
static void cut_areas(struct ses_touches *t, uint64_t lo, uint64_t hi)
{
	size_t at = find_area(t, lo), end = at;
	struct area left, right;

	while (end < t->n_area && t->area[end].lo < hi)
		end++;
	if (end == at)
		return;
	left = t->area[at];
	right = t->area[end - 1];
	memmove(&t->area[at], &t->area[end], (t->n_area - end) * sizeof(left));
	t->n_area -= end - at;
	if (right.hi > hi) {
		right.lo = hi;
		insert_area(t, at, right);
	}
	if (left.lo < lo) {
		left.hi = lo;
		insert_area(t, at, left);
	}
}

static void unmap(struct ses_touches *t, uint64_t lo, uint64_t bytes)
{
	const uint64_t from = lo >> PAGE_LOG2, to = from + (bytes >> PAGE_LOG2);

	if (to <= from)
		return;
	cut_areas(t, from, to);
	drop_pages(t, from, to);
}

static void map(struct ses_touches *t, uint64_t lo, uint64_t bytes, uint32_t flags)
{
	const uint64_t from = lo >> PAGE_LOG2;

	unmap(t, lo, bytes);
	insert_area(t, find_area(t, from),
		    (struct area){.lo = from,
				  .hi = from + (bytes >> PAGE_LOG2),
				  .is_file = !(flags & MAP_ANONYMOUS),
				  .is_shared = flags & MAP_SHARED});
}

void ses_touches_event(struct ses_touches *t, uint32_t kind, const uint8_t *payload, size_t bytes)
{
	uint64_t word[2] = {0, 0};
	uint32_t flags = 0;

	memcpy(word, payload, bytes < sizeof(word) ? bytes : sizeof(word));
	switch (kind) {
	case TRC_MAP:
		if (bytes < 32)
			return;
		memcpy(&flags, payload + 20, 4);
		map(t, word[0], word[1], flags);
		break;
	case TRC_UNMAP:
		if (bytes >= 16)
			unmap(t, word[0], word[1]);
		break;
	case TRC_DISCARD:
		if (bytes >= 16 && word[1] >> PAGE_LOG2)
			drop_pages(t, word[0] >> PAGE_LOG2, (word[0] + word[1]) >> PAGE_LOG2);
		break;
	case TRC_FILLED:
		for (uint64_t at = word[0] >> PAGE_LOG2;
		     bytes >= 16 && at < (word[0] + word[1]) >> PAGE_LOG2 && word[1] < MOST_FILLED;
		     at++)
			page_set_put(&t->pages, at, IS_THERE | IS_WRITABLE);
		break;
	case TRC_EXEC:
		t->n_area = 0;
		page_set_clear(&t->pages);
		forget_recent(t);
		t->fs_base = 0;
		t->has_fs_base = true;
		t->is_down = false;
		break;
	case TRC_FS_BASE:
		t->fs_base = word[0];
		t->has_fs_base = true;
		break;
	case TRC_DF: t->is_down = (uint32_t)word[0] != 0; break;
	}
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* A fault of reading page `number` of a file brings those around it. */
static void bring_around(struct ses_touches *t, const struct area *a, uint64_t number)
{
	uint64_t lo = number & ~(uint64_t)(AROUND - 1), hi = lo + AROUND;

	lo = lo < a->lo ? a->lo : lo;
	hi = hi > a->hi ? a->hi : hi;
	for (; lo < hi; lo++)
		if (!page_set_get(&t->pages, lo))
			page_set_put(&t->pages, lo, IS_THERE);
}

/* The area of page `number`, or NULL. */
static struct area *area_of(const struct ses_touches *t, uint64_t number)
{
	const size_t at = find_area(t, number);

	return at < t->n_area && t->area[at].lo <= number ? &t->area[at] : NULL;
}

enum ses_page ses_touches_page(const struct ses_touches *t, uint64_t lin, bool is_write)
{
	const uint64_t number = lin >> PAGE_LOG2;

	if (touch_is_recent(&t->recent, lin, is_write) ||
	    page_set_get(&t->pages, number) & (is_write ? IS_WRITABLE : IS_THERE))
		return SES_PAGE_THERE;
	return area_of(t, number) ? SES_PAGE_FAULTS : SES_PAGE_NOT_MAPPED;
}

/* Returns true if this access faults, and makes the page present, so that the next access does not
 * fault. */
static bool faults(struct ses_touches *t, uint64_t number, bool is_write)
{
	const uint32_t flags = page_set_get(&t->pages, number);
	struct area *a = area_of(t, number);

	if (flags & (is_write ? IS_WRITABLE : IS_THERE))
		return false;
	if (is_write) {
		page_set_put(&t->pages, number, IS_THERE | IS_WRITABLE);
		if (a && !a->is_shared)
			a->has_own = true;
	} else if (a && a->is_file) {
		bring_around(t, a, number);
	} else {
		page_set_put(&t->pages, number, IS_THERE | (a && a->is_shared ? IS_WRITABLE : 0u));
	}
	return true;
}

/* As faults(), but asks the list of recently touched pages first. */
static bool touch(struct ses_touches *t, uint64_t lin, bool is_write)
{
	const uint64_t number = lin >> PAGE_LOG2;
	bool is_fault;

	if (touch_is_recent(&t->recent, lin, is_write))
		return false;
	is_fault = faults(t, number, is_write);
	t->recent.page[number % TOUCH_RECENT] =
	    (number + 1) << 1 | (is_write || page_set_get(&t->pages, number) & IS_WRITABLE ? 1 : 0);
	return is_fault;
}

struct found {
	struct ses_touch *out;
	unsigned n;
};

static void note_touch(struct found *f, uint64_t lin, uint32_t insn)
{
	struct ses_touch *last = f->n ? &f->out[f->n - 1] : NULL;

	if (last && (last->insn == insn || f->n == SES_MOST_TOUCHES))
		last->n++;
	else
		f->out[f->n++] = (struct ses_touch){lin, insn, 1};
}

/* [lin, lin + bytes), from its begin on or from its end. */
static void touch_range(struct ses_touches *t, struct found *f, uint64_t lin, uint64_t bytes,
			bool is_write, bool is_down, uint32_t insn)
{
	const uint64_t first = lin >> PAGE_LOG2, n = ((lin + bytes - 1) >> PAGE_LOG2) - first + 1;

	for (uint64_t i = 0; i < n; i++) {
		const uint64_t number = is_down ? first + n - 1 - i : first + i;
		const uint64_t at = number == first ? lin : number << PAGE_LOG2;

		if (touch(t, at, is_write))
			note_touch(f, at, insn);
	}
}

static uint64_t value_of(const struct x86_block *b, const uint8_t *slots, unsigned slot)
{
	uint64_t value = 0;

	if (slot < b->n_slot)
		memcpy(&value, slots + 8u * slot, 8);
	return value;
}

/* All elements of a repeated reference. */
static void touch_string(struct ses_touches *t, struct found *f, const struct x86_block *b,
			 const struct x86_ref *r, const uint8_t *slots, uint64_t lin, bool is_write)
{
	const struct x86_rep *rep =
	    b->insn[r->insn].rep < b->n_rep ? &b->rep[b->insn[r->insn].rep] : NULL;
	uint64_t n = rep ? value_of(b, slots, rep->slot_count) : 0, bytes;

	if (rep && rep->slot_after < b->n_slot)
		n -= value_of(b, slots, rep->slot_after);
	if (rep && (rep->is_address32 || rep->is_address16))
		n &= rep->is_address32 ? UINT32_MAX : UINT16_MAX;
	if (!n || !r->bytes || n > MOST_STRING / r->bytes)
		return;
	bytes = n * r->bytes;
	touch_range(t, f, t->is_down ? lin - (bytes - r->bytes) : lin, bytes, is_write, t->is_down,
		    r->insn);
}

bool ses_touches_address(const struct ses_touches *t, const struct x86_block *b,
			 const struct x86_ref *r, const uint8_t *slots, uint64_t *lin)
{
	*lin = r->disp + value_of(b, slots, r->slot) + value_of(b, slots, r->slot2) * r->scale;
	if (r->flags & (X86_REF_PREFETCH | X86_REF_GS) ||
	    (r->flags & X86_REF_FS && !t->has_fs_base))
		return false;
	if (r->flags & X86_REF_FS)
		*lin += t->fs_base;
	if (b->mode == X86_MODE_32)
		*lin = (uint32_t)*lin;
	return true;
}

bool ses_touches_is_down(const struct ses_touches *t)
{
	return t->is_down;
}

static void touch_data(struct ses_touches *t, struct found *f, const struct x86_block *b,
		       const struct x86_ref *r, const uint8_t *slots)
{
	const bool is_write = r->flags & X86_REF_WRITE;
	uint64_t lin;

	if (!ses_touches_address(t, b, r, slots, &lin))
		return;
	if (r->flags & X86_REF_REP)
		touch_string(t, f, b, r, slots, lin, is_write);
	else if (r->flags & X86_REF_PARTS || !r->bytes)
		touch_range(t, f, lin, 1, is_write, false, r->insn);
	else if ((lin & 4095) + r->bytes > 4096)
		touch_range(t, f, lin, r->bytes, is_write, false, r->insn);
	else if (touch(t, lin, is_write))
		note_touch(f, lin, r->insn);
}

/* Touch the pages of the code of instruction i that no earlier instruction of the block touched. */
static void touch_code(struct ses_touches *t, struct found *f, const struct x86_block *b,
		       uint32_t i)
{
	const uint64_t from = b->pc + b->insn[i].pc_off, to = from + b->insn[i].bytes - 1u;

	if ((i == 0 || (from & 4095) == 0) && touch(t, from, false))
		note_touch(f, from, i);
	if (from >> PAGE_LOG2 != to >> PAGE_LOG2 && touch(t, to, false))
		note_touch(f, to & ~4095ull, i);
}

size_t ses_touches_pass(const struct ses_touches *t, const struct ses_server *s,
			const uint8_t *bytes, size_t n)
{
	if (s->cfg->chaos & SHR_CHAOS_PLAIN_MODEL)
		return 0;
	return touch_plan_pass(&t->plans, &t->recent, s->store, bytes, n,
			       t->has_fs_base ? &t->fs_base : NULL);
}

unsigned ses_touches_block(struct ses_touches *t, const struct ses_server *s, uint32_t block,
			   uint32_t insns, const uint8_t *slots, size_t room, struct ses_touch *out)
{
	const uint64_t *fs_base = t->has_fs_base ? &t->fs_base : NULL;
	const struct x86_block *b;
	struct found f = {out, 0};
	unsigned k = 0;

	if (!(s->cfg->chaos & SHR_CHAOS_PLAIN_MODEL) &&
	    touch_plan_is_recent(&t->plans, &t->recent, s->store, block, insns, slots, room,
				 fs_base))
		return 0;
	b = block < x86_store_count(s->store) ? x86_store_get(s->store, block) : NULL;
	if (!b || !insns || insns > b->n_insn || 8u * b->n_slot > room)
		return 0;
	for (uint32_t i = 0; i < insns; i++) {
		touch_code(t, &f, b, i);
		for (; k < b->n_ref && b->ref[k].insn <= i; k++)
			touch_data(t, &f, b, &b->ref[k], slots);
		if (b->insn[i].flags & (X86_I_SETS_DF | X86_I_CLEARS_DF))
			t->is_down = b->insn[i].flags & X86_I_SETS_DF;
	}
	return f.n;
}

/* ---- fork ------------------------------------------------------------------------------------ */

void ses_touches_fork(struct ses_touches *t)
{
	for (size_t i = 0; i < t->pages.room; i++) {
		struct page_set_entry *e = &t->pages.entry[i];
		const size_t at = find_area(t, e->key - 1);

		if (e->flags &&
		    !(at < t->n_area && t->area[at].lo < e->key && t->area[at].is_shared))
			e->flags &= ~(uint32_t)IS_WRITABLE;
	}
	forget_recent(t);
}

void ses_touches_born(struct ses_touches *t)
{
	for (size_t i = 0; i < t->n_area; i++)
		if ((t->area[i].is_file || t->area[i].is_shared) && !t->area[i].has_own)
			drop_pages(t, t->area[i].lo, t->area[i].hi);
}

/* ---- the begin ------------------------------------------------------------------------------- */

/* The pages of an area that are there, from the process's pagemap. */
static void take_pages(struct ses_touches *t, struct area *a, int fd)
{
	uint64_t entry[512];

	for (uint64_t at = a->lo; at < a->hi && a->hi - a->lo <= MOST_LISTED;) {
		const size_t n = a->hi - at < 512 ? (size_t)(a->hi - at) : 512;
		const ssize_t got = pread(fd, entry, 8 * n, (off_t)(8 * at));

		if (got < 8)
			return;
		for (size_t i = 0; i < (size_t)got / 8; i++, at++) {
			const bool is_own =
			    !(entry[i] & PAGEMAP_OF_FILE) && entry[i] & PAGEMAP_ALONE;

			if (!(entry[i] & PAGEMAP_PRESENT))
				continue;
			a->has_own |= is_own;
			page_set_put(
			    &t->pages, at,
			    IS_THERE |
				(is_own || (a->is_shared && !a->is_file) ? IS_WRITABLE : 0u));
		}
	}
}

static void take_mappings(struct ses_touches *t, FILE *maps, int fd)
{
	char line[4300], mode[5];
	unsigned long long lo, hi, inode;

	while (fgets(line, sizeof(line), maps)) {
		struct area a = {0};

		if (sscanf(line, "%llx-%llx %4s %*x %*x:%*x %llu", &lo, &hi, mode, &inode) != 4 ||
		    hi >> 47)
			continue;
		a.lo = lo >> PAGE_LOG2;
		a.hi = hi >> PAGE_LOG2;
		a.is_file = inode != 0;
		a.is_shared = mode[3] == 's';
		if (fd >= 0)
			take_pages(t, &a, fd);
		insert_area(t, t->n_area, a);
	}
}

struct ses_touches *ses_touches_open(pid_t pid)
{
	struct ses_touches *t = calloc(1, sizeof(*t));
	char path[48];
	FILE *maps;
	int fd;

	if (!t || page_set_open(&t->pages)) {
		free(t);
		return NULL;
	}
	t->recent.age = 1;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	if (!maps)
		return t;
	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	take_mappings(t, maps, fd);
	if (fd >= 0)
		close(fd);
	fclose(maps);
	return t;
}

void ses_touches_close(struct ses_touches *t)
{
	if (!t)
		return;
	touch_plan_close(&t->plans);
	free(t->area);
	page_set_close(&t->pages);
	free(t);
}
