/* asm_decode.c -- what the decoders of a P6 do in a listing: do they limit it, and why.
 *
 * RULES   each clock of the decoders has one reason, which the model gives. A piece of code that is
 *         repeated takes as long as its decoders when the queue behind them never fills. What comes
 *         behind them is the limit when they wait for room in it: rename, when there are three
 *         micro-ops for each clock.
 */
#include "report/asm.h"

#include <inttypes.h>
#include <string.h>

#define RENAMED_PER_CLK 3u /* of every P6 */

enum rpt_asm_limit rpt_asm_limit(const struct asm_result *r)
{
	uint64_t clocks = 0;

	if (!r->n_line || !r->line[0].n_uop || (!r->is_loop && r->n_iterations == 1))
		return RPT_ASM_UNKNOWN;
	for (unsigned why = 1; why < SES_ASM_REASONS; why++)
		clocks += r->decode[why];
	if (!clocks)
		return RPT_ASM_UNKNOWN;
	if (!r->is_queue_full)
		return RPT_ASM_DECODE;
	return r->n_uop >= RENAMED_PER_CLK * r->clocks ? RPT_ASM_RENAME : RPT_ASM_BEHIND;
}

/* The clocks per iteration that the decoders waited for room. */
static double full_clocks(const struct cat_cpu *cpu, const struct asm_result *r)
{
	const char *name, *sentence;

	for (unsigned why = 1; mdl_reason(cpu, why, &name, &sentence); why++)
		if (!strcmp(name, "queue full"))
			return (double)r->decode[why] / (double)r->n_iterations;
	return 0;
}

void rpt_asm_limit_sentence(const struct cat_cpu *cpu, const struct asm_result *r,
			    char out[RPT_ASM_SENTENCE])
{
	const char *what = r->is_loop ? "loop" : "copy";
	const enum rpt_asm_limit limit = rpt_asm_limit(r);

	*out = 0;
	if (limit == RPT_ASM_DECODE)
		snprintf(out, RPT_ASM_SENTENCE,
			 "Decoding limits this %s: the queue behind the decoders is never full",
			 what);
	else if (limit == RPT_ASM_RENAME)
		snprintf(out, RPT_ASM_SENTENCE,
			 "Rename limits this %s: it takes three micro-ops a clock, and there are "
			 "%.2f",
			 what, (double)r->n_uop / (double)r->n_iterations);
	else if (limit == RPT_ASM_BEHIND)
		snprintf(out, RPT_ASM_SENTENCE,
			 "Of the %.2f clocks the decoders wait %.2f for room in the queue behind "
			 "them",
			 (double)r->clocks / (double)r->n_iterations, full_clocks(cpu, r));
}

/* Which instruction begins which clock of the decoders, in the iteration that is shown. */
static void print_groups(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out)
{
	fprintf(out, "\n why an instruction leaves the decoders later than the one before:\n");
	for (size_t i = 0; i < r->n_line; i++) {
		const struct asm_line *l = &r->line[i];

		for (unsigned k = 0; k < l->n_decode; k++) {
			const char *name, *sentence;

			if (!mdl_reason(cpu, l->decode[k].why, &name, &sentence))
				continue;
			if (!k)
				fprintf(out, "%6" PRId64 "      %-16s %2" PRIu32 "  %s\n",
					(int64_t)l->uop[0].decode_clk, name, l->decode[k].clk,
					l->text);
			else
				fprintf(out, "            %-16s %2" PRIu32 "\n", name,
					l->decode[k].clk);
		}
	}
}

void rpt_asm_decode(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out)
{
	char sentence[RPT_ASM_SENTENCE];
	const char *name, *why_text;

	rpt_asm_limit_sentence(cpu, r, sentence);
	if (!*sentence)
		return;
	fprintf(out, "\n %s.\n\n the decoders' clocks, of each %s:\n", sentence,
		r->is_loop ? "iteration" : "copy");
	for (unsigned why = 1; why < SES_ASM_REASONS; why++)
		if (r->decode[why] && mdl_reason(cpu, why, &name, &why_text)) {
			fprintf(out, "%10.2f  %-16s",
				(double)r->decode[why] / (double)r->n_iterations, name);
			rpt_asm_sentence(why_text, rpt_asm_event(cpu, name), out);
		}
	print_groups(cpu, r, out);
}
