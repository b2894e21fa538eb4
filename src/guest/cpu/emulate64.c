/* emulate64.c -- what the runtime executes for a 64-bit program: selectors in FS and GS, far
 * transfers.
 *
 * MODELLED         null selectors, which clear the base as on Intel's processors, and the
 *                  kernel's flat segments; what stores and pushes a selector; far calls, jumps
 *                  and returns, and IRET, that stay in 64-bit code. #GP for selectors that name
 *                  nothing.
 * NOT MODELLED     32-bit code in a 64-bit program (the run ends with a sentence); descriptors
 *                  of the program's own: it cannot have any, set_thread_area and modify_ldt are
 *                  not there.
 * SOURCES          Intel SDM vol. 2: CALL, IRET, JMP, LFS, MOV, POP, PUSH, RET; vol. 3, 3.4.4.
 */
#include "guest/memory/copy.h"
#include "guest/cpu/emulate.h"
#include "guest/gst.h"
#include "guest/memory/segments.h"
#include "guest/signals/signal.h"
#include "guest/signals/trap.h"

#define MOST_BYTES 15u

enum { RSP = 4, R15 = 15 };
enum { FAR_CALL, FAR_JUMP, FAR_RETURN, FAR_IRET };

static uint64_t *reg(struct gst *g, unsigned n)
{
	return n == R15 ? &g->gs->guest_r15 : &g->gs->gpr[n & 15];
}

/* The memory at `at` cannot be reached: the instruction has not happened. */
static int fault(struct gst *g, const struct shr_exit *e, uint64_t at, unsigned bytes, unsigned how)
{
	gst_raise_memory(g, e, at, bytes, how);
	return 0;
}

static int protect(struct gst *g, const struct shr_exit *e, uint32_t err)
{
	gst_raise32(g, e, GST_SIGSEGV, TRAP_PROTECTION, err & 0xfffc);
	return 0;
}

/* By which segment the memory operand goes: GST_MEMORY_STACK or 0. */
static unsigned segment_of(const struct shr_exit *e)
{
	return e->resume == SHR_RELATIVE_STACK ? GST_MEMORY_STACK : 0;
}

static int get_operand(struct gst *g, const struct shr_exit *e, void *to, uint64_t at,
		       unsigned bytes, unsigned how)
{
	return gst_copy_in(to, at, bytes) ? fault(g, e, at, bytes, how) : 1;
}

static int put_operand(struct gst *g, const struct shr_exit *e, uint64_t at, const void *from,
		       unsigned bytes, unsigned how)
{
	return gst_copy_out(at, from, bytes) ? fault(g, e, at, bytes, how | GST_MEMORY_WRITE) : 1;
}

/* A branch to `to`, which is an address or raises #GP. */
static int is_address(struct gst *g, const struct shr_exit *e, uint64_t to)
{
	return gst_is_canonical(to) ? 1 : protect(g, e, 0);
}

/* FS or GS = selector. Returns 0 when that raises an exception. */
static int load(struct gst *g, const struct shr_exit *e, unsigned which, uint32_t selector)
{
	if (gst_segment_load(g, which, selector))
		return protect(g, e, selector);
	if (which == GST_FS)
		gst_set_fs(g, 0);
	else
		g->gs->gs_base = 0;
	return 1;
}

static void load_segment(struct gst *g, const struct shr_exit *e)
{
	const unsigned popped = e->operand & SHR_SEG_STACK ? e->operand - SHR_SEG_STACK : 0;
	uint16_t selector = (uint16_t)g->gs->target;
	uint64_t word = 0;

	if (popped) {
		if (!get_operand(g, e, &word, *reg(g, RSP), popped, GST_MEMORY_STACK))
			return;
		selector = (uint16_t)word;
	} else if (e->operand == SHR_SEG_MEMORY) {
		if (!get_operand(g, e, &selector, gst_operand_address(g, e), sizeof(selector),
				 segment_of(e)))
			return;
	}
	if (load(g, e, e->reg, selector))
		*reg(g, RSP) += popped;
}

static void put_reg(struct gst *g, unsigned n, uint64_t value, unsigned bytes)
{
	uint64_t *r = reg(g, n);

	*r = bytes == 2	  ? (*r & ~0xffffull) | (uint16_t)value
	     : bytes == 4 ? (uint32_t)value
			  : value;
}

static void load_far(struct gst *g, const struct shr_exit *e)
{
	const uint64_t at = gst_operand_address(g, e);
	const unsigned bytes = e->operand >> 8;
	uint64_t offset = 0;
	uint16_t selector;

	if (get_operand(g, e, &offset, at, bytes, segment_of(e)) &&
	    get_operand(g, e, &selector, at + bytes, sizeof(selector), segment_of(e)) &&
	    load(g, e, e->operand & 255, selector))
		put_reg(g, e->reg, offset, bytes);
}

static void store_segment(struct gst *g, const struct shr_exit *e)
{
	const uint64_t value = g->gs->selector[e->operand & 7];
	const unsigned how = e->operand >> 8;

	if (how & SHR_SEG_STACK) {
		if (put_operand(g, e, *reg(g, RSP) - (how - SHR_SEG_STACK), &value,
				how - SHR_SEG_STACK, GST_MEMORY_STACK))
			*reg(g, RSP) -= how - SHR_SEG_STACK;
	} else if (how) {
		put_reg(g, e->reg, value, how);
	} else {
		put_operand(g, e, gst_operand_address(g, e), &value, 2, segment_of(e));
	}
}

/* ---- far transfers --------------------------------------------------------------------------- */

struct far {
	int kind;
	unsigned bytes;	  /* of an operand: 2, 4 or 8 */
	uint64_t extra;	  /* RET n */
	uint64_t word[5]; /* popped words, or the pointer's: offset, selector, flags, RSP, SS */
};

/* Decode the far transfer at e->pc, and read where it leads. Returns 0 if a part of it, or of its
 * operand, is not mapped. */
static int read_far(struct gst *g, const struct shr_exit *e, struct far *f)
{
	uint8_t code[MOST_BYTES + 3] = {0}, *p = code;
	unsigned n = 2;

	*f = (struct far){.bytes = e->operand};
	if (!get_operand(g, e, code, e->pc, e->bytes < MOST_BYTES ? e->bytes : MOST_BYTES, 0))
		return 0;
	while (p < code + MOST_BYTES && *p != 0xff && *p != 0xca && *p != 0xcb && *p != 0xcf)
		p++; /* prefixes, none of which looks like one of these */
	if (*p == 0xff) {
		const uint64_t at = gst_operand_address(g, e);

		f->kind = (p[1] >> 3 & 7) == 3 ? FAR_CALL : FAR_JUMP;
		return get_operand(g, e, &f->word[0], at, f->bytes, segment_of(e)) &&
		       get_operand(g, e, &f->word[1], at + f->bytes, 2, segment_of(e));
	}
	f->kind = *p == 0xcf ? FAR_IRET : FAR_RETURN;
	if (*p == 0xca)
		f->extra = p[1] | (uint64_t)p[2] << 8;
	if (f->kind == FAR_IRET)
		n = 5;
	for (unsigned i = 0; i < n; i++)
		if (!get_operand(g, e, &f->word[i], *reg(g, RSP) + i * f->bytes, f->bytes,
				 GST_MEMORY_STACK))
			return 0;
	return 1;
}

static void far(struct gst *g, const struct shr_exit *e)
{
	uint32_t selector;
	struct far f;

	if (!read_far(g, e, &f))
		return;
	selector = (uint16_t)f.word[1];
	if ((selector | 3u) == GST_CODE_SELECTOR)
		gst_refuse(g,
			   "the program changes from 64-bit to 32-bit code, which softpmu does "
			   "not support",
			   NULL);
	if ((selector | 3u) != GST_CODE_64 || (f.kind >= FAR_RETURN && (selector & 3) != 3)) {
		protect(g, e, selector);
		return;
	}
	if (f.kind == FAR_IRET && (uint16_t)f.word[4] != GST_DATA_SELECTOR) {
		protect(g, e, (uint16_t)f.word[4]);
		return;
	}
	if (!is_address(g, e, f.word[0]))
		return;
	if (f.kind == FAR_CALL) {
		const uint64_t back = e->pc + e->bytes, code = GST_CODE_64,
			       sp = *reg(g, RSP) - 2 * f.bytes;

		if (!put_operand(g, e, sp + f.bytes, &code, f.bytes, GST_MEMORY_STACK) ||
		    !put_operand(g, e, sp, &back, f.bytes, GST_MEMORY_STACK))
			return;
		*reg(g, RSP) = sp;
	} else if (f.kind == FAR_RETURN) {
		*reg(g, RSP) += 2 * f.bytes + f.extra;
	} else if (f.kind == FAR_IRET) {
		const uint64_t mask = f.bytes == 2 ? EFLAGS_POPPED & 0xffff : EFLAGS_POPPED;

		gst_set_flags(g, (gst_get_flags(g) & ~mask) | (f.word[2] & mask) | EFLAGS_ONE);
		*reg(g, RSP) = f.word[3];
	}
	g->gs->pc = f.word[0];
	gst_ring_word(g, TRC_GO, g->gs->pc);
}

enum gst_emulated gst_emulate64(struct gst *g, const struct shr_exit *e)
{
	switch (e->insn) {
	case SHR_EMU_LOAD_SEG: load_segment(g, e); return GST_EMULATED;
	case SHR_EMU_LOAD_FAR: load_far(g, e); return GST_EMULATED;
	case SHR_EMU_STORE_SEG: store_segment(g, e); return GST_EMULATED;
	case SHR_EMU_FAR: far(g, e); return GST_EMULATED;
	}
	return GST_NOT_EMULATED;
}
