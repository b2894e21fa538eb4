/* internal.h -- state of the translator, shared by the files of this room only. */
#ifndef SOFTPMU_TRANSLATE_INTERNAL_H
#define SOFTPMU_TRANSLATE_INTERNAL_H

#include "translate/copy.h"
#include "translate/translate.h"
#include "x86/build.h"

#define XLT_NONE 0xffffffffu
#define XLT_PAGE_BYTES 4096u
/* Most code that one block can need: 64 instructions with every extra, and its exits. */
#define XLT_MAX_BLOCK_BYTES 16384u
/* The cold part starts here; faults happen in hot code only. */
#define XLT_COLD_OFF ((uint32_t)(SHR_CODE_BYTES / 8 * 5))

/* A page of guest code; blocks that start or continue on it are in its list. */
struct xlt_page {
	uint64_t addr;            /* 1 = free entry of the hash */
	uint32_t flags;           /* enum req_page_flag */
	uint32_t n_block, cap_block;
	uint32_t *block;          /* block ids */
	uint8_t *bytes;           /* XLT_PAGE_BYTES, NULL when absent */
};

/* What the translator keeps per exit, beside shr_exit: where its jump is and whom it waits for. */
struct xlt_exit {
	uint64_t target;
	uint32_t patch_off;       /* code offset of the 4-byte displacement of the jump; NONE = no link */
	uint32_t stub_off;        /* code offset of the cold stub */
	uint32_t next;            /* next exit in its list (pending or incoming), NONE = last */
};

/* Guest pc -> exits that wait for its block. Open addressing; key 0 free. */
struct xlt_pending {
	uint64_t pc;
	uint32_t first;           /* exit id, NONE = empty */
};

/* Where the common parts of assist.c lie, and its tables: code offsets. */
struct xlt_assist_code {
	uint32_t clear_x87, put_back_x87, clear_sse, put_back_sse, set_x87, set_sse;
};

struct xlt {
	struct xlt_config cfg;
	struct x86_builder *builder;
	struct x86_out out;       /* next free byte of the hot code: what runs */
	struct x86_out cold;      /* next free byte of the cold code: exits, entries seldom used */
	uint32_t n_block, n_exit, n_recover, n_check_bytes;
	uint32_t n_dead;          /* blocks killed by invalidation */
	struct xlt_exit *exit;    /* SHR_MAX_EXITS */
	uint32_t *incoming;       /* per block: list of exits linked to it */
	uint32_t *map_block;      /* per entry of the code map: its block */
	uint32_t *fallen_from;    /* per block: exit that runs into it without a jump, NONE = no such */
	uint32_t open_fall;       /* exit whose jump is the last 5 bytes of the hot code, NONE = no such */
	uint8_t *counted_at;      /* tier 1, per block: the counter is raised before this instruction */
	struct xlt_pending *pending;
	uint32_t pending_cap, pending_used;
	struct xlt_page *page;    /* open addressing */
	uint32_t page_cap, page_used;
	struct xlt_assist_code assist;
	bool is_full;             /* no room for another block */
	bool has_quantum;         /* heads count the quantum of a thread: quantum.c */
	struct xlt_stats stats;
};

/* page.c */
struct xlt_page *xlt_find_page(const struct xlt *x, uint64_t addr);
int xlt_page_add_block(struct xlt_page *p, uint32_t id);
void xlt_pages_free(struct xlt *x);
/* Empty the lists of blocks of all pages. */
void xlt_pages_forget_blocks(struct xlt *x);

/* link.c */
struct shr_map_entry *xlt_map_find(const struct xlt *x, uint64_t pc);
int xlt_map_add(struct xlt *x, uint64_t pc, uint32_t id, uint32_t main_off, uint32_t indirect_off);
/* Link exit to a block that exists, or note it as waiting. */
void xlt_link_exit(struct xlt *x, uint32_t exit_id);
/* A block for pc now exists: link every exit that waits for it (but fallen_from[id], which runs into
 * it). */
void xlt_link_waiting(struct xlt *x, uint64_t pc, uint32_t id);
void xlt_kill_block(struct xlt *x, uint32_t id);

/* flags.c: index of the first instruction before which the status flags `mask` are dead, or n_insn. */
unsigned xlt_dead_flags_at(const struct x86_builder *b, uint32_t mask);

/* block.c: emit the block in x->builder; *id receives its number. */
enum xlt_entry { XLT_ENTRY_COLD, XLT_ENTRY_HOT }; /* is it expected to be reached indirectly? */
int xlt_emit_block(struct xlt *x, bool is_volatile, enum xlt_entry entry, uint32_t *id);

/* masked.c: the slots of masks and index vectors. */
/* Put the mask that s names into general register y; other registers and flags stay. */
void xlt_emit_mask(struct x86_out *o, const struct x86_slot *s, unsigned y);
/* Store a whole vector at [r15 + at] when s is its first slot, else nothing. */
void xlt_emit_vector(struct x86_out *o, const struct x86_slot *s, int32_t at);

/* assist.c: operand classes of x87 and SSE instructions. */
void xlt_emit_assist_common(struct xlt *x);
/* Before an instruction of this kind. */
void xlt_emit_assist_begin(struct xlt *x, enum x86_assist kind);
/* One slot of the record, at [r15 + at]: FSW, MXCSR and XMM kinds. */
void xlt_emit_assist_slot(struct xlt *x, const struct x86_slot *s, int32_t at);

/* quantum.c: the first code of a block, when threads take turns. Returns the code offset of the entry
 * for those that come from a block which was only cut there. */
struct xlt_emitter;
uint32_t xlt_emit_quantum(struct xlt_emitter *e);

/* exits.c */
#define XLT_EXIT_INDIRECT 1u /* the one exit of indirect branches; its stub starts the code area */
/* Take the next exit id and fill its descriptor; XLT_NONE when the table is full. */
uint32_t xlt_new_exit(struct xlt *x, uint8_t kind, uint64_t pc, uint32_t block);
/* Code of an exit, into the cold part: note its id, enter the runtime. Returns its code offset. */
uint32_t xlt_emit_exit(struct xlt *x, uint32_t exit_id);
/* Code at the start of the code area. */
void xlt_emit_common(struct xlt *x);

#endif
