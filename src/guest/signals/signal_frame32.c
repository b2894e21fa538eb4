/* signal_frame32.c -- builds the frame of a signal handler for a 32-bit program, and takes it
 * back at sigreturn, as the kernel does. Rules: signal32.h. */
#include "guest/signals/signal32.h"

#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/memory/segments.h"
#include "guest/signals/signal.h"
#include "guest/signals/trap.h"

#define SA_SIGINFO_FLAG	   4ull
#define SA_ONSTACK_FLAG	   0x08000000ull
#define SA_RESTORER_FLAG   0x04000000ull
#define SS_ONSTACK_FLAG	   1u
#define SS_DISABLE_FLAG	   2u
#define SS_AUTODISARM_FLAG (1u << 31)
#define FXSAVE_POINTERS	   8u /* offset of the instruction and operand pointers, 16 bytes */
#define FXSAVE_REGISTERS   32u
#define UNUSED_FP_BYTES	   624u

struct context32 {
	uint32_t gs, fs, es, ds, edi, esi, ebp, esp, ebx, edx, ecx, eax;
	uint32_t trapno, err, eip, cs, eflags, esp_at_signal, ss, fpstate, oldmask, cr2;
};

struct frame32 {
	uint32_t return_address;
	int32_t sig;
	struct context32 context;
	uint8_t unused[UNUSED_FP_BYTES];
	uint32_t more_mask;
	uint8_t code[8];
};
_Static_assert(sizeof(struct frame32) == 732, "layout of the kernel's sigframe_ia32");

struct rt_frame32 {
	uint32_t return_address;
	int32_t sig;
	uint32_t info_at, uc_at;
	uint8_t info[GST_SIGINFO32_BYTES];
	uint32_t uc_flags, uc_link;
	uint32_t alt_sp, alt_flags, alt_bytes;
	struct context32 context;
	uint32_t mask[2];
	uint8_t code[8];
};
_Static_assert(sizeof(struct rt_frame32) == 268, "layout of the kernel's rt_sigframe_ia32");

/* FSAVE image in front of the FXSAVE area, for programs from before FXSAVE. */
struct fsave32 {
	uint32_t control, status, tags, ip, code_selector, operand, data_selector;
	uint8_t reg[8][10];
	uint16_t status_again, magic; /* magic 0: an FXSAVE area follows */
};
_Static_assert(sizeof(struct fsave32) == GST_FSAVE_BYTES, "layout of the kernel's fregs_state");

/* Tags of two bits from those of FXSAVE and what the registers hold. */
static uint32_t full_tags(const uint8_t *fx)
{
	uint32_t tags = 0xffff0000u, top = fx[3] >> 3 & 7;

	for (uint32_t i = 0; i < 8; i++) {
		const uint8_t *r = fx + FXSAVE_REGISTERS + ((i - top) & 7) * 16;
		uint32_t exponent = (r[8] | r[9] << 8) & 0x7fffu, tag;
		uint64_t significand;

		memcpy(&significand, r, 8);
		if (!(fx[4] >> i & 1))
			tag = 3;
		else if (exponent == 0x7fff || (exponent == 0 && significand))
			tag = 2;
		else if (exponent == 0)
			tag = 1;
		else
			tag = significand >> 63 ? 0 : 2;
		tags |= tag << 2 * i;
	}
	return tags;
}

static void fsave_of(struct fsave32 *f, const uint8_t *fx)
{
	uint16_t word[4];

	memcpy(word, fx, sizeof(word)); /* control, status, tags, opcode */
	*f = (struct fsave32){.control = word[0] | 0xffff0000u,
			      .status = word[1] | 0xffff0000u,
			      .tags = full_tags(fx),
			      .code_selector = GST_CODE_SELECTOR,
			      .data_selector = 0xffff0000u | GST_DATA_SELECTOR,
			      .status_again = word[1]};
	for (unsigned i = 0; i < 8; i++)
		memcpy(f->reg[i], fx + FXSAVE_REGISTERS + 16 * i, 10);
}

/* The x87 part comes from the FSAVE image, which the program may have changed. */
static void merge_fsave(uint8_t *fx, const struct fsave32 *f)
{
	memset(fx, 0, FXSAVE_POINTERS + 16);
	memcpy(fx, &f->control, 2);
	memcpy(fx + 2, &f->status, 2);
	for (unsigned i = 0; i < 8; i++) {
		if ((f->tags >> 2 * i & 3) != 3)
			fx[4] |= (uint8_t)(1u << i);
		memcpy(fx + FXSAVE_REGISTERS + 16 * i, f->reg[i], 10);
	}
}

/* Write both images; the second one lies in the area. Returns 0 or -EFAULT. */
static int push_fp(uint64_t fp, uint32_t bytes)
{
	uint8_t *area = (uint8_t *)GST_FP_AREA;
	struct fsave32 f;

	memset(area + FXSAVE_POINTERS, 0, 16);
	fsave_of(&f, area);
	return gst_copy_out(fp + GST_FSAVE_BYTES, area, bytes) || gst_copy_out(fp, &f, sizeof(f))
		   ? -EFAULT
		   : 0;
}

static int fetch_fp(struct gst *g, uint8_t *area, uint32_t fp)
{
	struct fsave32 f;

	if (gst_copy_in(&f, fp, sizeof(f)) || gst_fp_fetch(g, area, (uint64_t)fp + GST_FSAVE_BYTES))
		return -EFAULT;
	merge_fsave(area, &f);
	return 0;
}

static int pop_fp(struct gst *g, uint32_t fp)
{
	uint8_t *area = (uint8_t *)GST_FP_AREA;
	int ret = fp ? fetch_fp(g, area, fp) : 0;

	gst_fp_load(g, fp && !ret ? area : NULL);
	return ret;
}

static void put_context(struct gst *g, struct context32 *c, uint64_t fp,
			const struct gst_trap *trap)
{
	const uint64_t *r = g->gs->gpr;
	const uint16_t *s = g->gs->selector;

	*c = (struct context32){
	    .gs = s[GST_GS],
	    .fs = s[GST_FS],
	    .es = s[GST_ES],
	    .ds = s[GST_DS],
	    .cs = s[GST_CS],
	    .ss = s[GST_SS],
	    .eax = (uint32_t)r[0],
	    .ecx = (uint32_t)r[1],
	    .edx = (uint32_t)r[2],
	    .ebx = (uint32_t)r[3],
	    .esp = (uint32_t)r[4],
	    .ebp = (uint32_t)r[5],
	    .esi = (uint32_t)r[6],
	    .edi = (uint32_t)r[7],
	    .eip = (uint32_t)g->gs->pc,
	    .eflags = (uint32_t)gst_get_flags(g) | EFLAGS_IF | EFLAGS_ONE,
	    .esp_at_signal = (uint32_t)r[4],
	    .fpstate = (uint32_t)fp,
	    .oldmask = (uint32_t)g->t->sig.mask,
	};
	c->err = (uint32_t)g->t->sig.last.err;
	c->trapno = (uint32_t)g->t->sig.last.number;
	c->cr2 = (uint32_t)g->t->sig.last.cr2;
	if (trap && !trap_is_behind(trap->number))
		c->eflags |= EFLAGS_RF; /* as the processor pushes it for faults */
}

static void take_context(struct gst *g, const struct context32 *c)
{
	static const uint8_t order[4] = {GST_GS, GST_FS, GST_ES, GST_DS};
	const uint32_t selector[4] = {c->gs, c->fs, c->es, c->ds};
	uint64_t *r = g->gs->gpr;

	r[0] = c->eax, r[1] = c->ecx, r[2] = c->edx, r[3] = c->ebx;
	r[4] = c->esp, r[5] = c->ebp, r[6] = c->esi, r[7] = c->edi;
	g->gs->pc = c->eip;
	gst_set_flags(g, (gst_get_flags(g) & ~(uint64_t)EFLAGS_FROM_FRAME) |
			     (c->eflags & EFLAGS_FROM_FRAME));
	if (!gst_segment_is_code(g, (c->cs | 3) & 0xffff) ||
	    gst_segment_load(g, GST_SS, (c->ss | 3) & 0xffff))
		gst_refuse(g,
			   "a signal handler of the program returns to code or a stack in "
			   "segments that do not exist, "
			   "which softpmu does not support",
			   NULL);
	g->gs->selector[GST_CS] = (uint16_t)(c->cs | 3);
	for (unsigned i = 0; i < 4; i++) {
		if (gst_segment_load(g, order[i], selector[i]))
			gst_segment_load(g, order[i], 0);
	}
}

static const uint8_t return_code[8] = {0x58, 0xb8, 119, 0, 0, 0, 0xcd, 0x80};
static const uint8_t rt_return_code[8] = {0xb8, 173, 0, 0, 0, 0xcd, 0x80, 0};

static uint32_t return_address(const struct gst_action *act, uint32_t ours)
{
	return act->flags & SA_RESTORER_FLAG ? (uint32_t)act->restorer : SHR_CALL_PAGE_32 + ours;
}

/* As align_sigframe() of the kernel: aligned as after a call of the handler. */
static uint64_t frame_at(uint64_t fp, size_t bytes)
{
	return (((fp - bytes + 4) & ~15ull) - 4) & 0xffffffffu;
}

static int push_plain(struct gst *g, const struct gst_action *act, int sig, uint64_t sp,
		      uint64_t fp, const struct gst_trap *trap)
{
	struct frame32 f = {.sig = sig,
			    .return_address = return_address(act, GST_CALL_SIGRETURN),
			    .more_mask = (uint32_t)(g->t->sig.mask >> 32)};

	put_context(g, &f.context, fp, trap);
	memcpy(f.code, return_code, sizeof(f.code));
	if (gst_copy_out(sp, &f, sizeof(f)))
		return -EFAULT;
	g->gs->gpr[2] = g->gs->gpr[1] = 0;
	return 0;
}

static int push_rt(struct gst *g, const struct gst_action *act, const struct gst_siginfo *info,
		   uint64_t sp, uint64_t fp, const struct gst_trap *trap, int has_xsave)
{
	const struct gst_altstack *alt = &g->t->sig.alt;
	struct rt_frame32 f = {
	    .sig = info->sig,
	    .return_address = return_address(act, GST_CALL_RT_SIGRETURN),
	    .uc_flags = has_xsave ? 1 : 0, /* UC_FP_XSTATE */
	    .alt_sp = (uint32_t)alt->sp,
	    .alt_flags = alt->flags,
	    .alt_bytes = (uint32_t)alt->bytes,
	    .mask = {(uint32_t)g->t->sig.mask, (uint32_t)(g->t->sig.mask >> 32)},
	};

	f.info_at = (uint32_t)(sp + offsetof(struct rt_frame32, info));
	f.uc_at = (uint32_t)(sp + offsetof(struct rt_frame32, uc_flags));
	gst_siginfo_narrow(f.info, info);
	put_context(g, &f.context, fp, trap);
	memcpy(f.code, rt_return_code, sizeof(f.code));
	if (gst_copy_out(sp, &f, sizeof(f)))
		return -EFAULT;
	g->gs->gpr[2] = f.info_at;
	g->gs->gpr[1] = f.uc_at;
	return 0;
}

int gst_frame32_push(struct gst *g, const struct gst_action *act, const struct gst_siginfo *info,
		     const struct gst_trap *trap)
{
	const int is_rt = (act->flags & SA_SIGINFO_FLAG) != 0;
	struct gst_altstack *alt = &g->t->sig.alt;
	uint64_t sp = g->gs->gpr[4], fp;
	int is_on_alt = gst_is_on_altstack(g, sp);
	uint32_t bytes = gst_fp_save(g, (uint8_t *)GST_FP_AREA);

	if ((act->flags & SA_ONSTACK_FLAG) && alt->bytes && !(alt->flags & SS_DISABLE_FLAG) &&
	    !is_on_alt) {
		sp = alt->sp + alt->bytes;
		is_on_alt = 1;
	}
	fp = (((sp - bytes) & ~63ull) - GST_FSAVE_BYTES) & 0xffffffffu;
	sp = frame_at(fp, is_rt ? sizeof(struct rt_frame32) : sizeof(struct frame32));
	if (gst_frame_overflows(g, is_on_alt, sp, bytes) || push_fp(fp, bytes))
		return -EFAULT;
	if (is_rt ? push_rt(g, act, info, sp, fp, trap, bytes > GST_FXSAVE_BYTES)
		  : push_plain(g, act, info->sig, sp, fp, trap))
		return -EFAULT;
	gst_fp_load(g, NULL);
	if (alt->flags & SS_AUTODISARM_FLAG) /* a plain frame does not bring it back */
		*alt = (struct gst_altstack){.flags = SS_DISABLE_FLAG};
	g->gs->gpr[4] = sp;
	g->gs->gpr[0] = (uint64_t)info->sig;
	g->gs->pc = act->handler;
	g->t->is_trap_due = 0;
	g->gs->selector[GST_DS] = g->gs->selector[GST_ES] = g->gs->selector[GST_SS] =
	    GST_DATA_SELECTOR;
	g->gs->selector[GST_CS] = GST_CODE_SELECTOR;
	gst_set_flags(g, gst_get_flags(g) & ~(uint64_t)EFLAGS_CLEARED_FOR_HANDLER);
	return 0;
}

static int pop_plain(struct gst *g, struct context32 *c)
{
	struct frame32 f;

	if (gst_copy_in(&f, (uint32_t)(g->gs->gpr[4] - 8), sizeof(f)))
		return -EFAULT;
	*c = f.context;
	g->t->sig.mask = (uint64_t)f.more_mask << 32 | c->oldmask;
	return 0;
}

static int pop_rt(struct gst *g, struct context32 *c)
{
	struct rt_frame32 f;

	if (gst_copy_in(&f, (uint32_t)(g->gs->gpr[4] - 4), sizeof(f)))
		return -EFAULT;
	*c = f.context;
	g->t->sig.mask = (uint64_t)f.mask[1] << 32 | f.mask[0];
	/* unlike on x86-64, where the handler's stack decides */
	if (!gst_is_on_altstack(g, c->esp))
		g->t->sig.alt = (struct gst_altstack){
		    .sp = f.alt_sp, .bytes = f.alt_bytes, .flags = f.alt_flags & ~SS_ONSTACK_FLAG};
	return 0;
}

int gst_frame32_pop(struct gst *g, int is_rt)
{
	struct context32 c;

	if ((is_rt ? pop_rt : pop_plain)(g, &c))
		return -EFAULT;
	g->t->sig.mask &= ~GST_UNBLOCKABLE;
	gst_signal_host_mask(g);
	take_context(g, &c);
	if (pop_fp(g, c.fpstate))
		return -EFAULT;
	gst_ring_word(g, TRC_GO, g->gs->pc);
	return 0;
}
