/* string32.c -- string instructions and masked moves of a 32-bit program that 64-bit code cannot
 * do in place: 16-bit addresses, sources relative to FS or GS, null segments.
 *
 * COUNTING RULES   the instruction is in its block's record already; one that faults is taken
 *                  back, and what it did before the fault stays in ESI, EDI and ECX.
 * MODELLED         MOVS CMPS STOS LODS SCAS with and without REP; MASKMOVQ, MASKMOVDQU and
 *                  VMASKMOVDQU.
 * NOT MODELLED     an interrupt between two elements: signals wait until all are done.
 * SOURCES          Intel SDM vol. 2: the instructions, REP; vol. 3, 6.15 for the error codes.
 */
#include "guest/memory/copy.h"
#include "guest/cpu/eflags.h"
#include "guest/cpu/emulate.h"
#include "guest/gst.h"
#include "guest/stream/ring.h"
#include "guest/memory/segments.h"
#include "guest/signals/signal.h"
#include "guest/signals/trap.h"

#define MOST_BYTES 15u

#define FXSAVE_ST  32u
#define FXSAVE_XMM 160u

enum { RAX = 0, RCX = 1, RSI = 6, RDI = 7 };
enum { REPNE = 0xf2, REPE = 0xf3 };

struct string {
	const struct shr_exit *e;
	unsigned opcode;  /* its lowest bit is 0 */
	unsigned bytes;	  /* of an element */
	unsigned rep;	  /* 0, REPNE, REPE */
	unsigned segment; /* of the source; enum gst_segment */
	uint32_t mask;	  /* of addresses and the count */
	uint8_t modrm;	  /* masked moves */
	int is_xmm;
};

static int is_masked_move(const struct string *s)
{
	return s->opcode == 0xf6;
}

/* Decode the string instruction at e->pc. Returns 0, or -EFAULT if it is no longer mapped. */
static int read_insn(const struct shr_exit *e, struct string *s)
{
	static const uint8_t segment[6][2] = {{0x26, GST_ES}, {0x2e, GST_CS}, {0x36, GST_SS},
					      {0x3e, GST_DS}, {0x64, GST_FS}, {0x65, GST_GS}};
	uint8_t code[MOST_BYTES + 2] = {0}, *p = code;
	int is_16 = 0;

	if (gst_copy_in(code, e->pc, e->bytes < MOST_BYTES ? e->bytes : MOST_BYTES))
		return -EFAULT;
	*s = (struct string){.e = e, .segment = GST_DS, .mask = 0xffffffffu};
	for (; p < code + MOST_BYTES; p++) {
		unsigned i = 0;

		while (i < 6 && segment[i][0] != *p)
			i++;
		if (i < 6)
			s->segment = segment[i][1];
		else if (*p == 0x66)
			is_16 = 1;
		else if (*p == 0x67)
			s->mask = 0xffff;
		else if (*p == REPE || *p == REPNE)
			s->rep = *p;
		else if (*p != 0xf0)
			break;
	}
	s->opcode = *p & 0xfeu;
	s->bytes = !(*p & 1) ? 1 : is_16 ? 2 : 4;
	/* the opcode byte is F7, and ModRM the last */
	if (*p == 0x0f || *p == 0xc4 || *p == 0xc5) {
		s->opcode = 0xf6;
		s->is_xmm = is_16 || *p != 0x0f;
		s->modrm = code[e->bytes <= MOST_BYTES ? e->bytes - 1u : 0u];
		s->rep = 0;
	}
	return 0;
}

static int has_reached(struct gst *g, uint32_t at, void *bytes, unsigned n, int is_write)
{
	const uint32_t next = (at | 4095u) + 1u;
	uint8_t byte;

	if (!is_write)
		return gst_copy_in(bytes, at, n) == 0;
	/* a store across two pages is done whole or not at all */
	if (next - at < n && (gst_copy_in(&byte, next, 1) || !has_reached(g, next, &byte, 1, 1)))
		return 0;
	return gst_copy_out(at, bytes, n) == 0;
}

/* n bytes at offset `off` of a segment. Raises what the processor would, and returns 0, when
 * they cannot be reached. */
static int reach(struct gst *g, const struct string *s, unsigned segment, uint32_t off, void *bytes,
		 unsigned n, int is_write)
{
	uint32_t at = off;

	if (segment >= GST_FS)
		at += (uint32_t)g->gs->seg_base[segment - GST_FS];
	if ((g->gs->selector[segment] & ~3u) == 0) {
		gst_raise32(g, s->e, GST_SIGSEGV, TRAP_PROTECTION, 0);
		return 0;
	}
	if (has_reached(g, at, bytes, n, is_write))
		return 1;
	gst_raise_memory(g, s->e, at, n, is_write ? GST_MEMORY_WRITE : 0);
	return 0;
}

/* Flags of a - b. */
static void compare_elements(struct gst *g, uint32_t a, uint32_t b, unsigned bytes)
{
	const uint32_t top = 1u << (8 * bytes - 1), all = top | (top - 1), d = (a - b) & all;
	uint64_t flags = g->gs->rflags & ~(uint64_t)EFLAGS_ARITHMETIC;

	flags |= (a < b ? EFLAGS_CF : 0) | (__builtin_parity(d & 255) ? 0 : EFLAGS_PF) |
		 ((a ^ b ^ d) & EFLAGS_AF) | (d ? 0 : EFLAGS_ZF) | (d & top ? EFLAGS_SF : 0) |
		 ((a ^ b) & (a ^ d) & top ? EFLAGS_OF : 0);
	g->gs->rflags = flags;
}

/* One element. Returns 0 when it raised something. */
static int do_element(struct gst *g, const struct string *s, uint32_t si, uint32_t di)
{
	uint64_t *rax = &g->gs->gpr[RAX];
	uint32_t a = 0, b = 0;

	switch (s->opcode) {
	case 0xa4: /* MOVS */
		return reach(g, s, s->segment, si, &a, s->bytes, 0) &&
		       reach(g, s, GST_ES, di, &a, s->bytes, 1);
	case 0xa6: /* CMPS */
		if (!reach(g, s, s->segment, si, &a, s->bytes, 0) ||
		    !reach(g, s, GST_ES, di, &b, s->bytes, 0))
			return 0;
		compare_elements(g, a, b, s->bytes);
		return 1;
	case 0xaa: /* STOS */ a = (uint32_t)*rax; return reach(g, s, GST_ES, di, &a, s->bytes, 1);
	case 0xac: /* LODS */
		if (!reach(g, s, s->segment, si, &a, s->bytes, 0))
			return 0;
		if (s->bytes == 4)
			*rax = a;
		else
			memcpy(rax, &a, s->bytes);
		return 1;
	default: /* SCAS */
		memcpy(&a, rax, s->bytes);
		if (!reach(g, s, GST_ES, di, &b, s->bytes, 0))
			return 0;
		compare_elements(g, a, b, s->bytes);
		return 1;
	}
}

/* The part of a register that an address of this width uses becomes `value`. */
static void put_register(struct gst *g, const struct string *s, unsigned reg, uint32_t value)
{
	uint64_t *r = &g->gs->gpr[reg];

	*r = (*r & ~(uint64_t)s->mask & 0xffffffffu) | (value & s->mask);
}

static void step_registers(struct gst *g, const struct string *s)
{
	const uint32_t by = g->gs->rflags & EFLAGS_DF ? 0 - s->bytes : s->bytes;

	if (s->opcode == 0xa4 || s->opcode == 0xa6 || s->opcode == 0xac)
		put_register(g, s, RSI, (uint32_t)g->gs->gpr[RSI] + by);
	if (s->opcode != 0xac)
		put_register(g, s, RDI, (uint32_t)g->gs->gpr[RDI] + by);
}

/* The record's slot of ECX after a comparison that may end early. */
static void tell_count(struct gst *g, const struct string *s)
{
	if (g->ctl->start.tier == SHR_TIER_STREAM && s->rep &&
	    (s->opcode == 0xa6 || s->opcode == 0xae))
		memcpy((void *)(g->ring.at - 8), &g->gs->gpr[RCX], 8);
}

static void masked_move(struct gst *g, const struct string *s)
{
	uint8_t *area = (uint8_t *)GST_FP_AREA;
	const unsigned n = s->is_xmm ? 16 : 8, first = s->is_xmm ? FXSAVE_XMM : FXSAVE_ST;
	const uint32_t to = (uint32_t)g->gs->gpr[RDI] & s->mask;

	gst_fp_save(g, area);
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *from = area + first + 16 * (s->modrm >> 3 & 7),
			      *mask = area + first + 16 * (s->modrm & 7);

		if ((mask[i] & 0x80) && !reach(g, s, s->segment, to + i, (void *)(from + i), 1, 1))
			return;
	}
}

void gst_string32(struct gst *g, const struct shr_exit *e)
{
	struct string s;
	uint64_t n = 0;

	if (read_insn(e, &s)) {
		gst_take_back(g, e->block);
		g->gs->pc = e->pc;
		gst_signal_exec_fault(g, e->pc);
		return;
	}
	if (is_masked_move(&s)) {
		masked_move(g, &s);
		return;
	}
	while (!s.rep || ((uint32_t)g->gs->gpr[RCX] & s.mask)) {
		if (!do_element(g, &s, (uint32_t)g->gs->gpr[RSI] & s.mask,
				(uint32_t)g->gs->gpr[RDI] & s.mask))
			return;
		step_registers(g, &s);
		if (!s.rep)
			return;
		n++;
		put_register(g, &s, RCX, (uint32_t)g->gs->gpr[RCX] - 1);
		if ((s.opcode == 0xa6 || s.opcode == 0xae) &&
		    (s.rep == REPE) != ((g->gs->rflags & EFLAGS_ZF) != 0))
			break;
	}
	tell_count(g, &s);
	gst_ring_work(g, n);
}
