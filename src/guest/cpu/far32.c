/* far32.c -- far calls, jumps and returns, and IRET, of a 32-bit program among its own code
 * segments.
 *
 * COUNTING RULES   the instruction is in its block's record already; one that faults is taken
 *                  back.
 * MODELLED         the kernel's code segment and flat 32-bit ones of the LDT; 16-bit operands;
 *                  #GP for selectors that name no code, and for a return to another privilege.
 * NOT MODELLED     other segments (gst_segment_is_code ends the run with a sentence); gates and
 *                  tasks: no selector that a program has names one.
 * SOURCES          Intel SDM vol. 2: CALL, JMP, RET, IRET.
 */
#include "guest/memory/copy.h"
#include "guest/cpu/emulate.h"
#include "guest/cpu/prefix.h"
#include "guest/gst.h"
#include "guest/memory/segments.h"
#include "guest/signals/signal.h"
#include "guest/signals/trap.h"

#define MOST_BYTES 15u

enum { FAR_CALL, FAR_JUMP, FAR_RETURN, FAR_IRET };

struct far {
	int kind;
	unsigned bytes; /* of an operand: 2 or 4 */
	uint32_t selector, offset;
	uint32_t extra; /* RET n */
};

/* Decode the far transfer at e->pc. Returns 0, or -EFAULT if it is no longer mapped. */
static int read_insn(struct gst *g, const struct shr_exit *e, struct far *f)
{
	uint8_t code[MOST_BYTES + 8] = {0}, *p = code;

	if (gst_copy_in(code, e->pc, e->bytes < MOST_BYTES ? e->bytes : MOST_BYTES))
		return -EFAULT;
	*f = (struct far){.bytes = 4};
	for (; gst_is_prefix(*p) && p < code + MOST_BYTES; p++)
		if (*p == 0x66)
			f->bytes = 2;
	switch (*p) {
	case 0x9a:
	case 0xea: /* ptr16:16, ptr16:32 */
		f->kind = *p == 0x9a ? FAR_CALL : FAR_JUMP;
		memcpy(&f->offset, p + 1, f->bytes);
		memcpy(&f->selector, p + 1 + f->bytes, 2);
		return 0;
	case 0xff: /* /3 and /5 */
		f->kind = (p[1] >> 3 & 7) == 3 ? FAR_CALL : FAR_JUMP;
		f->offset = (uint32_t)g->gs->spill_y;
		f->selector = (uint32_t)g->gs->target & 0xffff;
		return 0;
	case 0xca:
		memcpy(&f->extra, p + 1, 2);
		/* fall through */
	case 0xcb: f->kind = FAR_RETURN; return 0;
	default: /* CF */ f->kind = FAR_IRET; return 0;
	}
}

/* Returns 1 if control may go to `selector`. Else raises the processor's exception and returns
 * 0. */
static int is_target(struct gst *g, const struct shr_exit *e, const struct far *f)
{
	if (f->selector & ~3u) {
		if (gst_segment_is_code(g, f->selector) &&
		    (f->kind < FAR_RETURN || (f->selector & 3) == 3))
			return 1;
	}
	gst_raise32(g, e, GST_SIGSEGV, TRAP_PROTECTION, f->selector & 0xfffc);
	return 0;
}

/* n words from the stack. */
static int pop(struct gst *g, const struct shr_exit *e, const struct far *f, uint32_t *word,
	       unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const uint32_t at = (uint32_t)g->gs->gpr[4] + i * f->bytes;

		word[i] = 0;
		if (gst_copy_in(&word[i], at, f->bytes)) {
			gst_raise_memory(g, e, at, f->bytes, GST_MEMORY_STACK);
			return 0;
		}
	}
	return 1;
}

static int push_return(struct gst *g, const struct shr_exit *e, const struct far *f)
{
	const uint32_t word[2] = {(uint32_t)e->pc + e->bytes, g->gs->selector[GST_CS]};
	uint32_t at = (uint32_t)g->gs->gpr[4];

	for (unsigned i = 2; i-- > 0;) {
		at -= f->bytes;
		if (gst_copy_out(at, &word[i], f->bytes)) {
			gst_raise_memory(g, e, at, f->bytes, GST_MEMORY_STACK | GST_MEMORY_WRITE);
			return 0;
		}
	}
	g->gs->gpr[4] = at;
	return 1;
}

static void iret_flags(struct gst *g, uint32_t value, unsigned bytes)
{
	const uint64_t mask = bytes == 2 ? EFLAGS_POPPED & 0xffff : EFLAGS_POPPED;

	gst_set_flags(g, (gst_get_flags(g) & ~mask) | (value & mask) | EFLAGS_ONE);
}

void gst_far(struct gst *g, const struct shr_exit *e)
{
	uint32_t word[3];
	struct far f;

	if (read_insn(g, e, &f)) {
		gst_raise_memory(g, e, e->pc, e->bytes, 0);
		return;
	}
	if (f.kind == FAR_IRET && (gst_get_flags(g) & EFLAGS_NT)) { /* to another task */
		gst_raise32(g, e, GST_SIGSEGV, TRAP_TASK, 0);
		return;
	}
	if (f.kind >= FAR_RETURN) {
		if (!pop(g, e, &f, word, f.kind == FAR_IRET ? 3 : 2))
			return;
		f.offset = word[0];
		f.selector = word[1] & 0xffff;
	}
	if (!is_target(g, e, &f) || (f.kind == FAR_CALL && !push_return(g, e, &f)))
		return;
	if (f.kind == FAR_IRET)
		iret_flags(g, word[2], f.bytes);
	if (f.kind >= FAR_RETURN)
		g->gs->gpr[4] =
		    (uint32_t)(g->gs->gpr[4] + f.bytes * (f.kind == FAR_IRET ? 3 : 2) + f.extra);
	g->gs->selector[GST_CS] = (uint16_t)(f.selector | 3);
	g->gs->pc = f.offset;
	gst_ring_word(g, TRC_GO, g->gs->pc);
}
