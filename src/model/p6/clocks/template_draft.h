/* template_draft.h -- an instruction while its micro-ops are written. Private to template*.c. */
#ifndef SOFTPMU_MODEL_P6_TEMPLATE_DRAFT_H
#define SOFTPMU_MODEL_P6_TEMPLATE_DRAFT_H

#include "model/p6/p6.h"
#include "model/p6/units/retire.h"
#include "x86/facts.h"
#include "x86/registers.h"

#define P6_NO_REF 0xff /* of a micro-op */

/* m, b, in, i, bogus, room, and where to write: code, step, uop, ref are set by template.c; the
 * rest is 0 then. */
struct p6_draft {
	struct p6 *m;
	const struct x86_block *b;
	const struct x86_insn *in;
	unsigned i;
	uint64_t bogus;	  /* p6_bogus_of() */
	const char *name; /* of its mnemonic */
	uint32_t kinds;	  /* of its mnemonic: P6_K_* (p6_mnemonic()) */
	struct x86_facts facts;
	struct x86_registers regs;
	struct p6_split split;
	struct cat_p6_timing timing;
	struct p6_code *code;
	struct p6_step *step;
	struct p6_uop *uop; /* of this instruction, */
	uint8_t *ref;	    /* and their references */
	unsigned n, room;
	struct p6_uop spare;		      /* beyond the room */
	uint8_t spare_ref, *last_ref;	      /* of the micro-op added last */
	uint8_t address[P6_U_SRC], n_address; /* sources */
	uint8_t data[P6_U_SRC], n_data;
	uint8_t dst[P6_U_DST], n_dst;
	unsigned last_load, last_exec; /* position + 1; 0: none */
};

/* Write the micro-ops of d->in, d->n of them, and all that rename and the decoders must know
 * (template_uops.c). */
void p6_draft_insn(struct p6_draft *d);

/* The latter: what the instruction does to parts of registers and flags, how long its decoding
 * takes (template_step.c). */
void p6_draft_step(struct p6_draft *d);

/* Is it a prefetch that touches memory? (template_uops.c) */
bool p6_draft_prefetches(const struct p6_draft *d);

/* FDIV, FIDIV and the like, whose clocks depend on the control word. */
bool p6_draft_is_x87_divide(const struct p6_draft *d);

#endif
