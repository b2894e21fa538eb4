/* emulate.c -- instructions that the runtime executes for the program.
 *
 * COUNTING RULES   the instruction is in its block's record already; one that faults is taken
 *                  back.
 * MODELLED         CPUID and XGETBV from the tables of the shown processor; RDTSC, unless the
 *                  program closed it, counts one per retired instruction, or the modelled
 *                  processor's clocks (session/serve/clock.h); RDRAND and RDSEED from the seeded
 *                  generator, always ready. RDPMC from counters.h.
 * NOT MODELLED     AC is kept and shown, but nothing faults for it.
 * SOURCES          Intel SDM vol. 2.
 */
#include "guest/cpu/emulate.h"

#include "guest/memory/copy.h"
#include "guest/perf/counters.h"
#include "guest/call.h"
#include "guest/gst.h"
#include "guest/signals/signal.h"

enum { RAX = 0, RCX = 1, RDX = 2, RBX = 3, RSP = 4, R15 = 15 };

static uint64_t *reg(struct gst *g, unsigned n)
{
	return n == R15 ? &g->gs->guest_r15 : &g->gs->gpr[n & 15];
}

/* Write `bytes` (2, 4, 8) of a register as the processor does: 4 clears the upper half. */
static void put_reg(struct gst *g, unsigned n, uint64_t value, unsigned bytes)
{
	uint64_t *r = reg(g, n);

	if (bytes == 2)
		*r = (*r & ~0xffffull) | (value & 0xffff);
	else
		*r = bytes == 4 ? (uint32_t)value : value;
}

static const struct shr_cpuid *find_leaf(const struct shr_start *s, uint32_t leaf, uint32_t sub)
{
	for (uint32_t i = 0; i < s->n_cpuid && i < 64; i++) {
		const struct shr_cpuid *c = &s->cpuid[i];

		if (c->leaf == leaf && (!c->has_subleaf || c->subleaf == sub))
			return c;
	}
	return NULL;
}

/* A leaf above the highest basic one answers as the highest (SDM: CPUID). */
static void do_cpuid(struct gst *g)
{
	struct shr_start *s = &g->ctl->start;
	uint32_t leaf = (uint32_t)*reg(g, RAX), sub = (uint32_t)*reg(g, RCX);
	const struct shr_cpuid zero = {0}, *c;

	s->has_asked_cpuid = 1;
	if ((leaf < 0x80000000u && leaf > s->max_leaf) ||
	    (leaf >= 0x80000000u && leaf > s->max_ext_leaf))
		leaf = s->max_leaf;
	c = find_leaf(s, leaf, sub);
	if (!c)
		c = &zero;
	*reg(g, RAX) = c->eax;
	*reg(g, RBX) = c->ebx;
	*reg(g, RCX) = c->ecx;
	*reg(g, RDX) = c->edx;
}

static void do_rdtsc(struct gst *g)
{
	struct req_box *b;

	gst_ring_flush(g, 0);
	b = gst_ask_box(g);
	gst_ask(g, REQ_CLOCK);
	g->ctl->clock_looks++;
	*reg(g, RAX) = (uint32_t)b->result[0];
	*reg(g, RDX) = b->result[0] >> 32;
}

static void do_random(struct gst *g, const struct shr_exit *e)
{
	put_reg(g, e->reg, gst_random(g), e->operand);
	g->gs->rflags = (g->gs->rflags & ~(uint64_t)EFLAGS_ARITHMETIC) | EFLAGS_CF;
}

static void do_popf(struct gst *g, const struct shr_exit *e)
{
	uint64_t value = 0, sp = *reg(g, RSP), mask = EFLAGS_POPPED;

	if (gst_copy_in(&value, sp, e->operand)) {
		gst_raise_memory(g, e, sp, e->operand, GST_MEMORY_STACK);
		return;
	}
	if (e->operand == 2)
		mask &= 0xffff;
	gst_set_flags(g, (gst_get_flags(g) & ~mask) | (value & mask) | EFLAGS_ONE);
	*reg(g, RSP) = sp + e->operand;
}

static void do_pushf(struct gst *g, const struct shr_exit *e)
{
	uint64_t value = gst_get_flags(g), sp = *reg(g, RSP) - e->operand;

	if (g->layout.is_32)
		sp = (uint32_t)sp;
	if (gst_copy_out(sp, &value, e->operand)) {
		gst_raise_memory(g, e, sp, e->operand, GST_MEMORY_STACK | GST_MEMORY_WRITE);
		return;
	}
	*reg(g, RSP) = sp;
}

static uint64_t base_operand(struct gst *g, const struct shr_exit *e)
{
	return e->operand == 4 ? (uint32_t)*reg(g, e->reg) : *reg(g, e->reg);
}

/* The instruction raises a signal instead of completing: it is taken back from the record. */
static void fault(struct gst *g, const struct shr_exit *e, int sig, int code, uint64_t addr)
{
	gst_take_back(g, e->block);
	g->gs->pc = e->pc;
	gst_signal_raise(g, sig, code, addr);
}

void gst_raise_memory(struct gst *g, const struct shr_exit *e, uint64_t at, uint64_t bytes,
		      unsigned how)
{
	gst_take_back(g, e->block);
	g->gs->pc = e->pc;
	gst_signal_memory(g, at, bytes, how);
}

/* INT n that no program may use: the error code names the gate. */
static void closed_gate(struct gst *g, const struct shr_exit *e)
{
	struct gst_siginfo info = {.sig = GST_SIGSEGV, .code = 0x80 /* SI_KERNEL */};
	struct gst_trap trap = {.number = 13, .err = e->operand * 8u + 2};

	gst_take_back(g, e->block);
	g->gs->pc = e->pc;
	gst_signal_force(g, &info, &trap);
}

static void do_rdpmc(struct gst *g, const struct shr_exit *e)
{
	uint64_t value;

	switch (gst_rdpmc(g, e->block, (uint32_t)*reg(g, RCX), &value)) {
	case GST_RDPMC_DONE:
		*reg(g, RAX) = (uint32_t)value;
		*reg(g, RDX) = value >> 32;
		break;
	case GST_RDPMC_PROTECTED: fault(g, e, GST_SIGSEGV, 0x80 /* SI_KERNEL */, 0); break;
	case GST_RDPMC_UNKNOWN: fault(g, e, 4, 2 /* ILL_ILLOPN */, e->pc); break;
	}
}

enum gst_emulated gst_emulate(struct gst *g, const struct shr_exit *e)
{
	struct shr_gs *gs = g->gs;
	enum gst_emulated done;

	gs->pc = e->pc + e->bytes;
	switch (e->insn) {
	case SHR_EMU_CPUID: do_cpuid(g); return GST_EMULATED;
	case SHR_EMU_RDTSCP:
		if (g->t->is_tsc_closed)
			break;
		*reg(g, RCX) = gst_thread_cpu(g, g->t); /* node 0 */
							/* fall through */
	case SHR_EMU_RDTSC:
		if (g->t->is_tsc_closed)
			break;
		do_rdtsc(g);
		return GST_EMULATED;
	case SHR_EMU_RDPMC: do_rdpmc(g, e); return GST_EMULATED;
	case SHR_EMU_XGETBV:
		if ((uint32_t)*reg(g, RCX) > 1 || !g->ctl->start.xcr0)
			break;
		*reg(g, RAX) = (uint32_t)g->ctl->start.xcr0;
		*reg(g, RDX) = g->ctl->start.xcr0 >> 32;
		return GST_EMULATED;
	case SHR_EMU_RDRAND:
	case SHR_EMU_RDSEED: do_random(g, e); return GST_EMULATED;
	case SHR_EMU_RDPID: *reg(g, e->reg) = gst_thread_cpu(g, g->t); return GST_EMULATED;
	case SHR_EMU_INT3: gst_signal_raise(g, 5, 0x80 /* SI_KERNEL */, 0); return GST_EMULATED;
	case SHR_EMU_INT1: gst_signal_raise(g, 5, 1 /* TRAP_BRKPT */, gs->pc); return GST_EMULATED;
	case SHR_EMU_INT:
		if (e->operand == 3 || e->operand == 4) { /* the two that programs may use */
			gst_signal_trap(g, e->operand == 3 ? GST_SIGTRAP : GST_SIGSEGV, e->operand);
			return GST_EMULATED;
		}
		if (e->operand == 0x80 && gst_has_int80(g)) {
			g->t->call_block = e->block;
			g->t->is_call32 = 1;
			return GST_EMULATED_CALL32;
		}
		closed_gate(g, e);
		return GST_EMULATED;
	case SHR_EMU_ILLEGAL: fault(g, e, 4, 2 /* ILL_ILLOPN */, e->pc); return GST_EMULATED;
	case SHR_EMU_RDFSBASE: put_reg(g, e->reg, gst_get_fs(g), e->operand); return GST_EMULATED;
	case SHR_EMU_RDGSBASE: put_reg(g, e->reg, gs->gs_base, e->operand); return GST_EMULATED;
	case SHR_EMU_WRFSBASE:
		if (!gst_is_canonical(base_operand(g, e)))
			break;
		gst_set_fs(g, base_operand(g, e));
		return GST_EMULATED;
	case SHR_EMU_WRGSBASE:
		if (!gst_is_canonical(base_operand(g, e)))
			break;
		gs->gs_base = base_operand(g, e);
		return GST_EMULATED;
	case SHR_EMU_POPF: do_popf(g, e); return GST_EMULATED;
	case SHR_EMU_PUSHF: do_pushf(g, e); return GST_EMULATED;
	case SHR_EMU_X87_PC: gst_correct_x87_pc(g, e); return GST_EMULATED;
	case SHR_EMU_REQUEST: return GST_EMULATED_REQUEST;
	case SHR_EMU_STEP: gst_step_begin(g, e->block, e->pc);
	default:
		done = g->layout.is_32 ? gst_emulate32(g, e) : gst_emulate64(g, e);
		if (done)
			return done;
	}
	/* Privileged instructions and everything else that raises #GP. */
	fault(g, e, 11, 0x80 /* SI_KERNEL */, 0);
	return GST_EMULATED;
}
