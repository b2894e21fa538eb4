/* internal.h -- state of the translator, shared by the files of this room only. */
#ifndef SOFTPMU_TRANSLATE_INTERNAL_H
#define SOFTPMU_TRANSLATE_INTERNAL_H

#include "translate/copy.h"
#include "translate/translate.h"
#include "x86/build.h"

#define XLT_NONE       0xffffffffu
#define XLT_PAGE_BYTES 4096u
/* Most code that one block can need: 64 instructions with every extra, and its exits. */
#define XLT_MAX_BLOCK_BYTES 16384u
/* The cold part starts here; faults happen in hot code only. */
#define XLT_COLD_OFF	 ((uint32_t)(SHR_CODE_BYTES / 8 * 5))
#define XLT_JUMP_BYTES	 5u
#define XLT_MAX_MOVES	 512u
#define XLT_WAITING_LOG2 17u

/* A page of guest code; blocks that start or continue on it are in its list. */
struct xlt_page {
	uint64_t addr;	/* 1 = free entry of the hash */
	uint32_t flags; /* enum req_page_flag */
	uint32_t block; /* first of its blocks: an index of xlt.next_of_page, NONE = none */
	bool is_lent;	/* its bytes lie on the shelf */
	struct xlt_shelf_page *shelf; /* its blocks there; NULL = not for the shelf */
	uint32_t n_seen;	      /* shelf->n when all of them were looked at */
	const uint8_t *bytes;	      /* XLT_PAGE_BYTES, NULL when absent */
};

/* What the translator keeps per exit, beside shr_exit: where its jump is and whom it waits for. */
struct xlt_exit {
	uint64_t target;
	uint32_t patch_off; /* code offset of the 4-byte displacement of the jump; NONE = no link */
	uint32_t stub_off;  /* code offset of the cold stub */
	uint32_t next;	    /* next exit in its list: incoming, NONE = last; waiting, 0 = last */
};

/* Where the common parts of assist.c lie, and its tables: code offsets. */
struct xlt_assist_code {
	uint32_t clear_x87, put_back_x87, clear_sse, put_back_sse, set_x87, set_sse;
};

/* A field of 4 bytes in emitted code that says where the block lies, or which number it has: what
 * changes when the block is put elsewhere (reuse.c). */
enum xlt_move_kind {
	XLT_MOVE_FIXED,	 /* displacement to what stays where it is: the guest's data, common code */
	XLT_MOVE_ACROSS, /* displacement from the hot part of the block to the cold one, or back */
	XLT_MOVE_HOT,	 /* address of the hot part */
	XLT_MOVE_BLOCK,	 /* block id */
	XLT_MOVE_COUNTER, /* address of a counter of the block */
	XLT_MOVE_EXIT,	  /* exit id */
	XLT_N_MOVE
};
struct xlt_move {
	uint32_t at;   /* code offset */
	uint32_t kind; /* enum xlt_move_kind */
};

/* What is filled from its start on, and made ready ahead (room.c). */
enum xlt_ready {
	XLT_READY_HOT,
	XLT_READY_COLD,
	XLT_READY_BLOCK,
	XLT_READY_EXIT,
	XLT_READY_RECOVER,
	XLT_READY_OWN_EXIT,
	XLT_N_READY
};

struct xlt {
	struct xlt_config cfg;
	struct x86_builder *builder;
	struct x86_recall *recall; /* NULL: every instruction is decoded */
	struct x86_out out;	   /* next free byte of the hot code: what runs */
	struct x86_out cold;	   /* next free byte of the cold code: exits, entries seldom used */
	uint32_t n_block, n_exit, n_recover, n_check_bytes;
	uint32_t n_dead;       /* blocks killed by invalidation */
	struct xlt_exit *exit; /* SHR_MAX_EXITS */
	uint32_t *incoming;    /* per block: list of exits linked to it */
	uint32_t *map_block;   /* per entry of the code map: its block */
	uint32_t
	    *fallen_from; /* per block: exit that runs into it without a jump, NONE = no such */
	uint32_t
	    open_fall; /* exit whose jump is the last 5 bytes of the hot code, NONE = no such */
	uint8_t *counted_at; /* tier 1, per block: the counter is raised before this instruction */
	/* by a hash of the target: list of exits that wait for their block; 0 = empty, or the
	 * end */
	uint32_t *waiting;
	struct xlt_page *page; /* open addressing */
	uint32_t page_cap, page_used;
	struct xlt_page_chunk *page_chunk; /* their bytes */
	/* room for those of one page; its first bytes lead to the next, NULL = none */
	uint8_t *free_bytes;
	/* per block two, for the page where it starts and the next one: 2 * id (+ 1) */
	uint32_t *next_of_page;
	struct xlt_assist_code assist;
	uint64_t ready[XLT_N_READY]; /* bytes of each that are in memory */
	bool is_full;		     /* no room for another block */
	/* each block looks at the limit before anything else, so that the guest can be stopped
	 * there */
	bool has_heads;
	bool has_quantum;      /* heads count the quantum of a thread: quantum.c */
	uint8_t null_segments; /* xlt_set_null_segments() */
	bool is_sharing;       /* blocks come from the shelf and go to it */
	uint32_t
	    n_move; /* of the block being emitted; more than XLT_MAX_MOVES: the rest is not noted */
	struct xlt_move move[XLT_MAX_MOVES];
	struct xlt_stats stats;
};

/* page.c */
struct xlt_page *xlt_find_page(const struct xlt *x, uint64_t addr);
/* Put block b, number id, into the lists of its pages. */
void xlt_pages_add_block(struct xlt *x, const struct x86_block *b, uint32_t id);
void xlt_pages_free(struct xlt *x);
/* Empty the lists of blocks of all pages. */
void xlt_pages_forget_blocks(struct xlt *x);
/* Sharing begins: others will meet pages that were met here. */
void xlt_pages_tell_shelf(struct xlt *x);
/* xlt_shelf_kind() is another one from now on. */
void xlt_pages_change_kind(struct xlt *x);

/* link.c */
struct shr_map_entry *xlt_map_find(const struct xlt *x, uint64_t pc);
int xlt_map_add(struct xlt *x, uint64_t pc, uint32_t id, uint32_t main_off, uint32_t indirect_off);
/* Link exit to a block that exists, or note it as waiting. */
void xlt_link_exit(struct xlt *x, uint32_t exit_id);
/* A block for pc now exists: link every exit that waits for it (but fallen_from[id], which runs
 * into it). */
void xlt_link_waiting(struct xlt *x, uint64_t pc, uint32_t id);
/* No exit waits any more. Cost: a step per exit. */
void xlt_forget_waiting(struct xlt *x);
void xlt_kill_block(struct xlt *x, uint32_t id);
/* When the block before, which ends the hot code, goes on at pc: take its jump away, so that it
 * runs into what is put there now. Returns that exit, or XLT_NONE. */
uint32_t xlt_run_into(struct xlt *x, uint64_t pc);
/* Block b, number id, and its exits from first_exit on are in place: let others reach it, and it
 * others. Returns 0 or -SPMU_ENOMEM. */
int xlt_publish(struct xlt *x, const struct x86_block *b, uint32_t id, uint32_t main_off,
		uint32_t indirect_off, uint32_t first_exit);

/* flags.c: index of the first instruction before which the status flags `mask` are dead, or n_insn.
 */
unsigned xlt_dead_flags_at(const struct x86_builder *b, uint32_t mask);

/* block.c: emit the block in x->builder; *id receives its number. */
enum xlt_entry { XLT_ENTRY_COLD, XLT_ENTRY_HOT }; /* is it expected to be reached indirectly? */
int xlt_emit_block(struct xlt *x, bool is_volatile, enum xlt_entry entry, uint32_t *id);

/* room.c: is there room for another block? Notes when there is not. Cost: now and then a call of
 * the kernel. */
bool xlt_has_room(struct xlt *x);

/* The 4 bytes at code offset `at` depend on where the block lies. */
static inline void xlt_note(struct xlt *x, uint32_t at, enum xlt_move_kind kind)
{
	if (x->n_move < XLT_MAX_MOVES)
		x->move[x->n_move] = (struct xlt_move){at, kind};
	x->n_move++;
}

/* What xlt_copy() and xlt_memory_op() return. */
static inline void xlt_note_rip(struct xlt *x, uint32_t at)
{
	if (at)
		xlt_note(x, at, XLT_MOVE_FIXED);
}

/* Blocks of one kind can stand for each other. */
static inline uint32_t xlt_shelf_kind(const struct xlt *x)
{
	return (uint32_t)x->cfg.xsave_bytes / 64 << 24 | (uint32_t)x->null_segments << 16 |
	       (uint32_t)x->cfg.tier << 8 | (uint32_t)x->has_heads << 7 |
	       (uint32_t)x->cfg.mode << 1 | x->has_quantum;
}

/* reuse.c: take the block at pc from the shelf when it is there, made of the same bytes. Returns 1
 * and its id, 0 when it is not, -SPMU_ENOMEM. */
int xlt_take_from_shelf(struct xlt *x, uint64_t pc, uint32_t *id);
/* Take all blocks of page p that are there and were not looked at before. Returns 0 or
 * -SPMU_ENOMEM. */
int xlt_take_page_from_shelf(struct xlt *x, struct xlt_page *p);

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

/* operands.c: one slot of the record, at [r15 + at], X86_SLOT_X87, X86_SLOT_X87_CONTROL and
 * X86_SLOT_MMX. */
void xlt_emit_x87_slot(struct x86_out *o, const struct x86_slot *s, int32_t at);
void xlt_emit_control_slot(struct x86_out *o, int32_t at);
void xlt_emit_mmx_slot(struct x86_out *o, const struct x86_slot *s, int32_t at);

/* quantum.c: the first code of a block, when threads take turns. Returns the code offset of the
 * entry for those that come from a block which was only cut there. */
struct xlt_emitter;
uint32_t xlt_emit_quantum(struct xlt_emitter *e, bool is_volatile);

/* exits.c */
/* the one exit of indirect branches; its stub starts the code area */
#define XLT_EXIT_INDIRECT 1u
/* Take the next exit id and fill its descriptor; XLT_NONE when the table is full. */
uint32_t xlt_new_exit(struct xlt *x, uint8_t kind, uint64_t pc, uint32_t block);
/* Code of an exit, into the cold part: note its id, enter the runtime. Returns its code offset. */
uint32_t xlt_emit_exit(struct xlt *x, uint32_t exit_id);
/* Code at the start of the code area. */
void xlt_emit_common(struct xlt *x);

#endif
