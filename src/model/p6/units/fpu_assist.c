/* fpu_assist.c -- unit fpu: operand classes, or which x87 and SSE instructions needed the
 * microcode's help.
 *
 * The stream says per instruction which flags it raised and what it stored (src/x86/assist.c); it
 * does so only when fpu.assist is asked for.
 *
 * COUNTING RULES   one per instruction with a denormal operand, a masked denormal result, or a
 *                  masked stack fault; NaN and infinity need no help. SSE results that are flushed
 *                  to zero (FTZ) are none.
 * NOT MODELLED     micro-ops and operations of the handler; speculative ones.
 * SOURCES          Intel 242816-003 table 7-2; list of causes chosen, docs/MODELS.md "fpu".
 */
#include "model/p6/p6.h"
#include "model/p6/units/fpu.h"

#define FLAG_DE	  0x02u
#define FLAG_UE	  0x10u
#define FSW_SF	  0x40u
#define FSW_ES	  0x80u /* an exception that is not masked: nothing was done */
#define MXCSR_FTZ 0x8000u

static bool is_denormal_single(uint32_t v)
{
	return !(v & 0x7f800000u) && v & 0x007fffffu;
}

static bool is_denormal_double(uint64_t v)
{
	return !(v & 0x7ff0000000000000u) && v & 0x000fffffffffffffu;
}

/* Does slot k of b say that its instruction was helped? *off: exceptions of which nothing came. */
static bool is_helped(const struct x86_block *b, unsigned k, uint64_t v, bool *off)
{
	const struct x86_slot *s = &b->slot[k];

	switch (s->kind) {
	case X86_SLOT_FSW_AFTER:
		*off = v & FSW_ES;
		return v & (FLAG_DE | FLAG_UE | FSW_SF) && !*off;
	case X86_SLOT_MXCSR_AFTER:
		*off = v & MXCSR_FTZ;
		return v & FLAG_DE || (v & FLAG_UE && !*off);
	case X86_SLOT_MEMORY_AFTER:
		return !*off &&
		       (s->reg == 4 ? is_denormal_single((uint32_t)v) : is_denormal_double(v));
	case X86_SLOT_XMM_LOW_AFTER: /* of a scalar one element */
		if (k + 1u >= b->n_slot || s[1].kind != X86_SLOT_XMM_HIGH_AFTER)
			return !*off && is_denormal_single((uint32_t)v);
		/* fall through */
	case X86_SLOT_XMM_HIGH_AFTER:
		return !*off &&
		       (is_denormal_single((uint32_t)v) || is_denormal_single((uint32_t)(v >> 32)));
	default: return false;
	}
}

void p6_assist_count(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
		     unsigned to)
{
	unsigned counted = X86_MAX_INSNS; /* number of an instruction */
	bool off = false;

	for (unsigned k = 0; k < b->n_slot && b->slot[k].insn < to; k++) {
		if (!is_helped(b, k, reader_slot(slots, k), &off) || b->slot[k].insn == counted ||
		    b->slot[k].insn < from)
			continue;
		counted = b->slot[k].insn;
		P6_RAISE(m, FPU_ASSIST, 1);
	}
}
