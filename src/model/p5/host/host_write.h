/* host_write.h -- writing the programs of steps: the writer, and the pieces that looks share.
 * Private to host*.c of this folder.
 *
 * REGISTERS of the code that is written
 *   rbx      struct p5
 *   r12      record of the block
 *   r13      step
 *   r14      room of the steps
 *   r15      the code
 *   rbp      end of the records
 *   rax      linear address, or what was seen
 *   rcx      number of a line, page or look
 *   others   scratch
 *
 * COUNTING RULES   as host.h.
 */
#ifndef SOFTPMU_MODEL_P5_HOST_WRITE_H
#define SOFTPMU_MODEL_P5_HOST_WRITE_H

#include "model/p5/host/host.h"
#include "x86/asm.h"

#define P5_MOST_COLD (2u * P5_HOST_LOOKS + 8u)

/* What slots without a branch have noted so far, not yet written. */
struct p5_noted {
	bool is_any, could_pair;
	unsigned n; /* to be added to btb.now */
	uint64_t prev_u;
};

/* A piece behind the program: a look does not see what the step says, or host code cannot tell. */
struct p5_cold {
	struct x86_label way_in;
	struct x86_label back; /* where it comes back to when it sees that nevertheless */
	enum p5_cold_kind {
		P5_COLD_SEEN,	/* what the look saw is in rax: go on to another step */
		P5_COLD_ANSWER, /* rax = saw; then as P5_COLD_SEEN */
		P5_COLD_LOOK,	/* this and the kinds below call a helper */
		P5_COLD_DATA,
		P5_COLD_CODE,
		P5_COLD_SLOT,
	} kind;
	unsigned at;	       /* number of the look */
	struct p5_noted noted; /* before it */
	uint64_t seen;	       /* what the step says */
	uint64_t saw;
	uint32_t what; /* data: enum p5_host_access; slots: enum p5_host_slot */
	/* code: a line or page of this number is looked for by that part first: 0: nothing is */
	uint32_t part, number;
	struct x86_label known; /* where it goes on when that is found */
	uint64_t from;		/* code: the unit; slots: the first address */
	uint64_t to;		/* code: what is wanted; slots: where execution goes on */
	/* slots: taken off btb.now behind it, because host code that goes on adds them itself */
	unsigned n_after;
	/* slots: is there really an entry? Keys are looked for before the helper is called,
	 * without their lowest bits */
	enum p5_doubt {
		P5_DOUBT_NONE,
		P5_DOUBT_KEYS,
		P5_DOUBT_PREV
	} doubt; /* P5_DOUBT_PREV: the key is btb.prev_u */
	uint64_t first_key, last_key;
};

struct p5_host_writer {
	struct p5 *m;
	struct x86_asm a;
	const struct p5_run *x;
	const struct p5_act *act;
	unsigned n_act;
	struct p5_noted noted;
	bool knows_prev; /* btb.prev_u, written or noted, is prev_u */
	uint64_t prev_u;
	bool knows_page; /* itlb.last_vpn */
	uint64_t page;
	/* the look notes a boundary, which was done with an earlier one */
	bool is_noted[P5_HOST_LOOKS];
	unsigned n_cold;
	struct p5_cold cold[P5_MOST_COLD]; /* the last: not cleared before */
};

/* ---- host_write.c ---------------------------------------------------------------------------- */

/* At the end of the code written so far. */
static inline struct x86_asm p5_host_assembler(struct p5 *m)
{
	return (struct x86_asm){&m->host.out, m, false};
}

/* Does x fit a signed immediate of 32 bits? */
static inline bool p5_is_imm32(uint64_t x)
{
	return (uint64_t)(int64_t)(int32_t)x == x;
}

/* What was noted of slots is written now. */
void p5_write_settle(struct p5_host_writer *w);

/* Look `at` in full, whatever it sees. */
void p5_write_in_full(struct p5_host_writer *w, unsigned at);

/* Have a helper do the look of c, and go where it says when it sees something else; data: its
 * address is in rax. What was noted must be settled for slots. */
void p5_write_ask(struct p5_host_writer *w, struct p5_cold *c);

/* Call that part; ecx = number. */
void p5_write_call(struct p5_host_writer *w, uint32_t part, uint32_t number);

/* A new piece behind the program for look `at`; a jump to it; where it comes back to: here. */
struct p5_cold *p5_write_new_cold(struct p5_host_writer *w, enum p5_cold_kind kind, unsigned at);
void p5_write_jcc_cold(struct p5_host_writer *w, struct p5_cold *c, enum x86_cc cc);
void p5_write_come_back(struct p5_host_writer *w, struct p5_cold *c);

/* A field of the BTB's entry whose address is in rcx. */
#define ENTRY(field) MEM(RCX, offsetof(struct p5_btb_entry, field))

/* ---- host_slot.c, host_bank.c ---------------------------------------------------------------- */

/* rcx = where the entry of `key` was the last time: any entry, whose key tells. */
void p5_write_hinted(struct p5_host_writer *w, uint64_t key);

/* Nothing in the map of the BTB answers for n keys from `first` on. */
void p5_write_map_bits(struct p5_host_writer *w, struct p5_cold *c, uint64_t first, unsigned n);

/* Slot s, which is asked for by c otherwise, when it saw that and the BTB of the Pentium with
 * MMX knows its branch. Returns false: it cannot be written so, and nothing was. */
bool p5_write_known_branch(struct p5_host_writer *w, const struct p5_slot *s, struct p5_cold *c,
			   uint64_t seen);

/* ---- host_look.c, host_slot.c: look `at` of the step ----------------------------------------- */

void p5_write_data(struct p5_host_writer *w, unsigned at);
void p5_write_code(struct p5_host_writer *w, unsigned at);
void p5_write_marks(struct p5_host_writer *w, unsigned at);
void p5_write_note(struct p5_host_writer *w, unsigned at);
void p5_write_bank(struct p5_host_writer *w, unsigned at);
void p5_write_pass(struct p5_host_writer *w, unsigned at);
void p5_write_slot(struct p5_host_writer *w, unsigned at);

#endif
