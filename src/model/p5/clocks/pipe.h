/* pipe.h -- instructions as the pipes see them, and the state of pairing, decoding, x87 and MMX in
 * time.
 *
 * op.c compiles struct x86_block into struct p5_code; pipe.c sends the instructions down the pipes,
 * asking pair.c (may the second go with the first?), d1.c (when are they decoded?) and the time
 * parts of fpu.c and mmx.c.
 *
 * CLOCKS           as time.h. D1 clocks are such that an instruction in D1 at clock c, which
 *                  nothing holds, is in D2 at c + 1 and enters EX at c + 2.
 */
#ifndef SOFTPMU_MODEL_P5_PIPE_H
#define SOFTPMU_MODEL_P5_PIPE_H

#include <stdbool.h>
#include <stdint.h>

struct p5;
struct p5_ref;
struct p5_slot;
struct x86_block;

/* Address bits that choose the bank of L1D. */
#define P5_BANK_MASK 0x1cu

/* Blocks that are kept when the store of blocks is cleared: the one that waits for its outcome, and
 * that of an instruction which waits for a partner. */
#define P5_N_KEPT 2u

/* From D1 to EX, when nothing holds. */
#define P5_D1_TO_EX 2u

enum p5_op_flag {
	P5_OP_MEMORY = 1 << 0, /* has a data operand in memory, the stack's included */
	P5_OP_X87 = 1 << 1,
	P5_OP_MMX = 1 << 2,
	P5_OP_MMX_U = 1 << 3,	/* MMX that touches memory or a general register */
	P5_OP_INT_MUL = 1 << 4, /* executes in the multiplier of the x87 unit */
	P5_OP_REP = 1 << 5,
	P5_OP_DIV = 1 << 6, /* x87 divide: clocks by precision control */
	P5_OP_FMUL = 1 << 7,
	P5_OP_STATUS = 1 << 8,	  /* FNSTSW */
	P5_OP_MMX_STORE = 1 << 9, /* stores an MMX register to memory or a general register */
	P5_OP_MMX_MUL = 1 << 10,
	P5_OP_SYNC = 1 << 11, /* waits for all x87 operations */
	P5_OP_ALONE_IN_F =
	    1 << 12, /* nothing is pushed with it into the queue of the Pentium with MMX */
	P5_OP_ORDER = 1 << 13, /* as P5_B_ORDER: done by p5_run_insn() */
	P5_OP_REX = 1 << 14,   /* a REX prefix, which a Pentium has not, is not among its `bytes` */
	P5_OP_UNUSUAL = P5_OP_REP | P5_OP_ORDER | P5_OP_X87 | P5_OP_MMX,
};

/* Which operand, as the record has them, an x87 division divides by. */
enum p5_divisor { P5_DIVISOR_NONE, P5_DIVISOR_FIRST, P5_DIVISOR_SECOND };

/* What operand values say of one execution of an x87 instruction: bits of p5_fpu_facts(). Timing
 * depends on them and on no other value. */
enum p5_fpu_fact {
	P5_FACT_PRECISION = 3, /* of the control word: 0 24 bits, 1 53, 2 64 */
	P5_FACT_UNSAFE = 4,    /* it might raise an exception */
};

/* One instruction. */
struct p5_op {
	uint16_t reads, writes; /* general registers, for pairing */
	uint16_t address; /* registers that form its address, the implicit stack pointer included */
	/* registers that it writes and that are not there for the address of the next clock */
	uint16_t late;
	uint16_t clk;	  /* in EX; REP: without the elements */
	uint16_t flags;	  /* enum p5_op_flag */
	uint8_t per_item; /* REP: clocks per element */
	uint8_t bytes;
	uint8_t bare; /* bytes without prefixes */
	uint8_t pair; /* enum cat_pair */
	uint8_t why_u,
	    why_v; /* why it cannot be the first, the second of a pair (enum p5_why); 0: it can */
	uint8_t stack;	    /* enum x86_stack, of forms that pair with their like; else 0 */
	uint8_t decode_clk; /* prefixes: extra clocks in D1 (Pentium) or F (with MMX) */
	uint8_t write_clk; /* clocks from its first access to its last: 2 for a read-modify-write */
	uint8_t branch;	   /* enum p5_branch_kind */
	uint8_t ref, n_ref;  /* its references in the block */
	uint8_t first, last; /* enum p5_access of its first and last access */
	uint8_t first_ref;   /* in struct p5_code */
	/* x87 */
	uint8_t x87; /* enum x86_x87 */
	int8_t push;
	uint8_t st_read, st_written;
	uint8_t over_int, over_fp;
	/* slot of its operand values, P5_NO_SLOT when the record has none: p5_fpu_facts() */
	uint8_t fact;
	uint8_t divisor; /* enum p5_divisor */
	/* MMX */
	uint8_t mm_read, mm_written;
};

/* All bytes that it has in memory. */
static inline unsigned p5_op_length(const struct p5_op *op)
{
	return op->bytes + (op->flags & P5_OP_REX ? 1u : 0u);
}

/* The instructions of a block. */
struct p5_code {
	const struct x86_block *block;
	struct p5_ref *ref; /* as struct p5_blk has them */
	uint8_t n_ref;
	bool has_order;	 /* an instruction has P5_OP_ORDER */
	bool was_marked; /* all its boundaries were known when icache.changes was marked_at */
	uint32_t marked_at;
	uint32_t n_visit; /* executions, but for those by host code */
	/* for memo.c: see P5_MEMO_VAIN; how often the state before it was to be looked for since */
	uint8_t n_vain, n_asked;
	struct p5_op op[];
};

/* An instruction on its way: fetched, perhaps looked at as a partner, not issued. */
struct p5_fly {
	const struct p5_op *op; /* NULL: none */
	const struct x86_block *block;
	const struct p5_code *code; /* of the block */
	const uint8_t *slots;
	uint64_t pc;
	uint64_t next;	    /* where execution goes behind a branch */
	uint64_t ready_clk; /* the first clock in which D1 can have it */
	uint32_t context;   /* whose it is, with a ledger that keeps contexts */
	uint8_t insn;
	uint8_t bytes; /* all of it, in memory */
	bool is_taken;
	bool is_fetched; /* ready_clk is known */
	bool is_asked;	 /* is_marked is known, even if it must be fetched again */
	bool is_marked;	 /* its boundaries were known when its block began */
};

/* A slot on its way. */
struct p5_issue {
	const struct p5_fly *u, *v;   /* v NULL: u goes alone */
	const struct p5_op *exchange; /* v, an FXCH */
	unsigned refused;	      /* why the next instruction is not v */
	unsigned u_missed;	      /* enum p5_missed */
	bool has_conflict;	      /* both want one bank */
	uint64_t ex_clk, u_end, v_end;
	uint64_t v_clk;			/* v begins so much later */
	uint64_t v_agi_clk, v_bank_clk; /* of time.wait: what V waited for */
};

/* A slot of which the second half did not come yet, or (not is_pair) which is over: what is known
 * of the instruction behind it. */
struct p5_begun {
	bool is_on, is_pair;
	bool has_marks; /* time.marks are those of v's block */
	struct p5_fly u, v;
	struct p5_issue slot;
};

/* ---- state, all clocks relative to now ------------------------------------------------------- */

/* Units core and d1: the last slot. */
struct p5_stages {
	uint64_t d2_clk;   /* it entered D2 and left D1 */
	uint64_t ex_clk;   /* it entered EX and left D2 */
	uint64_t late_clk; /* its EX was over */
	uint16_t late;	   /* registers that it wrote in its last clock */
	/* the FIFO of the Pentium with MMX: what F did, and when D1 took what */
	uint64_t push_clk;
	uint64_t taken_clk[4]; /* by instruction number modulo 4 */
	uint8_t n_pushed;      /* modulo 4 */
	uint8_t n_taken;       /* modulo 4 */
	bool may_share; /* one instruction was pushed at push_clk, and another may go with it */
	/* the last slot was issued from single_clk, alone because D1 had nothing else */
	bool was_single;
	uint64_t single_clk;
};

struct p5_fpu_time {
	uint64_t ready_clk[8];	/* physical stack registers: arithmetic may use them */
	uint64_t free_clk;	/* the next x87 instruction may enter EX */
	uint64_t mul_clk;	/* the next multiply */
	uint64_t done_clk;	/* every operation is over */
	uint64_t status_clk;	/* the status word is up to date */
	uint64_t exchanged_clk; /* an FXCH went down V in the slot that ended then */
	uint64_t
	    unsafe_clk; /* it is known that the last operation that was not safe raised nothing */
	uint8_t top;
	bool is_exchange_unsafe; /* the operation beside that FXCH was not safe */
};

struct p5_mmx_time {
	uint64_t ready_clk[8];
	uint8_t by_mul; /* bit per register: a multiply writes it */
};

/* ---- op.c ------------------------------------------------------------------------------------ */

/* The instructions of b, compiled now when they are new. NULL when memory is out. */
struct p5_code *p5_code_of(struct p5 *m, const struct x86_block *b);

/* As p5_code_of(), for a block that is not in the model's store; the caller frees it. */
struct p5_code *p5_code_new(struct p5 *m, const struct x86_block *b);

/* Drop all compiled code. */
void p5_code_forget(struct p5 *m);

/* ---- pair.c ---------------------------------------------------------------------------------- */

/* Why v cannot go down V beside u (enum p5_why), by the rules in the order of the manual; 0: it
 * can. Where v's bytes are, and whether boundaries are known, is not looked at. */
unsigned p5_pair_refused(const struct p5 *m, const struct p5_op *u, const struct p5_op *v);

/* Clocks between the start of u and that of v in a pair: u's accesses but the last, and one more
 * when both want the same bank of L1D; *has_conflict says so. u_clk: clocks that u's accesses
 * waited. */
unsigned p5_pair_v_clk(struct p5 *m, const struct p5_fly *u, const struct p5_fly *v,
		       bool *has_conflict);

/* ---- d1.c ------------------------------------------------------------------------------------ */

/* Fetch f, once: ready_clk, is_marked. */
void p5_d1_fetch(struct p5 *m, struct p5_fly *f);

/* The clock in which D1 has decoded u, prefixes included, and could send it on. u is fetched. */
uint64_t p5_d1_done(const struct p5 *m, const struct p5_fly *u);

/* u, and v unless NULL, leave D1: the clock in which they may enter EX as far as the stages before
 * it are concerned. Counts starvation. */
uint64_t p5_d1_issue(struct p5 *m, const struct p5_fly *u, const struct p5_fly *v);

/* A slot was in EX from ex_clk to end_clk; registers `late` were written in its last clock. */
void p5_d1_executed(struct p5 *m, uint64_t ex_clk, uint64_t end_clk, uint16_t late);

/* What was decoded behind the last slot is thrown away; the next slot may enter EX at clk. */
void p5_d1_flush(struct p5 *m, uint64_t clk);

/* ---- fpu.c, mmx.c: time ---------------------------------------------------------------------- */

/* The first clock >= ex_clk in which u may enter EX as far as the x87 unit is concerned; waits are
 * counted. */
uint64_t p5_fpu_wait(struct p5 *m, const struct p5_op *u, uint64_t ex_clk);

/* enum p5_fpu_fact bits of one execution of op; slots: of its record. Without operand values in the
 * record: safe, 64 bits. What is kept of a block's timing must be kept by these bits of its
 * instructions, too. */
unsigned p5_fpu_facts(const struct p5 *m, const struct p5_op *op, const struct x86_block *b,
		      const uint8_t *slots);

/* u enters EX at ex_clk, with FXCH v in V unless NULL; facts: as above. Returns its clocks in EX.
 */
unsigned p5_fpu_execute(struct p5 *m, const struct p5_op *u, const struct p5_op *v, unsigned facts,
			uint64_t ex_clk);

/* As p5_fpu_wait() for MMX registers and the change from x87; v NULL: none. */
uint64_t p5_mmx_wait(struct p5 *m, const struct p5_op *u, const struct p5_op *v, uint64_t ex_clk);

/* op enters EX at ex_clk: its registers. */
void p5_mmx_execute(struct p5 *m, const struct p5_op *op, uint64_t ex_clk);

#endif
