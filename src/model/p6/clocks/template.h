/* template.h -- micro-op templates of blocks: what rename and the stages behind it need to know of
 * their code (template.c). */
#ifndef SOFTPMU_MODEL_P6_TEMPLATE_H
#define SOFTPMU_MODEL_P6_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p6/clocks/time_zero.h"

struct p6;
struct p6_wrong_more;
struct x86_block;

/* Registers as rename sees them. */
enum p6_reg {
	P6_R_GPR = 0, /* 16 */
	P6_R_CF = 16, /* carry, and the other status flags: two writers can be in flight */
	P6_R_FLAGS,
	P6_R_FSW,      /* x87 status */
	P6_R_X87 = 24, /* 8, by physical number; MMX registers are the same */
	P6_R_XMM = 32, /* 16 lower halves, then 16 upper ones */
	P6_N_REGS = 64
};

enum p6_uop_kind {
	P6_U_EXEC, /* computes */
	P6_U_LOAD,
	P6_U_STA,    /* address of a store */
	P6_U_STD,    /* its data */
	P6_U_RENAME, /* done by rename: FXCH, no port */
};

enum p6_uop_flag {
	P6_U_FIRST = 1, /* of its instruction */
	P6_U_LAST = 2,
	P6_U_BRANCH = 4,
	P6_U_X87_DIVIDE = 8, /* takes as long as the precision that is set */
	P6_U_MMX = 16,	     /* of an MMX instruction, for ports 0 to 3 (B2H) */
};

#define P6_U_SRC 4
#define P6_U_DST 4
struct p6_uop {
	uint8_t kind;  /* enum p6_uop_kind */
	uint8_t flags; /* enum p6_uop_flag */
	uint8_t ports; /* bit per port 0 to 4 that can take it */
	uint8_t unit;  /* enum cat_p6_unit */
	uint8_t latency, interval;
	uint8_t n_src;
	uint8_t src[P6_U_SRC]; /* enum p6_reg */
	uint8_t n_dst;
	uint8_t dst[P6_U_DST]; /* enum p6_reg */
	uint8_t
	    after[2]; /* micro-ops back in the same instruction whose results it needs; 0: none */
	uint32_t content; /* number of what is said here and in its step (templates.h) */
};

/* What reading and writing parts of registers means to rename: a read of `bytes` of GPR `reg`
 * (high: of bits 8 to 15), or flags. */
struct p6_part {
	uint8_t reg;
	uint8_t bytes; /* 1, 2 or 4 (4: the whole register) */
	bool is_high;
};

/* One instruction of a block, as far as its place there and the stages before rename go. */
struct p6_code {
	uint16_t first_uop;
	uint8_t n_uop;
	uint8_t bytes;	    /* length */
	uint8_t lcp_clk;    /* length decoder */
	uint8_t prefix_clk; /* first decoder: prefixes after the first */
	uint8_t store_ref;  /* reference that its entry in the store buffer has; 0xff: none */
	uint8_t
	    control_slot; /* of an x87 divide: the slot that holds its control word; 0xff: none */
	uint8_t is_microcoded : 1, is_branch : 1; /* of those that the BTB knows */
	uint8_t is_transfer : 1;		  /* of any kind: it counts as a branch (E0H) */
	/* the BTB took one of its bytes for the end of a branch when the template was made */
	uint8_t may_be_bogus : 1;
	uint8_t has_store : 1;
	uint8_t is_simple : 1; /* every decoder takes it */
	uint8_t none : 2;
};

/* One micro-op of a block. */
#define P6_CONTENT_BITS 23
struct p6_place {
	uint32_t content : P6_CONTENT_BITS; /* what it is (templates.h) */
	uint32_t is_again : 1;		    /* a load of its instruction performs that, too */
	/* reference of the block that it performs, 0xff: none; of an instruction's last one,
	 * that of its store */
	uint32_t ref : 8;
};

/* An instruction for rename and the stages behind it. */
struct p6_step {
	uint8_t n_read_uop;  /* of an RDPMC: its micro-ops */
	bool is_serializing; /* waits until everything older has retired and stores are done */
	bool is_locked;
	bool is_prefetch;   /* retires without its data */
	bool reads_counter; /* RDPMC */
	uint8_t n_store;    /* stores it makes */
	/* XOR or SUB of a register with itself: what becomes known to be 0 (enum p6_zero_bits);
	 * 0: nothing */
	uint8_t known_zero;
	/* WIRE_P6_SEG_STALL_ES and on, for a renamed segment register that it writes; 0: none */
	uint8_t seg_wire;
	uint8_t n_read, n_write;
	struct p6_part read[4], write[2];
	uint8_t flags_read, flags_written; /* enum p6_flag_bits */
	int8_t x87_push;  /* change of the top of the stack: -1 push, 1 pop, 2 pops */
	uint8_t x87_swap; /* FXCH: exchanges st(0) and st(x87_swap); 0: none */
};

enum p6_flag_bits {
	P6_F_CF = 1,
	P6_F_PF = 2,
	P6_F_AF = 4,
	P6_F_ZF = 8,
	P6_F_SF = 16,
	P6_F_OF = 32,
	P6_F_ALL = 63,
	P6_F_SLOW = 64, /* written by a shift of more than one: whoever reads them waits */
};

/* What a reference is to the buffers of loads and stores. */
enum p6_role {
	P6_ROLE_LOAD = 1,  /* a load micro-op performs it */
	P6_ROLE_STORE = 2, /* it is the address of its instruction's entry in the store buffer */
};

struct p6_tblk {
	uint8_t n_step;
	/* a REP, a store without reference, what may be bogus, more questions of what is known
	 * to be 0 than there is room for: its clocks are not kept */
	bool is_odd;
	bool has_divide;    /* of the x87 */
	bool reads_counter; /* an RDPMC */
	/* time_fast.c can do it; as far as its micro-ops go the template store says so */
	bool is_fast;
	uint16_t n_uop;
	uint32_t zero_keep, zero_set; /* what it leaves of the word of time_zero.h and sets there */
	uint8_t n_zero;
	/* numbers of the bits of that word on which its clocks depend */
	uint8_t zero[P6_MAX_ZERO_ASKED];
	struct p6_code *code; /* per instruction */
	struct p6_place *uop;
	uint8_t *role; /* per reference: enum p6_role */
	/* for wrong paths */
	uint64_t pc, target, fall;
	struct p6_wrong_more
	    *more;    /* what execution needs to know; NULL but with --wrong-path loads */
	uint8_t term; /* enum x86_term */
	/* its place in the template store (templates.h) */
	uint32_t id, n_user;
	uint64_t bogus; /* p6_bogus_of() when it was made */
};

#define P6_MAX_UOPS 256u /* more than one instruction has */

/* Templates of b, of whose micro-ops number() gives the contents; bogus: what p6_bogus_of() says of
 * it. NULL when memory is out. Freed by p6_template_free(). */
typedef uint32_t p6_number(void *ctx, const struct p6_uop *u, const struct p6_step *s);
struct p6_tblk *p6_template_make(struct p6 *m, const struct x86_block *b, uint64_t bogus,
				 p6_number *number, void *ctx);
void p6_template_free(struct p6_tblk *t);

/* Templates of b, made when it is new; NULL when memory is out. */
const struct p6_tblk *p6_template(struct p6 *m, const struct x86_block *b);

/* As p6_template(), for a block that was met elsewhere first: what p6_bogus_of() said there. */
const struct p6_tblk *p6_template_of(struct p6 *m, const struct x86_block *b, uint64_t bogus);

#endif
