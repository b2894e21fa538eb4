/* vma.h -- what the program has mapped: a sorted list of address ranges.
 *
 * Pure bookkeeping, no system call: map.c does those. The list also holds the ranges of the engine,
 * so that a search for room can never return them.
 *
 * MODELLED       protection as the program sees it, neighbours of equal kind merged as the kernel
 *                merges them.
 * NOT MODELLED   protection keys, huge pages, lazily faulted stack growth.
 */
#ifndef SOFTPMU_GUEST_VMA_H
#define SOFTPMU_GUEST_VMA_H

#include <stddef.h>
#include <stdint.h>

enum gst_vma_kind {
	GST_VMA_PLAIN = 0,
	GST_VMA_ENGINE, /* taken by the runtime, hidden from the program */
	GST_VMA_HEAP,	/* brk */
	GST_VMA_STACK,
	GST_VMA_STRINGS, /* above the stack: its arguments and environment */
	/* page and ring of a performance event: a child does not get it, it cannot grow */
	GST_VMA_EVENT,
};

struct gst_vma {
	uint64_t lo, hi; /* page aligned, lo < hi */
	uint32_t prot;	 /* PROT_*, as the program sees it */
	/* MAP_SHARED or MAP_PRIVATE, MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_LOCKED, MAP_HUGETLB, and: */
	uint32_t flags;
/* private, of a file: it could be written, so the kernel accounts for its pages and keeps it
 * apart from those that could not */
#define GST_VMA_WRITABLE_ONCE 0x40000000u
#define GST_VMA_APART	      0x20000000u /* never one with its neighbours */
	uint64_t off;			  /* file offset of lo */
	uint64_t ino;			  /* of shared memory without a file: a number of its own */
	uint32_t dev;			  /* major << 16 | minor (low bits) */
	uint32_t name;			  /* offset into the pool of names, 0 = none */
	uint32_t kind;			  /* enum gst_vma_kind */
	uint32_t generation;		  /* of the inode, where its file system has one */
	uint32_t is_soft; /* its content can change: blocks check their source (file_change.c) */
};

struct gst_vmas {
	struct gst_vma *v; /* sorted by lo, no overlaps; room for `room` */
	uint32_t n, room;
};

/* Index of the first range that ends above addr (== n when there is none). Cost: binary search. */
uint32_t gst_vma_at(const struct gst_vmas *l, uint64_t addr);

/* The range that holds addr, or NULL. */
struct gst_vma *gst_vma_find(const struct gst_vmas *l, uint64_t addr);

/* True when nothing is mapped in [lo, hi). */
int gst_vma_is_free(const struct gst_vmas *l, uint64_t lo, uint64_t hi);

/* True when some range of `kind` touches [lo, hi). */
int gst_vma_touches(const struct gst_vmas *l, uint64_t lo, uint64_t hi, uint32_t kind);

/* Behind the last byte of [lo, hi) up to which all are mapped; lo when the first is not. */
uint64_t gst_vma_covered(const struct gst_vmas *l, uint64_t lo, uint64_t hi);

/* Returns the range's name in /proc/PID/maps, "" if it has none. names: the pool of names. */
const char *gst_vma_name(const struct gst_vma *v, const char *names);

/* Forget [lo, hi); ranges that stick out are cut. Returns 0, or -ENOMEM when the list is full. */
int gst_vma_cut(struct gst_vmas *l, uint64_t lo, uint64_t hi);

/* Add a range where nothing is mapped; merges with equal neighbours. Returns 0 or -ENOMEM. */
int gst_vma_add(struct gst_vmas *l, const struct gst_vma *v);

/* Give [lo, hi) a new protection; unmapped parts are left alone. Returns 0 or -ENOMEM. */
int gst_vma_protect(struct gst_vmas *l, uint64_t lo, uint64_t hi, uint32_t prot);

/* The pages of [lo, hi) are locked, or no longer. Returns 0 or -ENOMEM. */
int gst_vma_lock(struct gst_vmas *l, uint64_t lo, uint64_t hi, int is_locked);

/* Lowest room for `bytes` in [from, to), or 0. */
uint64_t gst_vma_room_up(const struct gst_vmas *l, uint64_t from, uint64_t to, uint64_t bytes);

/* Highest room for `bytes` in [from, to), or 0. */
uint64_t gst_vma_room_down(const struct gst_vmas *l, uint64_t from, uint64_t to, uint64_t bytes);

/* Bits of gst_vma.flags: the policy of the range's memory (calls_numa.c); 0 = none. */
#define GST_VMA_POLICY_SHIFT 20
#define GST_VMA_POLICY	     (0x7fu << GST_VMA_POLICY_SHIFT)

/* Give [lo, hi) this memory policy. Returns 0 or -ENOMEM. */
int gst_vma_bind(struct gst_vmas *l, uint64_t lo, uint64_t hi, uint32_t policy);

#endif
