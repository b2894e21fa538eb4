/* emulate32.c -- what the runtime executes for a 32-bit program: segment loads, BCD arithmetic,
 * BOUND and INTO, SGDT and SIDT, SYSENTER.
 *
 * MODELLED   results and flags as the SDM defines them; flags that it leaves undefined keep to
 *            one rule (BCD: OF 0, SF ZF PF by AL; ARPL none), so that counts do not depend on
 *            the host.
 * SOURCES    Intel SDM vol. 2: AAA AAD AAM AAS DAA DAS ARPL BOUND INTO LDS SYSENTER.
 */
#include "guest/memory/copy.h"
#include "guest/cpu/eflags.h"
#include "guest/cpu/emulate.h"
#include "guest/gst.h"
#include "guest/memory/segments.h"
#include "guest/signals/signal.h"
#include "guest/signals/trap.h"

#define SIGBUS_NUMBER 7

void gst_raise32(struct gst *g, const struct shr_exit *e, int sig, unsigned number, uint32_t err)
{
	struct gst_siginfo info = {.sig = sig, .code = 0x80 /* SI_KERNEL */};
	struct gst_trap trap = {.number = number, .err = err};

	gst_take_back(g, e->block);
	g->gs->pc = e->pc;
	if (sig == GST_SIGFPE) {
		info.code = 1; /* FPE_INTDIV */
		info.addr = e->pc;
	}
	gst_signal_force(g, &info, &trap);
}

/* Loading `selector` into a segment register failed by `how`, an answer of gst_segment_load. */
static void load_failed(struct gst *g, const struct shr_exit *e, unsigned which, uint32_t selector,
			long how)
{
	if (how == -ENXIO) /* not present */
		gst_raise32(g, e, SIGBUS_NUMBER, which == GST_SS ? TRAP_STACK : TRAP_ABSENT,
			    selector & 0xfffc);
	else
		gst_raise32(g, e, GST_SIGSEGV, TRAP_PROTECTION, selector & 0xfffc);
}

static void load_segment(struct gst *g, const struct shr_exit *e)
{
	uint32_t selector = (uint32_t)g->gs->target & 0xffff;
	long ret = gst_segment_load(g, e->reg, selector);

	if (ret) {
		load_failed(g, e, e->reg, selector, ret);
		return;
	}
	g->gs->gpr[4] = (uint32_t)(g->gs->gpr[4] + e->operand);
	/* the stack pointer is to follow: no trap before the next instruction is done */
	if (e->reg == GST_SS)
		g->t->is_trap_due &= ~GST_TRAP_PROGRAM;
}

static void load_far(struct gst *g, const struct shr_exit *e)
{
	uint32_t selector = (uint32_t)g->gs->target & 0xffff;
	uint64_t *r = &g->gs->gpr[e->reg & 7];
	long ret = gst_segment_load(g, e->operand & 255, selector);

	if (ret) {
		load_failed(g, e, e->operand & 255, selector, ret);
		return;
	}
	if (e->operand >> 8 == 2)
		*r = (*r & 0xffff0000u) | (g->gs->spill_y & 0xffff);
	else
		*r = (uint32_t)g->gs->spill_y;
}

/* SGDT and SIDT as a kernel with UMIP answers them: it hides its tables, so the values are equal on
 * every host. */
static void store_table(struct gst *g, const struct shr_exit *e)
{
	const uint32_t base = e->operand ? 0xffff0000u : 0xfffe0000u;
	uint8_t image[6] = {0};

	memcpy(image + 2, &base, sizeof(base));
	/* always this one: the kernel stores, not the processor */
	if (gst_copy_out(g->gs->target, image, sizeof(image))) {
		const struct gst_siginfo info = {
		    .sig = GST_SIGSEGV, .code = 1 /* SEGV_MAPERR */, .addr = g->gs->target};
		const struct gst_trap trap = {
		    .number = TRAP_PAGE, .err = TRAP_PAGE_USER | TRAP_PAGE_WRITE, .cr2 = info.addr};

		gst_take_back(g, e->block);
		g->gs->pc = e->pc;
		gst_signal_force(g, &info, &trap);
	}
}

static uint32_t result_flags(uint8_t al)
{
	return (al ? 0 : EFLAGS_ZF) | (al & 0x80 ? EFLAGS_SF : 0) |
	       (__builtin_parity(al) ? 0 : EFLAGS_PF);
}

struct bcd {
	uint8_t al, ah;
	uint32_t flags;
};

/* DAA and DAS: AL after adding or subtracting two packed digits. */
static void adjust_packed(struct bcd *b, int is_subtract)
{
	uint8_t old = b->al;
	int had_carry = (b->flags & EFLAGS_CF) != 0, carry = 0, half = 0;

	if ((b->al & 15) > 9 || (b->flags & EFLAGS_AF)) {
		unsigned sum = is_subtract ? b->al - 6u : b->al + 6u;

		carry = had_carry || (sum & 0x100);
		b->al = (uint8_t)sum;
		half = 1;
	}
	if (old > 0x99 || had_carry) {
		b->al = (uint8_t)(is_subtract ? b->al - 0x60 : b->al + 0x60);
		carry = 1;
	} else if (!is_subtract) {
		carry = 0;
	}
	b->flags = (carry ? EFLAGS_CF : 0) | (half ? EFLAGS_AF : 0) | result_flags(b->al);
}

/* AAA and AAS: one unpacked digit in AL, the carry goes to AH. */
static void adjust_unpacked(struct bcd *b, int is_subtract)
{
	unsigned ax = (unsigned)b->ah << 8 | b->al;
	int is_over = (b->al & 15) > 9 || (b->flags & EFLAGS_AF);

	if (is_over)
		ax = is_subtract ? ax - 0x106 : ax + 0x106;
	b->ah = (uint8_t)(ax >> 8);
	b->al = ax & 15;
	b->flags = (is_over ? EFLAGS_CF | EFLAGS_AF : 0) | result_flags(b->al);
}

static void bcd(struct gst *g, const struct shr_exit *e)
{
	uint64_t *rax = &g->gs->gpr[0];
	struct bcd b = {
	    .al = (uint8_t)*rax, .ah = (uint8_t)(*rax >> 8), .flags = (uint32_t)g->gs->rflags};

	switch (e->operand) {
	case 0x27: adjust_packed(&b, 0); break;
	case 0x2f: adjust_packed(&b, 1); break;
	case 0x37: adjust_unpacked(&b, 0); break;
	case 0x3f: adjust_unpacked(&b, 1); break;
	case 0xd4: /* AAM */
		if (!e->reg) {
			gst_raise32(g, e, GST_SIGFPE, TRAP_DIVIDE, 0);
			return;
		}
		b.ah = b.al / e->reg;
		b.al %= e->reg;
		b.flags = result_flags(b.al);
		break;
	default: /* AAD */
		b.al = (uint8_t)(b.al + b.ah * e->reg);
		b.ah = 0;
		b.flags = result_flags(b.al);
	}
	*rax = (*rax & 0xffff0000u) | (uint32_t)b.ah << 8 | b.al;
	g->gs->rflags = (g->gs->rflags & ~(uint64_t)EFLAGS_ARITHMETIC) | b.flags;
}

static int64_t signed_word(uint64_t value, unsigned bytes)
{
	return bytes == 2 ? (int16_t)value : (int32_t)value;
}

static void bound(struct gst *g, const struct shr_exit *e)
{
	int64_t index = signed_word(g->gs->gpr[e->reg & 7], e->operand);

	if (index < signed_word(g->gs->target, e->operand) ||
	    index > signed_word(g->gs->spill_y, e->operand))
		gst_raise32(g, e, GST_SIGSEGV, TRAP_BOUNDS, 0);
}

/* ARPL: raise the privilege number of the destination to that of the source. */
static void arpl(struct gst *g, const struct shr_exit *e)
{
	struct shr_gs *gs = g->gs;
	uint64_t *r = &gs->gpr[(e->operand - 256u) & 7];
	uint32_t rpl = (uint32_t)gs->gpr[e->reg & 7] & 3;
	uint16_t word;

	if (e->operand >= 256) {
		word = (uint16_t)*r;
	} else if (gst_copy_in(&word, gs->target, 2)) {
		gst_raise_memory(g, e, gs->target, sizeof(word), 0);
		return;
	}
	if ((word & 3u) >= rpl) {
		gs->rflags &= ~(uint64_t)EFLAGS_ZF;
		return;
	}
	word = (uint16_t)((word & ~3u) | rpl);
	if (e->operand >= 256) {
		*r = (*r & 0xffff0000u) | word;
	} else if (gst_copy_out(gs->target, &word, sizeof(word))) {
		gst_raise_memory(g, e, gs->target, sizeof(word), GST_MEMORY_WRITE);
		return;
	}
	gs->rflags |= EFLAGS_ZF;
}

/* The kernel returns to its landing place with the stack pointer in EBP; the sixth argument lies on
 * the stack. */
static enum gst_emulated sysenter(struct gst *g, const struct shr_exit *e)
{
	struct shr_gs *gs = g->gs;
	uint32_t sixth = 0;

	gs->gpr[4] = gs->gpr[5];
	gs->pc = SHR_CALL_PAGE_32 + GST_CALL_LANDING;
	gst_ring_word(g, TRC_GO, gs->pc);
	if (gst_copy_in(&sixth, gs->gpr[5], 4)) {
		gs->gpr[0] = (uint32_t)-EFAULT;
		return GST_EMULATED;
	}
	gs->gpr[5] = sixth;
	g->t->call_block = e->block;
	return GST_EMULATED_CALL;
}

enum gst_emulated gst_emulate32(struct gst *g, const struct shr_exit *e)
{
	switch (e->insn) {
	case SHR_EMU_LOAD_SEG: load_segment(g, e); return GST_EMULATED;
	case SHR_EMU_LOAD_FAR: load_far(g, e); return GST_EMULATED;
	case SHR_EMU_FAR: gst_far(g, e); return GST_EMULATED;
	case SHR_EMU_STORE_TABLE: store_table(g, e); return GST_EMULATED;
	case SHR_EMU_XSAVE: gst_xsave32(g, e); return GST_EMULATED;
	case SHR_EMU_STRING: gst_string32(g, e); return GST_EMULATED;
	case SHR_EMU_SYSENTER: return sysenter(g, e);
	case SHR_EMU_BCD: bcd(g, e); return GST_EMULATED;
	case SHR_EMU_BOUND: bound(g, e); return GST_EMULATED;
	case SHR_EMU_INTO:
		if (g->gs->rflags & EFLAGS_OF)
			gst_signal_trap(g, GST_SIGSEGV, TRAP_OVERFLOW);
		return GST_EMULATED;
	case SHR_EMU_ARPL: arpl(g, e); return GST_EMULATED;
	}
	return GST_NOT_EMULATED;
}
