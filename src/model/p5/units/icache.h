/* icache.h -- the code side of the P5: prefetch buffers, L1I, code TLB. Used by pf.c, icache.c,
 * itlb.c. */
#ifndef SOFTPMU_MODEL_P5_ICACHE_H
#define SOFTPMU_MODEL_P5_ICACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/parts/cache.h"
#include "model/parts/fulltlb.h"
#include "model/parts/tlb.h"

struct p5;
struct p5_frame;

#define P5_ICACHE_FRAMES 512u

#define P5_PF_CHUNKS 8u /* of 8 bytes: all buffers of a stream together */

/* The stream that is being fetched, in units: lines (Pentium) or their halves (with MMX). Units
 * `first` to first + n - 1 are in the buffers or on their way. */
struct p5_pf {
	uint64_t first;
	/* by address / 8: the clock from which D1 can have these 8 bytes */
	uint64_t ready[P5_PF_CHUNKS];
	uint64_t settled_clk; /* the latest of them */
	uint64_t next_clk;    /* the next request goes out not before */
	uint32_t n;
	uint8_t unit_log2, n_buffers;
};

/* The line that comes into L1I, or came in last. */
struct p5_icache_fill {
	uint64_t line;	 /* number of the linear line */
	uint64_t clk[4]; /* by address / 8 in it: as p5_pf.ready */
	uint64_t end_clk;
};

struct p5_icache {
	struct cache cache;
	uint64_t *line_of; /* by set and way: number of the linear line, UINT64_MAX: none */
	uint64_t *filter;  /* by set: the linear line that was used last */
	/* by set, way and 32 bytes of the line: bytes that were the last of an instruction */
	uint32_t *marks;
	unsigned mark_words; /* per line */
	uint32_t changes;    /* lines that came or went */
	/* lines that it has of frames with these low bits of their identity */
	uint16_t n_of[P5_ICACHE_FRAMES];
	bool has_filter; /* linear and physical set numbers are the same */
};

/* The code TLB; as struct p5_dtlb. `last`: of last_vpn, the page used last. */
struct p5_itlb {
	struct tlb sets;
	struct fulltlb full;
	bool is_full;
	uint64_t last_vpn;
	uint32_t last_id, last_colour;
};

/* Set up L1I, or the code TLB. Call p5_icache_close() or p5_itlb_close() also when it failed.
 * p5_icache_open() returns as cache_open(), p5_itlb_open() as tlb_open() or, when all entries are
 * compared, as fulltlb_open(). is_random: pages get random colours (--phys), so that L1I's sets may
 * not follow from linear addresses. */
int p5_icache_open(struct p5_icache *i, uint32_t size_bytes, unsigned ways, unsigned line_bytes,
		   bool is_lru, bool is_random);
void p5_icache_close(struct p5_icache *i);
int p5_itlb_open(struct p5_itlb *t, uint32_t entries, unsigned ways, bool is_lru);
void p5_itlb_close(struct p5_itlb *t);

/* A new address space: what is known by linear address is void. L1I keeps its lines;
 * p5_icache_forget() forgets which linear lines they were. All three are called, else code of the
 * new program could hit a line, a page or a buffer of the old one. */
void p5_icache_forget(struct p5_icache *i);
void p5_itlb_empty(struct p5_itlb *t);
void p5_pf_empty(struct p5 *m);

/* As p5_icache_snoop(), when L1I has lines of such frames (n_of[] is not 0). It moves `changes` on,
 * so that nobody relies on marks of a line that is gone. */
void p5_icache_snoop_frame(struct p5 *m, struct p5_frame page, uint64_t lin);

/* An inquiry from outside, which wants the line alone (is_write) or not. Returns whether L1I keeps
 * it. */
bool p5_icache_inquire(struct p5 *m, struct p5_frame page, uint32_t offset, bool is_write);

/* The page of code at `vpn`. *seen gets P5_SEEN_WALK and what p5_dtlb_see_walk() says. */
struct p5_frame p5_itlb_translate(struct p5 *m, uint64_t vpn, unsigned *seen);

/* The structures' part of p5_icache_fetch(), once per request and in the order of requests. unit:
 * linear address of the line or half line; want: linear address of the byte that is needed first.
 * Returns what was seen: enum p5_seen. */
unsigned p5_icache_see(struct p5 *m, uint64_t unit, uint64_t want);

/* p5_icache_fast_ways() returns 2 or 4 when L1I and L1D have so many ways and the fast shape: then
 * p5_icache_see_two() or p5_icache_see_four() does what p5_icache_see() does, quicker. It returns 0
 * when they have not. */
unsigned p5_icache_fast_ways(const struct p5 *m);
unsigned p5_icache_see_two(struct p5 *m, uint64_t unit, uint64_t want);
unsigned p5_icache_see_four(struct p5 *m, uint64_t unit, uint64_t want);

#endif
