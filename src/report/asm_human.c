/* asm_human.c -- the listing for people.
 *
 * LAYOUT   Pentium: clock of the iteration, pipe, instruction as typed, clocks in EX when not one, then what it waited for
 *          and, after "alone:", the rule that kept the next instruction from going with it.
 *          P6: a row per micro-op: clocks of decode, rename, dispatch, result and retirement, port, what it waited
 *          for behind rename; in the first row of an instruction what its group waited for before.
 */
#include "report/asm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define LEAST_WIDTH 24
#define MOST_WIDTH  60
#define P5_TEXT_AT  12
#define P6_TEXT_AT  47
#define REASON_AT   29
#define NOTE_AT     3
#define REASON_ROOM 24 /* for what an instruction waited for, on a screen */

static int text_at(const struct asm_result *r)
{
	return r->n_line && r->line[0].n_uop ? P6_TEXT_AT : P5_TEXT_AT;
}

static int text_width(const struct asm_result *r, const struct rpt_screen *screen)
{
	const int room = screen->columns - text_at(r) - REASON_ROOM;
	const int most = !screen->columns || room > MOST_WIDTH ? MOST_WIDTH
	                 : room < LEAST_WIDTH                  ? LEAST_WIDTH
	                                                       : room;
	size_t width = LEAST_WIDTH;

	for (size_t i = 0; i < r->n_line; i++)
		if (strlen(r->line[i].text) > width)
			width = strlen(r->line[i].text);
	return (int)width > most ? most : (int)width;
}

static const char *reason_name(const struct cat_cpu *cpu, unsigned why)
{
	const char *name, *sentence;

	return mdl_reason(cpu, why, &name, &sentence) ? name : "";
}

static void print_line(const struct cat_cpu *cpu, const struct asm_line *l, int width, FILE *out)
{
	const bool is_long = l->held_clk != 1 && l->pipe == MDL_PIPE_U;
	const char *between = "  ";

	fprintf(out, "%7" PRIu64 "  %c  ", l->clk, l->pipe == MDL_PIPE_V ? 'V' : 'U');
	if (!is_long && !l->n_stall && !l->refused && !l->is_last) {
		fprintf(out, "%s\n", l->text);
		return;
	}
	fprintf(out, "%-*s ", width, l->text);
	if (is_long)
		fprintf(out, "%4" PRIu32, l->held_clk);
	else
		fprintf(out, "    ");
	for (unsigned i = 0; i < l->n_stall; i++) {
		fprintf(out, "%s%s %" PRIu32, between, reason_name(cpu, l->stall[i].why), l->stall[i].clk);
		between = ", ";
	}
	if (l->refused)
		fprintf(out, "%salone: %s", *between == ',' ? "; " : between, reason_name(cpu, l->refused));
	if (l->is_last)
		fprintf(out, "%slast: nothing follows it", *between == ',' ? "; " : between);
	fputc('\n', out);
}

static void print_stalls(const struct cat_cpu *cpu, const struct mdl_stall *stall, unsigned n, const char *before,
			 FILE *out)
{
	for (unsigned i = 0; i < n; i++, before = ", ")
		if (stall[i].clk)
			fprintf(out, "%s%s %" PRIu32, before, reason_name(cpu, stall[i].why), stall[i].clk);
}

static void print_uops(const struct cat_cpu *cpu, const struct asm_line *l, int width, FILE *out)
{
	for (unsigned i = 0; i < l->n_uop; i++) {
		const struct mdl_line_uop *u = &l->uop[i];
		const char port = u->port == MDL_NO_PORT ? '-' : (char)('0' + u->port);
		const bool has_waits = u->wait.clk || (!i && l->n_stall);

		fprintf(out, "%7" PRId64 " %7" PRId64 " %7" PRId64 " %7" PRId64 " %7" PRId64 "    %c%s%-*s", (int64_t)u->decode_clk,
			(int64_t)u->rename_clk, (int64_t)u->dispatch_clk, (int64_t)u->done_clk, (int64_t)u->retire_clk, port,
			i && !has_waits ? "" : "  ", has_waits ? width : 0, i ? "" : l->text);
		print_stalls(cpu, &u->wait, 1, "  ", out);
		if (!i && l->n_stall)
			print_stalls(cpu, l->stall, l->n_stall, "  before rename: ", out);
		fputc('\n', out);
	}
	if (l->n_more_uop)
		fprintf(out, "%*s and %" PRIu32 " more micro-ops; the last retires at %" PRId64 "\n", 39, "...", l->n_more_uop,
			(int64_t)l->clk);
}

static void print_reasons(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out)
{
	bool is_first = true;

	for (unsigned why = 1; why < SES_ASM_REASONS; why++) {
		const char *name, *sentence;

		if (!r->wait[why] || !mdl_reason(cpu, why, &name, &sentence))
			continue;
		if (is_first)
			fprintf(out, "\n clocks lost per %s:\n", r->is_loop ? "iteration" : "copy");
		is_first = false;
		fprintf(out, "%10.2f  %-16s %s\n", (double)r->wait[why] / (double)r->n_iterations, name, sentence);
	}
}

/* Why instructions went alone, in words, for the iteration that is shown. */
static void print_rules(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out)
{
	bool is_told[SES_ASM_REASONS] = {false}, is_first = true;

	for (size_t i = 0; i < r->n_line; i++) {
		const unsigned why = r->line[i].refused;
		const char *name, *sentence;

		if (!why || is_told[why] || !mdl_reason(cpu, why, &name, &sentence))
			continue;
		is_told[why] = true;
		if (is_first)
			fprintf(out, "\n went alone because:\n");
		is_first = false;
		fprintf(out, "            %-16s %s\n", name, sentence);
	}
}

/* Kinds of instructions that the processor never had. The frame of 64-bit code is of new forms itself. */
static void print_later(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out)
{
	const struct ses_later *l = &r->later;
	const struct {
		const char *name;
		uint64_t n;
	} kind[] = {
		{"integer or x87 forms of later ones", r->bits == 64 ? 0 : l->new_forms},
		{"MMX", l->mmx},
		{"SSE", l->sse},
		{"SSE2 or later", l->all - l->new_forms - l->mmx - l->sse - l->long_mode},
	};
	bool is_first = true;

	for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
		if (!kind[i].n)
			continue;
		if (is_first)
			fprintf(out, "\n Note: instructions that a %s never had count as their nearest class: ", cpu->name);
		fprintf(out, "%s%s", is_first ? "" : ", ", kind[i].name);
		is_first = false;
	}
	if (!is_first)
		fputc('\n', out);
}

static void print_notes(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out)
{
	if (*r->names)
		fprintf(out, "\n Note: names taken as data: %s\n", r->names);
	if (r->is_cut)
		fprintf(out, "\n Note: the text had not ended after %u instructions; these were measured%s\n", ASM_MOST_LINES,
			r->is_loop ? "\n (does the loop overwrite its counter?)" : "");
	print_later(cpu, r, out);
}

static void print_table(const struct cat_cpu *cpu, const struct asm_result *r, int width, FILE *out)
{
	fprintf(out, "%s; %u-bit code%s\n\n", cpu->text, r->bits, r->is_run ? "" : ", not run: timed from its decoded form");
	if (r->n_line && r->line[0].n_uop)
		fprintf(out, " decode  rename dispatch  done  retire port  %s\n", "instruction");
	else
		fprintf(out, "  clock pipe %-*s  in EX\n", width, "instruction");
	for (size_t i = 0; i < r->n_line; i++) {
		if (r->line[i].n_uop)
			print_uops(cpu, &r->line[i], width, out);
		else
			print_line(cpu, &r->line[i], width, out);
	}
}

static void print_sums(const struct asm_result *r, FILE *out)
{
	const double n = (double)r->n_iterations;

	if (r->is_loop || r->n_iterations > 1)
		fprintf(out, "\n %.2f clocks per %s (%" PRIu64 " measured", (double)r->clocks / n,
			r->is_loop ? "iteration" : "copy", r->n_iterations);
	else
		fprintf(out, "\n %" PRIu64 " clocks (", r->clocks);
	if (r->least != r->most)
		fprintf(out, ", %" PRIu64 " to %" PRIu64 " each", r->least, r->most);
	if (r->is_loop || r->n_iterations > 1)
		fprintf(out, "; ");
	fprintf(out, "%.0f instructions", (double)r->n_insn / n);
	if (r->n_line && r->line[0].n_uop)
		fprintf(out, ")\n");
	else
		fprintf(out, ", %.0f in V)\n", (double)r->n_pairs / n);
}

int rpt_asm_human(const struct cat_cpu *cpu, const struct asm_result *r,
		  const struct rpt_screen *screen, FILE *out)
{
	char *text = NULL, *rest, *line;
	size_t n, table;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		return -SPMU_ENOMEM;
	print_table(cpu, r, text_width(r, screen), to);
	fflush(to);
	table = n;
	print_sums(r, to);
	print_reasons(cpu, r, to);
	print_rules(cpu, r, to);
	print_notes(cpu, r, to);
	if (fclose(to)) {
		free(text);
		return -SPMU_ENOMEM;
	}
	for (rest = text; (line = strsep(&rest, "\n")) && rest;) {
		const int indent = line < text + table            ? text_at(r) + 2
		                   : !strncmp(line, " Note", 5) ? NOTE_AT
		                                                : REASON_AT;

		rpt_wrap(screen, line, rpt_indent(screen, indent), out);
	}
	free(text);
	return 0;
}
