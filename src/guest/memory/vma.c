/* vma.c -- the sorted list of the program's mappings: search, insertion and removal. Rules:
 * vma.h. Ranges never overlap, and neighbours that can join are joined. */
#include "guest/memory/vma.h"

#include <asm/errno.h>
#include <linux/mman.h>

#include "guest/base/bytes.h"

uint32_t gst_vma_at(const struct gst_vmas *l, uint64_t addr)
{
	uint32_t lo = 0, hi = l->n;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (l->v[mid].hi > addr)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

struct gst_vma *gst_vma_find(const struct gst_vmas *l, uint64_t addr)
{
	uint32_t i = gst_vma_at(l, addr);

	return i < l->n && l->v[i].lo <= addr ? &l->v[i] : NULL;
}

int gst_vma_is_free(const struct gst_vmas *l, uint64_t lo, uint64_t hi)
{
	uint32_t i = gst_vma_at(l, lo);

	return i == l->n || l->v[i].lo >= hi;
}

int gst_vma_touches(const struct gst_vmas *l, uint64_t lo, uint64_t hi, uint32_t kind)
{
	for (uint32_t i = gst_vma_at(l, lo); i < l->n && l->v[i].lo < hi; i++) {
		if (l->v[i].kind == kind)
			return 1;
	}
	return 0;
}

uint64_t gst_vma_covered(const struct gst_vmas *l, uint64_t lo, uint64_t hi)
{
	for (uint32_t i = gst_vma_at(l, lo); lo < hi && i < l->n && l->v[i].lo <= lo; i++)
		lo = l->v[i].hi;
	return lo < hi ? lo : hi;
}

const char *gst_vma_name(const struct gst_vma *v, const char *names)
{
	if (v->kind == GST_VMA_HEAP)
		return "[heap]";
	if (v->kind == GST_VMA_STACK)
		return "[stack]";
	return v->name ? names + v->name : "";
}

/* Shared memory is a file to the kernel, without a name or with one. */
static int is_file(const struct gst_vma *v)
{
	return !(v->flags & MAP_ANONYMOUS) || (v->flags & MAP_SHARED);
}

/* b may follow a in one range. */
static int can_join(const struct gst_vma *a, const struct gst_vma *b)
{
	if ((a->flags & GST_VMA_APART) || a->hi != b->lo || a->prot != b->prot ||
	    a->flags != b->flags || a->kind != b->kind || a->name != b->name || a->ino != b->ino ||
	    a->dev != b->dev || a->is_soft != b->is_soft)
		return 0;
	return !is_file(a) || a->off + (a->hi - a->lo) == b->off;
}

static int open_slot(struct gst_vmas *l, uint32_t i)
{
	if (l->n >= l->room)
		return -ENOMEM;
	memmove(&l->v[i + 1], &l->v[i], (l->n - i) * sizeof(l->v[0]));
	l->n++;
	return 0;
}

static void close_slots(struct gst_vmas *l, uint32_t i, uint32_t n)
{
	memmove(&l->v[i], &l->v[i + n], (l->n - i - n) * sizeof(l->v[0]));
	l->n -= n;
}

static void move_start(struct gst_vma *v, uint64_t lo)
{
	if (is_file(v))
		v->off += lo - v->lo;
	v->lo = lo;
}

/* Make addr a border of ranges. */
static int split(struct gst_vmas *l, uint64_t addr)
{
	uint32_t i = gst_vma_at(l, addr);
	int err;

	if (i == l->n || l->v[i].lo >= addr)
		return 0;
	err = open_slot(l, i);
	if (err)
		return err;
	l->v[i].hi = addr;
	move_start(&l->v[i + 1], addr);
	return 0;
}

static void join_around(struct gst_vmas *l, uint32_t i)
{
	if (i + 1 < l->n && can_join(&l->v[i], &l->v[i + 1])) {
		l->v[i].hi = l->v[i + 1].hi;
		close_slots(l, i + 1, 1);
	}
	if (i > 0 && i < l->n && can_join(&l->v[i - 1], &l->v[i])) {
		l->v[i - 1].hi = l->v[i].hi;
		close_slots(l, i, 1);
	}
}

int gst_vma_cut(struct gst_vmas *l, uint64_t lo, uint64_t hi)
{
	int err = split(l, lo);
	uint32_t first, end;

	if (!err)
		err = split(l, hi);
	if (err)
		return err;
	first = gst_vma_at(l, lo);
	for (end = first; end < l->n && l->v[end].lo < hi; end++)
		;
	if (end > first)
		close_slots(l, first, end - first);
	return 0;
}

static void set_prot(struct gst_vma *v, uint32_t prot)
{
	v->prot = prot;
	if (prot & PROT_WRITE && !(v->flags & (MAP_ANONYMOUS | MAP_SHARED)))
		v->flags |= GST_VMA_WRITABLE_ONCE;
}

int gst_vma_add(struct gst_vmas *l, const struct gst_vma *v)
{
	uint32_t i = gst_vma_at(l, v->lo);
	int err = open_slot(l, i);

	if (err)
		return err;
	l->v[i] = *v;
	set_prot(&l->v[i], v->prot);
	join_around(l, i);
	return 0;
}

static void set_locked(struct gst_vma *v, uint32_t is_locked)
{
	v->flags = (v->flags & ~(uint32_t)MAP_LOCKED) | (is_locked ? MAP_LOCKED : 0);
}

/* Set something of all in [lo, hi), which may make neighbours one. */
static int change(struct gst_vmas *l, uint64_t lo, uint64_t hi,
		  void (*set)(struct gst_vma *v, uint32_t to), uint32_t to)
{
	int err = split(l, lo);

	if (!err)
		err = split(l, hi);
	if (err)
		return err;
	for (uint32_t i = gst_vma_at(l, lo); i < l->n && l->v[i].lo < hi; i++)
		set(&l->v[i], to);
	for (uint64_t at = hi;;) {
		uint32_t i = gst_vma_at(l, at - 1);

		/* From the end to the start, so that indices before `at` stay right. */
		if (i < l->n && l->v[i].lo < at) {
			at = l->v[i].lo;
			join_around(l, i);
		} else if (i > 0) {
			at = l->v[i - 1].hi;
		} else {
			break;
		}
		if (at <= lo)
			break;
	}
	return 0;
}

int gst_vma_protect(struct gst_vmas *l, uint64_t lo, uint64_t hi, uint32_t prot)
{
	return change(l, lo, hi, set_prot, prot);
}

int gst_vma_lock(struct gst_vmas *l, uint64_t lo, uint64_t hi, int is_locked)
{
	return change(l, lo, hi, set_locked, (uint32_t)is_locked);
}

uint64_t gst_vma_room_up(const struct gst_vmas *l, uint64_t from, uint64_t to, uint64_t bytes)
{
	for (uint32_t i = gst_vma_at(l, from);; i++) {
		uint64_t end = i < l->n && l->v[i].lo < to ? l->v[i].lo : to;

		if (end > from && end - from >= bytes)
			return from;
		if (i == l->n || l->v[i].hi >= to)
			return 0;
		if (l->v[i].hi > from)
			from = l->v[i].hi;
	}
}

uint64_t gst_vma_room_down(const struct gst_vmas *l, uint64_t from, uint64_t to, uint64_t bytes)
{
	for (uint32_t i = gst_vma_at(l, to - 1);; i--) {
		uint64_t start;

		if (i < l->n && l->v[i].lo < to && l->v[i].hi > from) {
			if (to > l->v[i].hi && to - l->v[i].hi >= bytes)
				return to - bytes;
			to = l->v[i].lo;
		}
		start = i > 0 && l->v[i - 1].hi > from ? l->v[i - 1].hi : from;
		if (to > start && to - start >= bytes)
			return to - bytes;
		if (i == 0 || to <= from)
			return 0;
	}
}

int gst_vma_bind(struct gst_vmas *l, uint64_t lo, uint64_t hi, uint32_t policy)
{
	int err = split(l, lo);
	uint32_t i;

	if (!err)
		err = split(l, hi);
	if (err)
		return err;
	for (i = gst_vma_at(l, lo); i < l->n && l->v[i].lo < hi; i++)
		l->v[i].flags = (l->v[i].flags & ~GST_VMA_POLICY) | policy << GST_VMA_POLICY_SHIFT;
	while (i-- > 0 && l->v[i].hi > lo)
		join_around(l, i);
	return 0;
}
