/* translate.h -- guest code in, translated code out; lives in the softpmu process.
 *
 * Copies the guest's own instructions into the code area, adds the recording that the session asked
 * for, links blocks, and forgets what was invalidated. Never reads guest memory: pages come with
 * the requests. One translator per address space. Not thread safe: the session's one thread calls
 * it.
 *
 * MODELLED         everything that the host executes; r15 is the record pointer, a block that names
 *                  r15 lets another register stand in for it.
 * FULL             a full code area or table empties everything (xlt_forget_all); so does garbage:
 *                  more dead blocks than live ones. Pages are kept.
 * SOURCES          docs/ARCHITECTURE.md, docs/decisions/001, 002, 005.
 */
#ifndef SOFTPMU_TRANSLATE_TRANSLATE_H
#define SOFTPMU_TRANSLATE_TRANSLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/share.h"
#include "translate/shelf.h"
#include "x86/block.h"

struct xlt;

/* Settings and memory; areas are borrowed for the translator's life. */
struct xlt_config {
	enum shr_tier tier;
	enum x86_mode mode;    /* of the guest's code */
	bool has_taken;	       /* tier 1: count taken conditional exits too */
	uint16_t xsave_bytes;  /* as in struct x86_build_limits */
	bool has_assists;      /* stream: record operand classes of x87 and SSE instructions */
	bool has_x87_operands; /* stream: record control word and operands of x87 arithmetic */
	bool has_x87_control;  /* stream: without those, record the control word of x87 divides */
	bool has_mmx_operands; /* stream: record operands of MMX instructions that saturate */
	uint64_t shift;	       /* of the code and counter areas in the guest: shr_shift() */
	unsigned max_insns;    /* per block; 0 = X86_MAX_INSNS (tests set 1) */
	bool decodes_all;      /* no instruction is recalled (tests) */
	unsigned lookahead;    /* blocks to translate ahead per miss; 0 = default */
	uint8_t *code;	       /* alias of the code area, SHR_CODE_BYTES writable bytes */
	struct shr_tables *tables; /* alias of the tables area */
	struct x86_store *store;   /* receives every block */
	struct xlt_shelf *shelf; /* emitted blocks of this and other address spaces; NULL = none */
};

int xlt_open(const struct xlt_config *cfg, struct xlt **out);
void xlt_close(struct xlt *x);

/* A page of guest code arrived. bytes = 4096 bytes, NULL for an absent page. flags = enum
 * req_page_flag. Replaces what was known of the page (its blocks must have been invalidated).
 * Returns 0 or -SPMU_ENOMEM. */
int xlt_add_page(struct xlt *x, uint64_t page_addr, uint32_t flags, const uint8_t *bytes);

struct xlt_answer {
	uint64_t main_entry; /* code addresses in the guest */
	uint64_t indirect_entry;
	uint64_t page; /* -SPMU_ENOENT: this page is needed; -SPMU_EEXEC: it is absent */
};

/* Translate the block at pc (and blocks that it reaches statically), and link exit `exit_id` to it
 * when that is not 0. Returns 0; -SPMU_ENOENT or -SPMU_EEXEC with answer->page; -SPMU_EPROTO for an
 * exit id that does not exist; -SPMU_ENOMEM when there is no room (xlt_wants_forgetting()) or no
 * memory. Cost: 1-2 us per block. */
int xlt_translate(struct xlt *x, uint64_t pc, uint32_t exit_id, struct xlt_answer *answer);

/* Forget pages and blocks that touch [addr, addr + bytes); unlink jumps to them. */
void xlt_invalidate(struct xlt *x, uint64_t addr, uint64_t bytes);

/* Is it time to forget everything? True when the last xlt_translate() found no room, or when most
 * blocks are dead: they and their facts take memory until then. */
bool xlt_wants_forgetting(const struct xlt *x);

/* Forget every block, ids included; pages are kept. The caller has zeroed the code and tables
 * areas, and clears the store after it. Every address and exit id of the guest is void. */
void xlt_forget_all(struct xlt *x);

/* From now on blocks are taken from the shelf and put on it. Cheap, and harmless when called again.
 */
void xlt_start_sharing(struct xlt *x);

/* Blocks translated from now on make records; the caller forgets those that are there. */
void xlt_start_stream(struct xlt *x);

/* The head of each block translated from now on counts gs.quantum down (several threads). */
void xlt_start_quantum(struct xlt *x);

/* Each block translated from now on that makes records looks at gs.limit at its head, with nothing
 * of it done. */
void xlt_start_heads(struct xlt *x);

/* 32-bit code translated from now on runs with null selectors in these segment registers (bit per
 * number: ES 0, DS 3); the caller forgets what is there. */
void xlt_set_null_segments(struct xlt *x, unsigned null_segments);

/* As in struct xlt_config, for a new program that sees another processor: before its first page. */
void xlt_set_xsave_bytes(struct xlt *x, uint16_t bytes);

/* Forget every block and page: a new program in a new address space, whose code is of `mode` and
 * whose areas are shifted. As xlt_forget_all() otherwise. With a shift nothing is shared until the
 * next one. */
void xlt_restart(struct xlt *x, enum x86_mode mode, uint64_t shift);

/* Tier 1: executions of block id, and how many of them left by the branch target. counters = alias
 * of the counter area. */
static inline uint64_t xlt_times(const uint64_t *counters, uint32_t id)
{
	return counters[shr_counter(id, 0)];
}
static inline uint64_t xlt_taken(const uint64_t *counters, uint32_t id)
{
	return counters[shr_counter(id, 1)];
}

/* Returns true if one of the XLT_LOOK blocks from `id` on was executed since the counters were
 * cleared. id: a multiple of XLT_LOOK. */
#define XLT_LOOK 8u
static inline bool xlt_has_run(const uint64_t *counters, uint32_t id)
{
	const uint64_t *c = counters + shr_counter(id, 0);

	return ((c[0] | c[1]) | (c[2] | c[3])) | ((c[4] | c[5]) | (c[6] | c[7]));
}

static inline void xlt_clear_counters(uint64_t *counters, uint32_t id)
{
	counters[shr_counter(id, 0)] = counters[shr_counter(id, 1)] = 0;
}

/* Tier 1: the block's counter is raised before this instruction, so that an execution that stopped
 * after fewer instructions was not counted and one that stopped later was. */
unsigned xlt_counted_at(const struct xlt *x, uint32_t id);

/* Blocks that have ids now; ids are below it. */
uint32_t xlt_n_blocks(const struct xlt *x);

/* Over the translator's life. */
struct xlt_stats {
	uint64_t blocks, insns, code_bytes, exits, links, pages, invalidations;
};
void xlt_get_stats(const struct xlt *x, struct xlt_stats *out);

#endif
