/* compiled.c -- decodes a function, finds its loops, and writes a piece of it as text.
 * Rules: compiled.h. */
#include "asm/compiled.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "x86/block.h"
#include "x86/insn.h"

/* ---- instructions ---------------------------------------------------------------------------- */

static void format_insn(const ZydisFormatter *f, const struct x86_decoded *d, struct asm_insn *out)
{
	const int n = snprintf(out->text, sizeof(out->text), "%x: ", out->at);

	if (d->is_unknown || !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(
				 f, &d->z, d->op, d->z.operand_count_visible, out->text + n,
				 sizeof(out->text) - (size_t)n, out->at, NULL)))
		snprintf(out->text + n, sizeof(out->text) - (size_t)n, "(no instruction)");
}

/* Where a direct branch leads, from the function's beginning; -1: it is none. */
static int64_t target_of(const struct x86_decoded *d)
{
	const ZydisDecodedOperand *op = &d->op[0];

	if (!d->z.operand_count_visible || op->type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
	    !op->imm.is_relative)
		return -1;
	return (int64_t)(d->pc + d->z.length) + op->imm.value.s;
}

int asm_code_decode(struct asm_code *c, const uint8_t *bytes, uint32_t n, unsigned bits,
		    uint32_t address)
{
	ZydisDecoder decoder;
	ZydisFormatter formatter;
	uint32_t at = 0;

	*c = (struct asm_code){.bytes = bytes,
			       .bits = bits,
			       .address = address,
			       .insn = calloc(n + 1u, sizeof(*c->insn))};
	if (!c->insn)
		return -SPMU_ENOMEM;
	x86_decoder_init(&decoder, bits == 32 ? X86_MODE_32 : X86_MODE_64);
	ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
	while (at < n) {
		struct asm_insn *i = &c->insn[c->n];
		struct x86_decoded d;

		if (x86_decode(&decoder, &d, at, bytes + at, n - at > 15 ? 15 : n - at))
			break; /* the function ends inside of it */
		*i = (struct asm_insn){.at = at,
				       .n = d.is_unknown ? 1 : d.z.length,
				       .term = d.term,
				       .target = target_of(&d)};
		format_insn(&formatter, &d, i);
		at += i->n;
		c->n++;
	}
	return 0;
}

void asm_code_free(struct asm_code *c)
{
	free(c->insn);
	*c = (struct asm_code){.bytes = NULL};
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Number of the instruction at a byte of the function, whose instructions are in ascending order;
 * -1: none begins there. */
static int64_t insn_at(const struct asm_code *c, int64_t at)
{
	size_t first = 0, end = c->n;

	while (first < end) {
		const size_t middle = first + (end - first) / 2;

		if (c->insn[middle].at < at)
			first = middle + 1;
		else
			end = middle;
	}
	return first < c->n && c->insn[first].at == at ? (int64_t)first : -1;
}

/* Does the way from the piece's first instruction come to its last one? reached: a flag for each
 * instruction of the code, all false. */
static bool comes_back(const struct asm_code *c, const struct asm_piece *p, bool *reached)
{
	bool is_more = true;

	reached[p->first] = true;
	for (size_t i = p->first; is_more; i = p->first) {
		for (is_more = false; i < p->last; i++) {
			const struct asm_insn *insn = &c->insn[i];
			const uint8_t term = insn->term;
			const int64_t to = term == X86_TERM_JMP || term == X86_TERM_JCC
					       ? insn_at(c, insn->target)
					       : -1;

			if (!reached[i])
				continue;
			if (term != X86_TERM_JMP && term != X86_TERM_RET &&
			    term != X86_TERM_JMP_IND && !reached[i + 1])
				is_more = reached[i + 1] = true;
			if (to >= (int64_t)p->first && to <= (int64_t)p->last && !reached[to])
				is_more = reached[to] = true;
		}
		if (reached[p->last])
			return true;
	}
	return p->first == p->last;
}

/* Is there a way from the target of a branch backwards to it? */
static bool is_loop(const struct asm_code *c, const struct asm_piece *p)
{
	bool *reached = calloc(c->n, sizeof(*reached));
	const bool is_so = reached && comes_back(c, p, reached);

	free(reached);
	return is_so;
}

static bool is_back_branch(const struct asm_code *c, size_t i, struct asm_piece *out)
{
	const struct asm_insn *insn = &c->insn[i];
	int64_t head;

	if ((insn->term != X86_TERM_JMP && insn->term != X86_TERM_JCC) || insn->target > insn->at)
		return false;
	head = insn_at(c, insn->target);
	*out = (struct asm_piece){head < 0 ? 0 : (size_t)head, i, true};
	return head >= 0 && is_loop(c, out);
}

unsigned asm_code_loops(const struct asm_code *c, struct asm_piece out[ASM_MOST_LOOPS])
{
	struct asm_piece p, q;
	unsigned n = 0;

	for (size_t i = 0; i < c->n && n < ASM_MOST_LOOPS; i++) {
		bool is_innermost = is_back_branch(c, i, &p);

		for (size_t k = p.first; is_innermost && k < i; k++)
			is_innermost = !is_back_branch(c, k, &q) || q.first < p.first;
		if (is_innermost)
			out[n++] = p;
	}
	return n;
}

struct asm_piece asm_code_whole(const struct asm_code *c)
{
	struct asm_piece p = {0, c->n ? c->n - 1 : 0, false};

	while (p.last &&
	       (c->insn[p.last].term == X86_TERM_RET || strstr(c->insn[p.last].text, ": nop")))
		p.last--;
	return p;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Why an instruction cannot be timed; NULL: it can. */
static const char *refusal(const struct asm_code *c, const struct asm_piece *p, size_t i)
{
	const struct asm_insn *insn = &c->insn[i];

	if (strstr(insn->text, "(no instruction)"))
		return "is no instruction that softpmu knows";
	switch (insn->term) {
	case X86_TERM_CALL:
	case X86_TERM_CALL_IND: return "calls a function, which is not part of it";
	case X86_TERM_JMP_IND: return "goes to an address that only a run knows";
	case X86_TERM_RET: return "returns";
	case X86_TERM_FALL:
	case X86_TERM_JCC: return NULL;
	case X86_TERM_JMP:
		return insn->target < c->insn[p->first].at || insn->target > c->insn[p->last].at
			   ? "leaves it"
			   : NULL;
	default: return "asks the kernel, or needs more than a processor does in its pipes";
	}
}

static int add_insn(const struct asm_code *c, const struct asm_insn *insn, unsigned line,
		    struct asm_statement *out)
{
	struct text code = {0};

	for (unsigned k = 0; k < insn->n; k++)
		text_printf(&code, "%s0x%02x", k ? "," : ".byte ", c->bytes[insn->at + k]);
	*out = (struct asm_statement){.labels = strdup(""),
				      .text = strdup(insn->text),
				      .code = strdup(text_get(&code)),
				      .line = line,
				      .is_code = true};
	text_free(&code);
	return out->labels && out->text && out->code ? 0 : -SPMU_ENOMEM;
}

/* What stands before a loop, so that it lies in its 32 bytes as it does in the program. The text
 * begins at a multiple of 32. */
static int add_gap(const struct asm_code *c, const struct asm_piece *p, struct asm_statement *out)
{
	char code[32];

	snprintf(code, sizeof(code), ".skip %u,0x90", (c->address + c->insn[p->first].at) % 32);
	*out =
	    (struct asm_statement){.labels = strdup(""), .text = strdup(""), .code = strdup(code)};
	return out->labels && out->text && out->code ? 0 : -SPMU_ENOMEM;
}

int asm_code_text(const struct asm_code *c, const struct asm_piece *p, struct asm_text *out,
		  struct spmu_error *err)
{
	const size_t n = p->last - p->first + 1;
	int rc = 0;

	*out = (struct asm_text){.bits = c->bits, .has_labels = p->is_loop};
	for (size_t i = p->first; i <= p->last; i++)
		if (refusal(c, p, i))
			return spmu_fail(err, SPMU_EINVAL, "'%s' %s", c->insn[i].text,
					 refusal(c, p, i));
	out->statement = calloc(n + 1, sizeof(*out->statement));
	if (!out->statement)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	if (p->is_loop)
		rc = add_gap(c, p, &out->statement[out->n++]);
	for (size_t i = p->first; i <= p->last && !rc; i++, out->n++)
		rc = add_insn(c, &c->insn[i], (unsigned)out->n + 1, &out->statement[out->n]);
	return rc ? spmu_fail(err, SPMU_ENOMEM, "out of memory") : 0;
}
