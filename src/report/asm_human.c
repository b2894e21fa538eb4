/* asm_human.c -- the listing for people.
 *
 * LAYOUT   Pentium: clock of the iteration, pipe, instruction as typed, clocks in EX when not
 *          one, then what it waited for and, after "alone:", the rule that kept the next
 *          instruction from going with it. P6: a row per micro-op: clocks of decode, rename,
 *          dispatch, result and retirement, port, what it waited for behind rename; in the first
 *          row of an instruction what its group waited for before.
 */
#include "report/asm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define LONG_SHARE	5 /* a fifth of all clocks is long */
#define MOST_LONG	3u
#define LEAST_WIDTH	24
#define LEAST_UOPS	20 /* the same of a P6 */
#define MOST_WIDTH	60
#define P5_TEXT_AT	12
#define P6_TEXT_AT	41
#define NOTE_AT		3
#define REASON_ROOM	24 /* for what an instruction waited for, on a screen */
#define LINE_WIDTH	80
#define BELOW_COLUMN	20 /* of waits on a line of their own */
#define WAITS_COLUMN	17 /* less the width of texts: where waits begin on a Pentium */
#define SENTENCE_COLUMN 29 /* of reasons */

static int text_at(const struct asm_result *r)
{
	return r->n_line && r->line[0].n_uop ? P6_TEXT_AT : P5_TEXT_AT;
}

static int text_width(const struct asm_result *r, const struct rpt_screen *screen)
{
	const int room = screen->columns - text_at(r) - REASON_ROOM;
	const int most = !screen->columns || room > MOST_WIDTH ? MOST_WIDTH
			 : room < LEAST_WIDTH		       ? LEAST_WIDTH
							       : room;
	size_t width = r->n_line && r->line[0].n_uop ? LEAST_UOPS : LEAST_WIDTH;

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
	const bool has_clocks = l->held_clk != 1 && l->pipe == MDL_PIPE_U;
	const char *between = "  ";
	char alone[64];
	int column;

	fprintf(out, "%7" PRIu64 "  %c  ", l->clk, l->pipe == MDL_PIPE_V ? 'V' : 'U');
	if (!has_clocks && !l->n_stall && !l->refused && !l->is_last) {
		fprintf(out, "%s\n", l->text);
		return;
	}
	fprintf(out, "%-*s ", width, l->text);
	if (has_clocks)
		fprintf(out, "%4" PRIu32, l->held_clk);
	else
		fprintf(out, "    ");
	column = width + WAITS_COLUMN;
	for (unsigned i = 0; i < l->n_stall; i++) {
		column += fprintf(out, "%s%s %" PRIu32, between, reason_name(cpu, l->stall[i].why),
				  l->stall[i].clk);
		between = ", ";
	}
	if (!l->refused && !l->is_last) {
		fputc('\n', out);
		return;
	}
	snprintf(alone, sizeof(alone), "%s%s", l->is_last ? "last: nothing follows it" : "alone: ",
		 l->is_last ? "" : reason_name(cpu, l->refused));
	if (column + 2 + (int)strlen(alone) > LINE_WIDTH && l->n_stall)
		fprintf(out, "\n%*s%s\n", width + WAITS_COLUMN, "", alone);
	else
		fprintf(out, "%s%s\n", *between == ',' ? "; " : between, alone);
}

static void print_stalls(const struct cat_cpu *cpu, const struct mdl_stall *stall, unsigned n,
			 const char *before, FILE *out)
{
	for (unsigned i = 0; i < n; i++, before = ", ")
		if (stall[i].clk)
			fprintf(out, "%s%s %" PRIu32, before, reason_name(cpu, stall[i].why),
				stall[i].clk);
}

static void print_uops(const struct cat_cpu *cpu, const struct asm_line *l, int width, FILE *out)
{
	for (unsigned i = 0; i < l->n_uop; i++) {
		const struct mdl_line_uop *u = &l->uop[i];
		const char port = u->port == MDL_NO_PORT ? '-' : (char)('0' + u->port);
		const bool has_stalls = !i && l->n_stall,
			   is_below =
			       has_stalls && (u->wait.clk || width > LEAST_UOPS || l->n_stall > 1);
		const bool has_waits = u->wait.clk || (has_stalls && !is_below);

		fprintf(out,
			"%6" PRId64 " %6" PRId64 " %8" PRId64 " %4" PRId64 " %6" PRId64
			" %4c%s%-*s",
			(int64_t)u->decode_clk, (int64_t)u->rename_clk, (int64_t)u->dispatch_clk,
			(int64_t)u->done_clk, (int64_t)u->retire_clk, port,
			i && !has_waits ? "" : "  ", has_waits ? width : 0, i ? "" : l->text);
		print_stalls(cpu, &u->wait, 1, "  ", out);
		if (has_stalls) {
			if (is_below)
				fprintf(out, "\n%*s", BELOW_COLUMN, "");
			print_stalls(cpu, l->stall, l->n_stall, "  before rename: ", out);
		}
		fputc('\n', out);
	}
	if (l->n_more_uop)
		fprintf(out,
			"%*s and %" PRIu32 " more micro-ops; the last retires at %" PRId64 "\n", 34,
			"...", l->n_more_uop, (int64_t)l->clk);
}

/* A word, a blank or the beginning of a line before it. */
static int print_word(const char *word, size_t n, int column, FILE *out)
{
	if (column + 1 + (int)n > LINE_WIDTH) {
		fprintf(out, "\n%*s", SENTENCE_COLUMN, "");
		column = SENTENCE_COLUMN - 1;
	} else {
		fputc(' ', out);
	}
	fprintf(out, "%.*s", (int)n, word);
	return column + 1 + (int)n;
}

void rpt_asm_sentence(const char *sentence, const struct cat_event *e, FILE *out)
{
	int column = SENTENCE_COLUMN - 1;
	size_t n;

	for (const char *at = sentence; *at; at += n + (at[n] == ' ')) {
		n = strcspn(at, " ");
		column = print_word(at, n, column, out);
	}
	if (e) {
		fputc(';', out);
		column = print_word("event", 5, column + 1, out);
		print_word(e->name, strlen(e->name), column, out);
	}
	fputc('\n', out);
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
		fprintf(out, "%10.2f  %-16s", (double)r->wait[why] / (double)r->n_iterations, name);
		rpt_asm_sentence(sentence, rpt_asm_event(cpu, name), out);
	}
	if (!is_first)
		fprintf(out, "\n A clock that is lost behind another loss anyway is not "
			     "listed: it shows\n when that one is gone.\n");
}

/* Does line i keep the pipes for longer than the one clock of most, and for long enough to matter?
 */
static bool is_long(const struct asm_result *r, const struct asm_line *l)
{
	return l->pipe == MDL_PIPE_U && l->held_clk > 1 &&
	       (uint64_t)l->held_clk * LONG_SHARE * r->n_iterations >= r->clocks;
}

/* The instructions that keep the pipes of a Pentium longest, the longest first. */
static void print_longest(const struct asm_result *r, FILE *out)
{
	const struct asm_line *last = NULL;

	for (unsigned n = 0; n < MOST_LONG; n++) {
		const struct asm_line *best = NULL;

		for (size_t i = 0; i < r->n_line; i++) {
			const struct asm_line *l = &r->line[i];
			const bool is_told = last && (l->held_clk > last->held_clk ||
						      (l->held_clk == last->held_clk && l <= last));

			if (is_long(r, l) && !is_told && (!best || l->held_clk > best->held_clk))
				best = l;
		}
		if (!best)
			return;
		if (!last)
			fprintf(out, "\n longest in EX, of %.4g clocks:\n",
				(double)r->clocks / (double)r->n_iterations);
		fprintf(out, "%10" PRIu32 "  %s", best->held_clk, best->text);
		if (best + 1 < r->line + r->n_line && best[1].pipe == MDL_PIPE_V)
			fprintf(out, ", with %s in V", best[1].text);
		fputc('\n', out);
		last = best;
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
		fprintf(out, "            %-16s", name);
		rpt_asm_sentence(sentence, NULL, out);
	}
}

/* "s" behind a number that is written as `text`, unless it is 1. */
static const char *plural(const char *text)
{
	return strcmp(text, "1") ? "s" : "";
}

/* Clocks and instructions. */
static void print_sum(const struct asm_result *r, FILE *out)
{
	const bool is_one = !r->is_loop && r->n_iterations == 1,
		   has_pipes = r->n_line && !r->line[0].n_uop;
	const double n = (double)r->n_iterations;
	char clocks[32], insns[32];
	uint64_t lost = 0;

	snprintf(clocks, sizeof(clocks), is_one ? "%.0f" : "%.2f", (double)r->clocks / n);
	snprintf(insns, sizeof(insns), "%.0f", (double)r->n_insn / n);
	fprintf(out, "\n %s clock%s ", clocks, plural(clocks));
	if (is_one)
		fputc('(', out);
	else
		fprintf(out, "per %s (%" PRIu64 " measured", r->is_loop ? "iteration" : "copy",
			r->n_iterations);
	if (r->least != r->most)
		fprintf(out, ", %" PRIu64 " to %" PRIu64 " each", r->least, r->most);
	fprintf(out, "%s%s instruction%s", is_one ? "" : "; ", insns, plural(insns));
	if (has_pipes)
		fprintf(out, ", %.0f in V", (double)r->n_pairs / n);
	fprintf(out, ")\n");
	for (unsigned why = 1; why < SES_ASM_REASONS; why++)
		lost += r->wait[why];
	if (has_pipes && lost && lost <= r->clocks)
		fprintf(out,
			is_one ? "   = %.0f to issue + %.0f lost\n"
			       : "   = %.2f to issue + %.2f lost\n",
			(double)(r->clocks - lost) / n, (double)lost / n);
}

/* Kinds of instructions that the processor never had. The frame of 64-bit code is of new forms
 * itself. */
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
			fprintf(out,
				"\n Note: instructions that a %s never had count as their "
				"nearest class: ",
				cpu->name);
		fprintf(out, "%s%s", is_first ? "" : ", ", kind[i].name);
		is_first = false;
	}
	if (!is_first)
		fputc('\n', out);
}

/* Does the text say that an instruction reads or writes memory? */
static bool names_memory(const struct asm_result *r)
{
	for (size_t i = 0; i < r->n_line; i++)
		if ((strchr(r->line[i].text, '[') || strstr(r->line[i].text, "(%")) &&
		    !strstr(r->line[i].text, "lea"))
			return true;
	return false;
}

static const char *register_name(unsigned bits, unsigned r, char out[8])
{
	static const char *const low[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};

	if (r < 8)
		snprintf(out, 8, "%s%s", bits == 64 ? "r" : bits == 32 ? "e" : "", low[r]);
	else
		snprintf(out, 8, "r%u", r);
	return out;
}

/* Which addresses code had that was not executed. */
static void print_addresses(const struct asm_result *r, FILE *out)
{
	unsigned n = 0;
	char name[8];

	if (r->is_run || !r->pointers)
		return;
	fputs("\n Note: addresses are made up, for nothing is executed", out);
	for (unsigned i = 0; i < 16; i++) {
		const struct asm_move *m = &r->move[i];

		if (!(r->pointers >> i & 1) || !m->by)
			continue;
		fprintf(out, "%s%s moves by %lld", n++ ? ", " : "; in each iteration\n ",
			register_name(r->bits, i, name), (long long)m->by);
		if (m->used != m->by)
			fprintf(out, " (timed: %lld, to stay in L1D)", (long long)m->used);
	}
	fputs(n		   ? ", and others stay\n"
	      : r->is_loop ? ", and the same in each\n iteration, so that loads may get what the "
			     "one before stored\n"
			   : ": registers point\n into 8 KB of data\n",
	      out);
}

/* Were clocks lost by a reason of this name? */
static bool has_lost(const struct cat_cpu *cpu, const struct asm_result *r, const char *reason)
{
	for (unsigned why = 1; why < SES_ASM_REASONS; why++)
		if (r->wait[why] && !strcmp(reason_name(cpu, why), reason))
			return true;
	return false;
}

/* What is in the caches, and what brought it there. */
static void print_warmth(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out)
{
	const bool is_p5 = cpu->family == CAT_P5;

	if (is_p5 && !r->is_data_read && has_lost(cpu, r, "write buffer"))
		fprintf(out, "\n Note: a Pentium's store that misses L1D brings no line in, and "
			     "nothing read these\n lines before; --read-data reads all data first, "
			     "so that stores hit\n");
	if (r->is_run && !r->n_warm_up)
		fprintf(out, "\n Note: no pass went before this one: caches, TLBs and "
			     "predictions are cold\n");
	else if (r->is_run && names_memory(r))
		fprintf(out,
			"\n Note: %s in L1D; in a\n program they may not be (softpmu stat -d, "
			"annotate)\n",
			r->is_data_read ? "all data were read before the first pass, and are"
			: is_p5 ? "steady state: data that the passes before this one read are"
				: "steady state: data that the passes before this one touched are");
}

static void print_notes(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out)
{
	print_warmth(cpu, r, out);
	print_addresses(r, out);
	if (*r->names)
		fprintf(out, "\n Note: names taken as data: %s\n", r->names);
	if (r->is_cut)
		fprintf(
		    out,
		    "\n Note: the text had not ended after %u instructions; these were "
		    "measured%s\n",
		    ASM_MOST_LINES,
		    r->is_loop
			? "\n (a loop counts down ecx, or what --asm-init sets; is it overwritten?)"
			: "");
	print_later(cpu, r, out);
}

static void print_table(const struct cat_cpu *cpu, const struct asm_result *r, int width, FILE *out)
{
	fprintf(out, "%s; %u-bit code%s\n\n", cpu->text, r->bits,
		r->is_run ? "" : ", not run: timed from its decoded form");
	if (r->n_line && r->line[0].n_uop)
		fprintf(out, "decode rename dispatch done retire port  %s\n", "instruction");
	else
		fprintf(out, "  clock pipe %-*s  in EX\n", width, "instruction");
	for (size_t i = 0; i < r->n_line; i++) {
		if (r->line[i].n_uop)
			print_uops(cpu, &r->line[i], width, out);
		else
			print_line(cpu, &r->line[i], width, out);
	}
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
	print_sum(r, to);
	if (r->n_line > 1 && !r->line[0].n_uop)
		print_longest(r, to);
	print_reasons(cpu, r, to);
	print_rules(cpu, r, to);
	rpt_asm_decode(cpu, r, to);
	print_notes(cpu, r, to);
	if (fclose(to)) {
		free(text);
		return -SPMU_ENOMEM;
	}
	for (rest = text; (line = strsep(&rest, "\n")) && rest;) {
		const int indent = line < text + table		? text_at(r) + 2
				   : !strncmp(line, " Note", 5) ? NOTE_AT
								: SENTENCE_COLUMN;

		rpt_wrap(screen, line, rpt_indent(screen, indent), out);
	}
	free(text);
	return 0;
}
