/* drive.c -- blocks in the order in which a snippet would execute them, with made-up register
 * values. */
#include "asm/drive.h"

#include <stdlib.h>
#include <string.h>

#include "asm/moves.h"
#include "session/totals/counting.h"
#include "trace/record.h"
#include "x86/build.h"

#define PAGE_BYTES   4096u
#define MOST_CALLS   16u
#define MOST_BLOCKS  1024u
#define MOST_ALIGNED 16u /* bytes of an operand */
#define N_FENCE	     64u /* a P6 has retired the reads of the data meanwhile */
#define DATA_16	     0x4000u
#define STACK_OFF    0x1fc0u
#define SECTION	     0x400u
#define TOUCH_BYTES  9u /* of code that reads a line, at most */

/* Register values a slot's address is made of. */
struct address {
	int8_t base, index; /* -1: none */
	uint8_t scale;
	int64_t disp;
};

/* A block and what its slots need. */
struct known {
	const struct x86_block *b;
	struct address address[X86_MAX_SLOTS];
	int32_t
	    stack_before[X86_MAX_INSNS + 1]; /* change of the stack pointer before instruction i */
	struct asm_step step[X86_MAX_INSNS];
	unsigned n_step, taken; /* taken: times its branch was, in this pass */
};

struct drive {
	const struct asm_program *program;
	struct asm_lines *lines;
	struct spmu_error *err;
	struct x86_builder *builder;
	struct x86_store *store;
	struct mdl *model;
	uint8_t *page; /* code, from first_page on */
	uint64_t first_page, touch;
	size_t n_page;
	struct known *known[MOST_BLOCKS];
	unsigned n_known, n_loop;
	bool is_compiled; /* its data are aligned */
	struct asm_moves moves;
	uint64_t mask; /* of addresses */
	uint64_t call[MOST_CALLS];
	unsigned n_call;
};

static const uint8_t *code_page(void *ctx, uint64_t address)
{
	const struct drive *d = ctx;

	if (address < d->first_page || address >= d->first_page + d->n_page * PAGE_BYTES)
		return NULL;
	return d->page + (address - d->first_page);
}

/* TEST BX/EBX, 1 */
static size_t fence(unsigned bits, uint8_t *out)
{
	static const uint8_t bytes[] = {0xf7, 0xc3, 1, 0, 0, 0};
	const size_t n = bits == 16 ? 4 : 6;

	memcpy(out, bytes, n);
	return n;
}

/* Lines of the data and of the text's own. */
static size_t most_touched_lines(const struct asm_program *p)
{
	size_t n = ASM_DATA_BYTES / 32;

	for (size_t i = 0; i < p->n_range; i++)
		n += (p->range[i].end - p->range[i].begin + 31) / 32;
	return n;
}

/* Reads of every line from address to end. Returns the place behind them. */
static uint8_t *lay_out_reads(unsigned bits, uint8_t *at, uint64_t address, uint64_t end)
{
	const size_t n_address = bits / 8;

	for (; address < end; address += 32) {
		if (bits == 16)
			*at++ = 0x66;
		*at++ =
		    0xa1; /* MOV EAX, [address]: all of EAX, so that no part of it is under way */
		memcpy(at, &address, n_address);
		at += n_address;
	}
	return at;
}

/* Reads of every line of the stack, or of all data, then of the text's own, and a jump to `begin`:
 * so they come into the cache. Returns where it starts. */
static uint64_t lay_out_touch(struct drive *d, const struct asm_settings *s, uint8_t *at,
			      uint64_t begin)
{
	const unsigned bits = s->bits;
	const uint64_t start = d->first_page + (uint64_t)(at - d->page),
		       data = bits == 16 ? DATA_16 : ASM_DATA_ADDRESS;
	const size_t n_jump = bits == 16 ? 2 : 4;
	int32_t back;

	at = lay_out_reads(bits, at, data + (s->is_data_read ? 0 : ASM_STACK_OFF),
			   data + ASM_DATA_BYTES);
	for (size_t i = 0; i < d->program->n_range && s->is_data_read; i++)
		at = lay_out_reads(bits, at, d->program->range[i].begin, d->program->range[i].end);
	*at++ = 0xe9;
	back = (int32_t)(begin - (d->first_page + (uint64_t)(at - d->page) + n_jump));
	memcpy(at, &back, n_jump);
	return start;
}

/* The snippet between its fences, and a jump back to the first of them: where passes begin.
 * Returns 0 when memory is out. */
static uint64_t lay_out(struct drive *d, const struct asm_settings *s)
{
	const struct asm_program *p = d->program;
	const unsigned bits = s->bits;
	const size_t n_fence = bits == 16 ? 4 : 6;
	const uint64_t begin = p->begin - N_FENCE * n_fence;
	uint8_t *at;
	int32_t back;

	d->first_page = begin & ~(uint64_t)(PAGE_BYTES - 1);
	d->n_page =
	    (p->end + 80 + TOUCH_BYTES * most_touched_lines(p) - d->first_page + PAGE_BYTES - 1) /
		PAGE_BYTES +
	    1;
	d->page = calloc(d->n_page, PAGE_BYTES);
	if (!d->page)
		return 0;
	at = d->page + (begin - d->first_page);
	for (unsigned i = 0; i < N_FENCE; i++)
		at += fence(bits, at);
	memcpy(at, p->code, p->end - p->begin);
	at += p->end - p->begin;
	at += fence(bits, at);
	*at++ = 0xe9;
	back = (int32_t)(begin - (d->first_page + (uint64_t)(at - d->page) + (bits == 16 ? 2 : 4)));
	memcpy(at, &back, bits == 16 ? 2 : 4);
	d->touch = lay_out_touch(d, s, at + 16, begin);
	return begin;
}

static void set_registers(struct drive *d, unsigned bits)
{
	static const struct {
		uint8_t reg, section, byte;
	} pointers[] = {{X86_RSI, 0, 0},  {X86_RDI, 1, 8}, {X86_RBX, 2, 16},
			{X86_RBP, 3, 24}, {X86_RAX, 4, 4}, {X86_RDX, 6, 20}};
	const uint64_t data = bits == 16 ? DATA_16 : ASM_DATA_ADDRESS;

	for (unsigned r = 8; r < 16; r++)
		d->moves.start[r] = data + (r - 8) % 7 * SECTION + SECTION / 2 + (r - 8) * 8 % 32;
	for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++)
		d->moves.start[pointers[i].reg] =
		    data + pointers[i].section * SECTION + pointers[i].byte;
	d->moves.start[X86_RCX] = d->n_loop;
	d->moves.start[X86_RSP] = data + STACK_OFF;
	d->mask = bits == 16 ? 0xffff : bits == 32 ? 0xffffffff : UINT64_MAX;
}

/* By how much the instruction moves the stack pointer. */
static int32_t stack_step(const struct x86_decoded *d)
{
	for (unsigned i = 0; i < d->z.operand_count; i++) {
		const ZydisDecodedOperand *op = &d->op[i];

		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
		    x86_gpr_number(op->mem.base) == X86_RSP)
			return op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE
				   ? -(int32_t)(op->size / 8)
				   : (int32_t)(op->size / 8);
	}
	return 0;
}

static struct address address_of(const struct x86_decoded *d)
{
	for (unsigned i = 0; i < d->z.operand_count; i++) {
		const ZydisDecodedOperand *op = &d->op[i];

		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
			return (struct address){(int8_t)x86_gpr_number(op->mem.base),
						(int8_t)x86_gpr_number(op->mem.index),
						op->mem.scale ? op->mem.scale : 1,
						op->mem.disp.value};
	}
	return (struct address){-1, -1, 1, 0};
}

static bool is_of_text(const struct drive *d, uint64_t pc)
{
	return pc >= d->program->begin && pc < d->program->end;
}

static struct known *build(struct drive *d, uint64_t pc)
{
	const struct x86_code_source source = {code_page, d};
	const struct x86_build_limits limits = {.max_insns = X86_MAX_INSNS, .has_slots = true};
	struct x86_builder *b = d->builder;
	struct known *k = d->n_known < MOST_BLOCKS ? calloc(1, sizeof(*k)) : NULL;

	if (!k || x86_block_build(b, pc, &source, &limits))
		goto fail;
	k->b = x86_store_add(d->store, &b->block);
	if (!k->b)
		goto fail;
	for (unsigned i = 0; i < k->b->n_insn; i++)
		k->stack_before[i + 1] = k->stack_before[i] + stack_step(&b->dec[i]);
	for (unsigned i = 0; i < k->b->n_insn && is_of_text(d, pc); i++) {
		k->step[k->n_step].insn = (uint8_t)i;
		k->n_step += asm_moves_step(&d->moves, &b->dec[i], &k->step[k->n_step]);
	}
	for (unsigned i = 0; i < k->b->n_slot; i++) {
		const struct address a = address_of(&b->dec[k->b->slot[i].insn]);

		k->address[i] = a;
		if (is_of_text(d, pc))
			d->moves.pointers |= (uint16_t)((a.base < 0 ? 0 : 1u << a.base) |
							(a.index < 0 ? 0 : 1u << a.index));
	}
	d->known[d->n_known++] = k;
	return k;
fail:
	free(k);
	return NULL;
}

static struct known *block_at(struct drive *d, uint64_t pc)
{
	for (unsigned i = 0; i < d->n_known; i++)
		if (d->known[i]->b->pc == pc)
			return d->known[i];
	return build(d, pc);
}

/* The register in front of an instruction of the block. */
static uint64_t register_at(const struct drive *d, const struct known *k, unsigned insn, int reg)
{
	uint64_t value;

	if (reg < 0)
		return 0;
	value = d->moves.value[reg];
	if (reg == X86_RSP)
		return value + (uint64_t)(int64_t)k->stack_before[insn];
	for (unsigned i = 0; i < k->n_step && k->step[i].insn < insn; i++)
		value += k->step[i].reg == reg ? (uint64_t)k->step[i].by : 0;
	return value;
}

/* The block was executed, and `next` follows. */
static void pass_block(struct drive *d, const struct known *k, uint64_t next)
{
	for (unsigned i = 0; i < k->n_step; i++)
		d->moves.value[k->step[i].reg] += (uint64_t)k->step[i].by;
	d->moves.value[X86_RSP] += (uint64_t)(int64_t)k->stack_before[k->b->n_insn];
	if (next == k->b->target && next <= k->b->pc && is_of_text(d, next) &&
	    is_of_text(d, k->b->pc))
		asm_moves_turn(&d->moves);
}

/* Nobody knows the registers of compiled code, but compilers align data: an address is moved down
 * to a multiple of its operand, by its base. The largest operand behind a base decides. */
static void align(const struct x86_block *b, uint64_t *value)
{
	uint16_t largest[X86_MAX_SLOTS] = {0};

	for (unsigned i = 0; i < b->n_ref; i++) {
		const struct x86_ref *r = &b->ref[i];
		uint64_t address = r->disp;

		if (r->slot == X86_NO_SLOT || (r->flags & X86_REF_PARTS) ||
		    r->bytes > MOST_ALIGNED || (r->bytes & (r->bytes - 1)) ||
		    r->bytes <= largest[r->slot])
			continue;
		address += value[r->slot];
		address += r->slot2 != X86_NO_SLOT ? value[r->slot2] * r->scale : 0;
		value[r->slot] -= address & (r->bytes - 1);
		largest[r->slot] = r->bytes;
	}
}

static int feed(struct drive *d, const struct known *k)
{
	uint8_t record[4 + 8 * X86_MAX_SLOTS];
	uint64_t value[X86_MAX_SLOTS] = {0};
	const uint32_t head = trc_block_head(k->b->id, k->b->n_slot);

	memcpy(record, &head, 4);
	for (unsigned i = 0; i < k->b->n_slot; i++) {
		const struct x86_slot *s = &k->b->slot[i];
		const struct address *a = &k->address[i];

		if (s->kind == X86_SLOT_REG)
			value[i] = register_at(d, k, s->insn, s->reg) & d->mask;
		else if (s->kind == X86_SLOT_ADDRESS)
			value[i] =
			    (register_at(d, k, s->insn, a->base) +
			     register_at(d, k, s->insn, a->index) * a->scale + (uint64_t)a->disp) &
			    d->mask;
	}
	if (d->is_compiled)
		align(k->b, value);
	memcpy(record + 4, value, 8 * (size_t)k->b->n_slot);
	return mdl_feed(d->model, record, trc_block_bytes(head));
}

/* Where execution goes on behind block k; 0 after a sentence. */
static uint64_t next_of(struct drive *d, struct known *k)
{
	const struct x86_block *b = k->b;

	switch (b->term) {
	case X86_TERM_JMP: return b->target;
	case X86_TERM_JCC:
		if (b->target < b->fall && ++k->taken < d->n_loop)
			return b->target;
		return b->fall;
	case X86_TERM_CALL:
		if (d->n_call < MOST_CALLS)
			d->call[d->n_call++] = b->fall;
		return b->target;
	case X86_TERM_RET:
		if (d->n_call)
			return d->call[--d->n_call];
		spmu_fail(d->err, SPMU_EINVAL, "the code returns without having been called");
		return 0;
	case X86_TERM_JMP_IND:
	case X86_TERM_CALL_IND:
		spmu_fail(d->err, SPMU_EINVAL,
			  "code that is not run has no target for an indirect branch");
		return 0;
	default: return b->fall;
	}
}

/* One pass, from `pc` on by way of `begin`. */
static int run_pass(struct drive *d, uint64_t pc, uint64_t begin)
{
	asm_moves_begin(&d->moves);
	d->n_call = 0;
	for (unsigned i = 0; i < d->n_known; i++)
		d->known[i]->taken = 0;
	for (bool is_begun = false; pc && !(is_begun && pc == begin) && !d->lines->is_enough;) {
		struct known *k = block_at(d, pc);

		is_begun |= pc == begin;
		if (!k)
			return spmu_fail(d->err, SPMU_EINVAL,
					 "the code branches out of the text, or is too long");
		if (feed(d, k))
			return spmu_fail(d->err, SPMU_EINVAL, "the model does not take this code");
		pc = next_of(d, k);
		pass_block(d, k, pc);
	}
	return pc || d->lines->is_enough ? 0 : -SPMU_EINVAL;
}

static void close_all(struct drive *d, struct wires *w)
{
	for (unsigned i = 0; i < d->n_known; i++)
		free(d->known[i]);
	mdl_close(d->model);
	x86_store_close(d->store);
	free(d->builder);
	free(d->page);
	free(d);
	free(w);
}

int asm_drive(const struct asm_config *cfg, const struct asm_settings *s, struct asm_lines *l,
	      struct asm_result *out, struct spmu_error *err)
{
	struct mdl_config *model = calloc(1, sizeof(*model));
	struct wires *w = calloc(1, sizeof(*w));
	struct drive *d = calloc(1, sizeof(*d));
	uint64_t begin = 0;
	int rc = 0;

	if (!model || !w || !d || !(d->builder = calloc(1, sizeof(*d->builder))) ||
	    x86_store_open(&d->store)) {
		rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
		goto done;
	}
	d->program = l->program;
	d->lines = l;
	d->err = err;
	d->n_loop = s->n_loop;
	d->is_compiled = cfg->code != NULL;
	x86_builder_init(d->builder, s->bits == 16   ? X86_MODE_16
				     : s->bits == 32 ? X86_MODE_32
						     : X86_MODE_64);
	set_registers(d, s->bits);
	*model = cfg->model;
	model->store = d->store;
	model->on_line = asm_lines_take;
	model->line_ctx = l;
	ses_wanted_wires(NULL, 0, model->wanted);
	begin = lay_out(d, s);
	if (!begin || mdl_open(model, w, &d->model)) {
		rc = spmu_fail(err, SPMU_ENOMEM, "the model cannot be opened with these settings");
		goto done;
	}
	for (unsigned pass = 0; pass < s->n_pass && !rc; pass++)
		rc = run_pass(d, pass ? begin : d->touch, begin);
	mdl_finish(d->model);
	out->later = ses_later_of(w->total);
	memcpy(out->move, d->moves.move, sizeof(out->move));
	out->pointers = d->moves.pointers;
done:
	free(model);
	if (d)
		close_all(d, w);
	else
		free(w);
	return rc;
}
