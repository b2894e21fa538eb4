/* audit.c -- the record stream against the machine: every instruction and every address.
 *
 * audit TRACE PROGRAM [ARGS...]: reads TRACE (softpmu stat --trace of the same program) and steps
 * PROGRAM natively beside it. Per instruction the pc must be the same, and so must address and size
 * of each data reference, worked out here from the registers before the step and there from the
 * recorded slots. Prints "instructions N references N" and exits 0, or tells the first difference
 * and exits 1.
 *
 * RULE     the stack lies elsewhere: addresses near the first stack pointer are compared with one
 *          constant difference, learnt from the first, and so are those of each argument's string.
 * LIMITS   programs without libc, signals and threads; REP iterations are compared one by one; of
 *          XSAVE areas only the address. The instruction behind one that loads SS is not seen: the
 *          processor does not trap there.
 */
#include <Zydis/Zydis.h>
#include <cpuid.h>
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/files/trace_code.h"
#include "session/files/trace_file.h"
#include "trace/record.h"
#include "x86/build.h"

#define MAX_REFS     80
#define MAX_STRINGS  8
#define XSTATE_BYTES 16384
#define STACK_REACH  (8ull << 20)
#define CS_32	     0x23 /* selector of 32-bit code */

struct access {
	uint64_t addr;
	uint32_t bytes;
};

/* What one instruction, or one iteration of a repeated one, touches. */
struct touched {
	unsigned n;
	struct access a[MAX_REFS];
};

static void fail(const char *what, uint64_t pc)
{
	printf("audit: %s at %llx\n", what, (unsigned long long)pc);
	exit(1);
}

/* ---- the stream ------------------------------------------------------------------------------ */

struct stream {
	uint8_t *bytes;
	size_t n, at;
	uint32_t flags;
	struct x86_builder builder;
	struct x86_store *store;
	const struct x86_block *b; /* being executed, from instruction `insn` on up to `end` */
	const uint8_t *slots;
	unsigned insn, end;
	uint64_t fs_base;
};

struct block_code {
	uint64_t pc;
	const uint8_t *code;
	uint32_t bytes;
	uint8_t page[4096];
};

static const uint8_t *code_page(void *ctx, uint64_t page)
{
	struct block_code *c = ctx;

	memset(c->page, 0xcc, sizeof(c->page));
	for (uint32_t i = 0; i < c->bytes; i++)
		if (c->pc + i - page < sizeof(c->page))
			c->page[c->pc + i - page] = c->code[i];
	return c->page;
}

static void add_block(struct stream *s, const uint8_t *p)
{
	struct block_code code = {.pc = 0};
	struct x86_code_source src = {.page = code_page, .ctx = &code};
	struct x86_build_limits lim = {.has_slots = true,
				       .has_assists = s->flags & TRC_FILE_CLASSES,
				       .has_x87_operands = s->flags & TRC_FILE_X87_OPERANDS,
				       .has_x87_control = s->flags & TRC_FILE_X87_CONTROL,
				       .has_mmx_operands = s->flags & TRC_FILE_MMX_OPERANDS,
				       .xsave_bytes = (uint16_t)(s->flags >> TRC_FILE_XSAVE_SHIFT)};
	uint32_t fixed[6];

	memcpy(fixed, p, sizeof(fixed));
	code.pc = fixed[2] | (uint64_t)fixed[3] << 32;
	code.code = p + sizeof(fixed);
	code.bytes = fixed[1];
	lim.max_insns = fixed[4];
	x86_builder_init(&s->builder, (enum x86_mode)fixed[5]);
	if (x86_block_build(&s->builder, code.pc, &src, &lim) != 0 ||
	    s->builder.block.n_insn != fixed[4] || !x86_store_add(s->store, &s->builder.block))
		fail("a block of the trace cannot be built", code.pc);
}

/* The records of the first process. */
static void open_stream(struct stream *s, const char *path)
{
	uint8_t *code = malloc(SES_CODE_MOST(SES_TRACE_FRAME_BYTES));
	struct ses_guess *guess = ses_guess_new();
	const struct ses_trace_frame *frame;
	struct ses_code_in in;
	struct ses_trace_in t;
	struct spmu_error err;
	size_t n;
	long got;

	if (!code || !guess || ses_trace_look(path, &t, &err) || x86_store_open(&s->store))
		fail("the trace cannot be read", 0);
	s->flags = t.flags;
	frame = ses_trace_frames(&t, t.first, &n);
	for (size_t i = 0; i < n; i++) {
		if (ses_trace_unpack(&t, &frame[i], code) ||
		    ses_code_open(&in, guess, code, frame[i].raw, SES_TRACE_FRAME_BYTES))
			fail("the trace is damaged", 0);
		do {
			s->bytes = realloc(s->bytes, s->n + SES_CODE_MOST_RECORD);
			got = s->bytes ? ses_code_get(&in, s->bytes + s->n, SES_CODE_MOST_RECORD)
				       : -1;
			if (got < 0)
				fail("the trace is damaged", 0);
			s->n += (size_t)got;
		} while (got);
	}
	ses_trace_shut(&t);
	ses_guess_free(guess);
	free(code);
}

/* Go to the next block execution. Returns false at the end. */
static bool next_block(struct stream *s)
{
	while (s->at < s->n) {
		const uint8_t *p = s->bytes + s->at;
		uint32_t head, size, part[2];

		memcpy(&head, p, 4);
		if (head < TRC_SPECIAL) {
			s->b = x86_store_get(s->store, trc_block_id(head));
			s->slots = p + 4;
			s->insn = 0;
			s->end = s->b->n_insn;
			s->at += trc_block_bytes(head);
			return true;
		}
		memcpy(&size, p + 4, 4);
		s->at += 8 + size;
		switch (head - TRC_SPECIAL) {
		case TRC_BLOCK: add_block(s, p + 8); break;
		case TRC_FS_BASE: memcpy(&s->fs_base, p + 8, 8); break;
		case TRC_PARTIAL:
			memcpy(part, p + 8, 8);
			s->b = x86_store_get(s->store, part[0]);
			s->slots = p + 16;
			s->insn = 0;
			s->end = part[1];
			if (s->end)
				return true;
			break;
		default: break;
		}
	}
	return false;
}

static uint64_t slot(const struct stream *s, unsigned k)
{
	uint64_t v = 0;

	if (k < s->b->n_slot)
		memcpy(&v, s->slots + 8 * k, 8);
	return v;
}

static void add(struct touched *t, uint64_t addr, uint32_t bytes)
{
	if (t->n < MAX_REFS)
		t->a[t->n++] = (struct access){addr, bytes};
}

/* Elements that a mask lets through, as struct x86_parts says. */
static void add_parts(const struct stream *s, const struct x86_ref *r, uint64_t addr,
		      struct touched *t)
{
	const struct x86_parts *p = &s->b->parts[r->hint];
	uint64_t mask = slot(s, p->slot_mask);
	unsigned first = p->n, last = 0, n = 0;

	for (unsigned i = 0; i < p->n; i++) {
		if (!(mask >> i & 1))
			continue;
		n++;
		last = i;
		first = first < i ? first : i;
		if (p->kind == X86_PARTS_EACH) {
			uint64_t v = slot(s, p->slot_index + i * p->index_bytes / 8u);
			uint64_t index = p->index_bytes == 8
					     ? v
					     : (uint64_t)(int64_t)(int32_t)(v >> 32 * (i & 1));
			uint64_t at = addr + index * p->scale;

			add(t, p->is_address32 ? (uint32_t)at : at, p->element_bytes);
		}
	}
	if (!n || p->kind == X86_PARTS_EACH)
		return;
	if (p->kind == X86_PARTS_RANGE)
		add(t, addr + first * p->element_bytes, (last - first + 1u) * p->element_bytes);
	else
		add(t, addr, p->kind == X86_PARTS_ANY ? r->bytes : n * p->element_bytes);
}

/* References of the present instruction; of a repeated one those of its first iteration. */
static void recorded(const struct stream *s, struct touched *t)
{
	t->n = 0;
	for (unsigned k = 0; k < s->b->n_ref; k++) {
		const struct x86_ref *r = &s->b->ref[k];
		uint64_t addr = r->disp;

		if (r->insn != s->insn)
			continue;
		if (r->slot != X86_NO_SLOT)
			addr += slot(s, r->slot);
		if (r->slot2 != X86_NO_SLOT)
			addr += slot(s, r->slot2) * r->scale;
		if (r->flags & X86_REF_FS)
			addr += s->fs_base;
		if (s->b->mode == X86_MODE_32)
			addr = (uint32_t)addr;
		if (r->flags & X86_REF_PARTS)
			add_parts(s, r, addr, t);
		else
			add(t, addr, r->flags & X86_REF_PREFETCH ? 0 : r->bytes);
	}
}

static uint64_t iterations(const struct stream *s)
{
	const struct x86_rep *rep = &s->b->rep[s->b->insn[s->insn].rep];
	uint64_t n = slot(s, rep->slot_count);

	if (rep->slot_after != X86_NO_SLOT)
		n -= slot(s, rep->slot_after);
	return rep->is_address32 ? (uint32_t)n : n;
}

/* ---- the machine ----------------------------------------------------------------------------- */

struct machine {
	pid_t pid;
	struct user_regs_struct regs;
	uint8_t xstate[XSTATE_BYTES];
	bool has_xstate; /* of the present instruction */
	ZydisDecoder decoder;
	ZydisMachineMode mode; /* of the program */
	ZydisDecodedInstruction z;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t first_rsp, string[MAX_STRINGS]; /* where the arguments lie, upwards */
	unsigned n_string;
};

static uint64_t gpr(const struct machine *m, ZydisRegister reg)
{
	const struct user_regs_struct *r = &m->regs;
	const uint64_t all[16] = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
				  r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};
	unsigned bits = ZydisRegisterGetWidth(m->mode, reg);
	uint64_t v;

	if (reg == ZYDIS_REGISTER_NONE)
		return 0;
	v = all[ZydisRegisterGetId(ZydisRegisterGetLargestEnclosing(m->mode, reg)) & 15];
	return bits < 64 ? v & ((1ull << bits) - 1) : v;
}

static void get_xstate(struct machine *m)
{
	struct iovec v = {m->xstate, sizeof(m->xstate)};

	if (!m->has_xstate && ptrace(PTRACE_GETREGSET, m->pid, NT_X86_XSTATE, &v))
		fail("no vector registers", m->regs.rip);
	m->has_xstate = true;
}

static uint32_t component(unsigned i)
{
	uint32_t a, b = 0, c, d;

	__cpuid_count(13, i, a, b, c, d);
	return b;
}

/* All bytes of a vector or mask register. */
static void vector(struct machine *m, ZydisRegister reg, uint8_t out[64])
{
	unsigned id = (unsigned)ZydisRegisterGetId(reg),
		 bytes = ZydisRegisterGetWidth(m->mode, reg) / 8;

	get_xstate(m);
	memset(out, 0, 64);
	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_MASK: memcpy(out, m->xstate + component(5) + 8 * id, 8); return;
	case ZYDIS_REGCLASS_MMX: memcpy(out, m->xstate + 32 + 16 * id, 8); return;
	default: break;
	}
	if (id >= 16) {
		memcpy(out, m->xstate + component(7) + 64 * (id - 16), bytes);
		return;
	}
	memcpy(out, m->xstate + 160 + 16 * id, 16);
	if (bytes > 16)
		memcpy(out + 16, m->xstate + component(2) + 16 * id, 16);
	if (bytes > 32)
		memcpy(out + 32, m->xstate + component(6) + 32 * id, 32);
}

static bool sign_at(const uint8_t *v, unsigned i, unsigned element)
{
	return v[i * element + element - 1] >> 7;
}

static bool is_32(const struct machine *m)
{
	return m->mode == ZYDIS_MACHINE_MODE_LEGACY_32;
}

static bool is_stack(const ZydisDecodedOperand *op)
{
	return op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
	       (op->mem.base == ZYDIS_REGISTER_RSP || op->mem.base == ZYDIS_REGISTER_ESP);
}

/* Address of operand op without a vector index. */
static uint64_t address(const struct machine *m, const ZydisDecodedOperand *op)
{
	uint64_t a = (uint64_t)op->mem.disp.value;

	if (op->mem.base == ZYDIS_REGISTER_RIP)
		a += m->regs.rip + m->z.length;
	else
		a += gpr(m, op->mem.base);
	if (op->mem.type != ZYDIS_MEMOP_TYPE_VSIB)
		a += gpr(m, op->mem.index) * (op->mem.scale ? op->mem.scale : 1);
	if (m->z.mnemonic == ZYDIS_MNEMONIC_XLAT)
		a += gpr(m, ZYDIS_REGISTER_AL);
	/* the prefix is for explicit operands; a push or pop has all of RSP */
	if (m->z.address_width == 32 && !is_stack(op))
		a = (uint32_t)a;
	if (m->z.address_width == 16 && !is_stack(op))
		a = (uint16_t)a;
	if (op->mem.segment == ZYDIS_REGISTER_FS)
		a += m->regs.fs_base;
	if (op->mem.segment == ZYDIS_REGISTER_GS)
		a += m->regs.gs_base;
	return is_32(m) ? (uint32_t)a : a;
}

static bool has_text(const ZydisDecodedInstruction *z, const char *part)
{
	return strstr(ZydisMnemonicGetString(z->mnemonic), part) != NULL;
}

static void gather(struct machine *m, const ZydisDecodedOperand *op, struct touched *t)
{
	uint8_t index[64], mask[64];
	const char *name = ZydisMnemonicGetString(m->z.mnemonic);
	bool is_evex = m->z.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
	unsigned element = op->size / 8,
		 width = strstr(name, "gatherq") || strstr(name, "scatterq") ? 8 : 4;
	unsigned n = ZydisRegisterGetWidth(m->mode, op->mem.index) / 8u / width;
	const ZydisDecodedOperand *data = op == &m->op[0] ? &m->op[2] : &m->op[0];

	if (n > data->size / 8u / element)
		n = data->size / 8u / element;
	vector(m, op->mem.index, index);
	vector(m, is_evex ? m->z.avx.mask.reg : m->op[2].reg.value, mask);
	for (unsigned i = 0; i < n; i++) {
		int64_t wide;
		int32_t narrow;
		uint64_t a;

		if (is_evex ? !(mask[i / 8] >> i % 8 & 1) : !sign_at(mask, i, element))
			continue;
		memcpy(&wide, index + 8 * (i & 7), 8);
		memcpy(&narrow, index + 4 * i, 4);
		a = address(m, op) + (uint64_t)(width == 8 ? wide : narrow) * op->mem.scale;
		add(t, m->z.address_width == 32 ? (uint32_t)a : a, element);
	}
}

/* Masked operands other than gathers. Returns false when op is not one. */
static bool masked(struct machine *m, const ZydisDecodedOperand *op, struct touched *t)
{
	unsigned n = op->element_count, element = op->element_size / 8, first = 64, last = 0,
		 count = 0;
	bool is_byte = has_text(&m->z, "maskmovq") || has_text(&m->z, "maskmovdqu");
	bool is_vex = has_text(&m->z, "vmaskmovp") || has_text(&m->z, "vpmaskmov");
	bool is_evex = m->z.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
		       m->z.avx.mask.reg > ZYDIS_REGISTER_K0 && !has_text(&m->z, "perm") &&
		       !has_text(&m->z, "shuf");
	bool is_broadcast = m->z.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID;
	uint8_t mask[64];

	if (is_vex)
		is_byte = false;
	if (!is_byte && !is_vex && !is_evex)
		return false;
	if (is_byte)
		element = 1, n = op->size / 8;
	if (is_evex && is_broadcast)
		n = m->op[0].element_count > 1 && m->op[0].element_size > 1
			? m->op[0].element_count
			: m->op[2].element_count;
	vector(m, is_evex ? m->z.avx.mask.reg : m->op[1].reg.value, mask);
	for (unsigned i = 0; i < n; i++) {
		if (is_evex ? !(mask[i / 8] >> i % 8 & 1) : !sign_at(mask, i, element))
			continue;
		first = first < i ? first : i;
		last = i;
		count++;
	}
	if (!count)
		return true;
	if (is_evex && is_broadcast)
		add(t, address(m, op), op->size / 8);
	else if (has_text(&m->z, "expand") || has_text(&m->z, "compress"))
		add(t, address(m, op), count * element);
	else
		add(t, address(m, op) + first * element, (last - first + 1) * element);
	return true;
}

static void touch_operand(struct machine *m, const ZydisDecodedOperand *op, struct touched *t)
{
	bool writes = op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	uint64_t a;

	if (op->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
		gather(m, op, t);
		return;
	}
	if (masked(m, op, t))
		return;
	a = address(m, op);
	if (is_stack(op) && writes)
		a -= op->size / 8; /* push */
	if (m->z.mnemonic == ZYDIS_MNEMONIC_ENTER &&
	    writes) { /* nested: the outer frames' pointers and its own, too */
		const unsigned bytes = op->size / 8, level = (unsigned)m->op[1].imm.value.u & 31;

		add(t, a, bytes);
		for (unsigned k = 1; k < level; k++)
			add(t, (uint32_t)(m->regs.rbp - k * bytes), bytes),
			    add(t, (uint32_t)(a - k * bytes), bytes);
		if (level)
			add(t, (uint32_t)(a - level * bytes), bytes);
		return;
	}
	if (has_text(&m->z, "pusha") || has_text(&m->z, "popa")) {
		const unsigned bytes = op->size / 64, last = 7 * bytes;

		for (unsigned k = 0; k < 8; k++)
			add(t, (uint32_t)(a + (writes ? last - k * bytes : k * bytes)), bytes);
		return;
	}
	if (m->z.mnemonic == ZYDIS_MNEMONIC_POP &&
	    op->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
	    (op->mem.base == ZYDIS_REGISTER_RSP || op->mem.base == ZYDIS_REGISTER_ESP))
		a += op->size / 8;
	if (m->z.mnemonic == ZYDIS_MNEMONIC_LEAVE)
		a = m->regs.rbp;
	switch (m->z.mnemonic) {
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC:
		if (m->op[1].type == ZYDIS_OPERAND_TYPE_REGISTER) {
			uint64_t v = gpr(m, m->op[1].reg.value);
			int64_t bit = op->size == 64   ? (int64_t)v
				      : op->size == 32 ? (int32_t)v
						       : (int16_t)v;

			a += (uint64_t)((bit - (int64_t)((uint64_t)bit & (op->size - 1u))) / 8);
		}
		break;
	default: break;
	}
	add(t, is_32(m) ? (uint32_t)a : a, has_text(&m->z, "prefetch") ? 0 : op->size / 8);
}

static void touches(struct machine *m, struct touched *t)
{
	t->n = 0;
	for (int writing = 0; writing < 2; writing++) {
		for (unsigned i = 0; i < m->z.operand_count; i++) {
			const ZydisDecodedOperand *op = &m->op[i];
			bool reads = op->actions & ZYDIS_OPERAND_ACTION_MASK_READ;

			if (op->type != ZYDIS_OPERAND_TYPE_MEMORY ||
			    op->mem.type == ZYDIS_MEMOP_TYPE_AGEN ||
			    m->z.mnemonic == ZYDIS_MNEMONIC_NOP || reads == (bool)writing ||
			    has_text(&m->z, "clflush"))
				continue;
			touch_operand(m, op, t);
		}
	}
}

/* Registers, and the instruction at pc. */
static void look(struct machine *m)
{
	uint8_t code[16];
	struct iovec here = {code, 15}, there;
	ssize_t n;

	m->has_xstate = false;
	if (ptrace(PTRACE_GETREGS, m->pid, 0, &m->regs))
		fail("no registers", 0);
	there = (struct iovec){(void *)m->regs.rip, 15};
	n = process_vm_readv(m->pid, &here, 1, &there, 1, 0);
	if (n <= 0) { /* perhaps the page after it is missing */
		here.iov_len = there.iov_len = 4096 - m->regs.rip % 4096;
		n = process_vm_readv(m->pid, &here, 1, &there, 1, 0);
	}
	if (n <= 0 ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&m->decoder, code, (size_t)n, &m->z, m->op)))
		fail("an instruction that cannot be decoded", m->regs.rip);
}

/* ---- both ------------------------------------------------------------------------------------ */

static void compare(const struct machine *m, const struct touched *want, const struct touched *got,
		    uint64_t shift, bool is_any_size)
{
	static uint64_t shifts[MAX_STRINGS + 1];
	static bool has_shift[MAX_STRINGS + 1];
	char text[400];

	for (unsigned i = 0; i < want->n && i < got->n && want->n == got->n; i++) {
		uint64_t w = want->a[i].addr, g = got->a[i].addr + shift;

		if (is_32(m))
			g = (uint32_t)g;

		if (w - (m->first_rsp - STACK_REACH) < 2 * STACK_REACH) {
			unsigned k = 0;

			while (k < m->n_string && w >= m->string[k])
				k++;
			if (!has_shift[k])
				shifts[k] = g - w;
			has_shift[k] = true;
			w += shifts[k];
			if (is_32(m))
				w = (uint32_t)w;
		}
		if (w == g && (want->a[i].bytes == got->a[i].bytes || is_any_size))
			continue;
		snprintf(text, sizeof(text),
			 "%s touches %llx, %u bytes, but %llx, %u bytes was recorded",
			 ZydisMnemonicGetString(m->z.mnemonic), (unsigned long long)w,
			 want->a[i].bytes, (unsigned long long)g, got->a[i].bytes);
		fail(text, m->regs.rip);
	}
	if (want->n == got->n)
		return;
	snprintf(text, sizeof(text), "%s makes %u references, %u were recorded",
		 ZydisMnemonicGetString(m->z.mnemonic), want->n, got->n);
	fail(text, m->regs.rip);
}

/* The next step executes two instructions. */
static bool loads_ss(const struct machine *m)
{
	return (m->z.mnemonic == ZYDIS_MNEMONIC_POP || m->z.mnemonic == ZYDIS_MNEMONIC_MOV) &&
	       m->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       m->op[0].reg.value == ZYDIS_REGISTER_SS;
}

static void step(struct machine *m, int *status)
{
	ptrace(PTRACE_SINGLESTEP, m->pid, 0, 0);
	if (waitpid(m->pid, status, 0) != m->pid)
		fail("waitpid", 0);
}

/* One instruction in both. Returns false when the program ended. */
static bool audit_insn(struct machine *m, struct stream *s, uint64_t *n_ref)
{
	struct touched want, got;
	uint64_t pc = m->regs.rip, n = 0, done = 0;
	bool is_rep = s->b->insn[s->insn].flags & X86_I_REP;
	bool is_xsave = has_text(&m->z, "xsave") || has_text(&m->z, "xrstor");
	int status;

	recorded(s, &got);
	if (is_rep)
		n = iterations(s);
	do {
		uint64_t count = m->z.address_width == 32 ? (uint32_t)m->regs.rcx : m->regs.rcx;

		if (!is_rep || count) {
			int64_t bytes = got.n ? (int64_t)got.a[0].bytes : 0;

			touches(m, &want);
			compare(m, &want, &got,
				done * (uint64_t)(m->regs.eflags & 0x400 ? -bytes : bytes),
				is_xsave);
			*n_ref += want.n;
			done++;
		}
		step(m, &status);
		if (!WIFSTOPPED(status))
			return false;
		look(m);
	} while (is_rep && m->regs.rip == pc);
	if (is_rep && done != n)
		fail("a repeated instruction has another number of iterations", pc);
	return true;
}

int main(int argc, char **argv)
{
	static struct machine m;
	static struct stream s;
	uint64_t n_insn = 0, n_ref = 0;
	bool is_hidden = false; /* the instruction is behind one that loads SS */
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: audit TRACE PROGRAM [ARGS...]\n");
		return 2;
	}
	open_stream(&s, argv[1]);
	m.mode = ZYDIS_MACHINE_MODE_LONG_64;
	ZydisDecoderInit(&m.decoder, m.mode, ZYDIS_STACK_WIDTH_64);
	m.pid = fork();
	if (m.pid == 0) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(126);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	if (m.pid < 0 || waitpid(m.pid, &status, 0) != m.pid || !WIFSTOPPED(status))
		fail("the program did not start", 0);
	look(&m);
	if (m.regs.cs == CS_32) {
		m.mode = ZYDIS_MACHINE_MODE_LEGACY_32;
		ZydisDecoderInit(&m.decoder, m.mode, ZYDIS_STACK_WIDTH_32);
		look(&m);
	}
	m.first_rsp = m.regs.rsp;
	for (int i = 0; i < argc - 2 && i < MAX_STRINGS; i++) {
		const unsigned word = is_32(&m) ? 4 : 8;
		uint64_t at = (uint64_t)ptrace(
		    PTRACE_PEEKDATA, m.pid, (void *)(m.first_rsp + word + word * (unsigned)i), 0);

		m.string[m.n_string++] = is_32(&m) ? (uint32_t)at : at;
	}
	while (next_block(&s)) {
		for (; s.insn < s.end; s.insn++) {
			const bool is_seen = !is_hidden;

			n_insn++;
			is_hidden = is_seen && loads_ss(&m);
			if (!is_seen)
				continue;
			if (s.b->pc + s.b->insn[s.insn].pc_off != m.regs.rip)
				fail("the stream is elsewhere", m.regs.rip);
			if (!audit_insn(&m, &s, &n_ref))
				goto ended;
		}
	}
	fail("the stream ends before the program", m.regs.rip);
ended:
	if (s.insn + 1 < s.end || next_block(&s))
		fail("the program ends before the stream", 0);
	printf("instructions %llu references %llu\n", (unsigned long long)n_insn,
	       (unsigned long long)n_ref);
	return 0;
}
