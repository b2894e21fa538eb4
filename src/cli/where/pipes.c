/* pipes.c -- loops of a function, timed and measured.
 *
 * COUNTING RULES   an iteration is an execution of the branch that leads back. An average is what
 *                  the event counted at the loop's instructions, by iterations; what a function
 *                  counted that the loop calls is not in it.
 * RULE             the table is the loop with all data in L1D, every branch predicted and the way
 *                  inside straight on; what the run took beyond that, caches and branches took, or
 *                  another way through the loop.
 */
#include "cli/where/pipes.h"

#include <stdlib.h>
#include <string.h>

#include "base/function_name.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/run_options.h"
#include "cli/where/from.h"
#include "cli/where/reader.h"
#include "event/events.h"
#include "event/metrics.h"
#include "report/asm.h"

#define MOST_SHOWN 3u
#define WARM_UP	   8u
/* loops with less than 1/100 of the function's instructions are not shown */
#define LEAST_SHARE	  100
#define MOST_INSN	  15u /* bytes */
#define LINE_WIDTH	  79
#define NEAR		  1.1 /* a run this close to the table has nothing to explain */
#define MOSTLY		  1.5 /* and one this close is mostly what the table shows */
#define SLOTS		  "RETIREMENT_SLOTS:"
#define RETIRED_PER_CLOCK 3	/* slots */
#define LEAST_RATE	  .0005 /* of an event by iteration; less is not named */

struct pipes {
	const struct cli_top *t;
	const struct cat_cpu *cpu;
	struct cli_from from;
	const char *object;	  /* path of the file */
	int instructions, cycles; /* events of the record, or -1 */
	FILE *out;
};

/* A loop and what was counted in it. */
struct measured {
	struct asm_piece piece;
	int64_t iterations;
	int64_t *count; /* of each event; owned */
};

bool cli_is_function(const struct whr_row *row, const char *name)
{
	return function_name_is(row->function, name);
}

/* ---- what the run counted -------------------------------------------------------------------- */

static void measure(const struct pipes *p, struct measured *m)
{
	const struct asm_insn *first = &p->from.code.insn[m->piece.first],
			      *last = &p->from.code.insn[m->piece.last];
	const uint64_t begin = p->from.function.offset;

	for (size_t i = 0; i < p->t->table->n; i++) {
		const struct whr_row *row = &p->t->table->row[i];

		if (strcmp(row->object, p->object) || row->offset < begin + first->at ||
		    row->offset > begin + last->at)
			continue;
		for (uint32_t e = 0; e < p->t->rec->n_event; e++)
			m->count[e] += row->count[e];
		if (row->offset == begin + last->at)
			m->iterations += row->count[p->instructions];
	}
}

static int by_instructions(const void *a, const void *b, void *event)
{
	const struct measured *s = a, *t = b;
	const int64_t n = s->count[*(int *)event], m = t->count[*(int *)event];

	return n < m ? 1 : n > m ? -1 : s->piece.first < t->piece.first ? -1 : 1;
}

static double rate(const struct measured *m, uint32_t e)
{
	return (double)m->count[e] / (double)m->iterations;
}

/* ---- sentences ------------------------------------------------------------------------------- */

/* The reason for which most slots of retirement were lost in the loop, but for event `without`; -1:
 * the record has none. */
static int largest_loss(const struct pipes *p, const struct measured *m, int without)
{
	const struct rec *r = p->t->rec;
	int best = -1;

	for (uint32_t e = 0; e < r->n_event; e++)
		if (!*r->event[e].status && (int)e != without &&
		    !strncmp(r->event[e].name, SLOTS, strlen(SLOTS)) &&
		    strcmp(r->event[e].name + strlen(SLOTS), "retiring") &&
		    m->count[e] > (best < 0 ? 0 : m->count[best]))
			best = (int)e;
	return best;
}

/* The largest loss, as its metric says it, and the second where that is half of it or more: one of
 * them may be what the pipes need in any case. */
static void add_losses(const struct pipes *p, const struct measured *m, struct text *out)
{
	static const char prefix[] = "clocks: ";
	const struct rec *r = p->t->rec;
	int loss = largest_loss(p, m, -1);
	const int first = loss;

	for (unsigned n = 0; loss >= 0 && n < 2; n++, loss = largest_loss(p, m, first)) {
		const struct cat_metric *metric;
		char name[128];

		if (2 * m->count[loss] < m->count[first])
			break;
		snprintf(name, sizeof(name), "cpi_stack_%s", r->event[loss].name + strlen(SLOTS));
		metric = evt_find_metric(p->cpu, name);
		if (!metric)
			break;
		text_printf(out, "%s%s (%.2f clocks)", n ? ", and " : " The largest loss: ",
			    metric->text + (strncmp(metric->text, prefix, strlen(prefix))
						? 0
						: strlen(prefix)),
			    rate(m, (uint32_t)loss) / RETIRED_PER_CLOCK);
	}
	if (first >= 0)
		text_printf(out, ".");
}

/* The stall that took most clocks in the loop, among the events of the record; -1: it has none. */
static int largest_stall(const struct pipes *p, const struct measured *m)
{
	const struct rec *r = p->t->rec;
	int best = -1;

	for (uint32_t i = 0; i < r->n_event; i++) {
		struct spmu_error err;
		struct evt_event e;

		if (!*r->event[i].status && (int)i != p->cycles &&
		    strstr(r->event[i].name, "STALL") &&
		    !evt_parse_event(p->cpu, r->event[i].name, true, &e, &err) && e.event &&
		    e.event->kind == CAT_DURATION && rate(m, i) >= LEAST_RATE &&
		    (best < 0 || m->count[i] > m->count[best]))
			best = (int)i;
	}
	return best;
}

/* The event of the record with this name of the catalog, every unit mask alike; -1. */
static int find_named(const struct pipes *p, const char *name)
{
	const struct rec *r = p->t->rec;
	struct spmu_error err;

	for (uint32_t i = 0; i < r->n_event; i++) {
		struct evt_event e;

		if (!*r->event[i].status &&
		    !evt_parse_event(p->cpu, r->event[i].name, true, &e, &err) && e.event &&
		    !strcmp(e.event->name, name) && !e.cmask && !e.edge)
			return (int)i;
	}
	return -1;
}

/* What else costs clocks that the listing does not have: references that its aligned data never
 * make, and the like. Returns how many were named; n were before. */
static unsigned add_others(const struct pipes *p, const struct measured *m, unsigned n,
			   unsigned *n_recorded, struct text *out)
{
	static const char *const other[][2] = {
	    {"MISALIGN_MEM_REF", "misaligned references"},
	    {"MISALIGNED_DATA_MEMORY_OR_I/O_REFERENCES", "misaligned references"},
	    {"LD_BLOCKS", "loads that waited for a store"},
	    {"BANK_CONFLICTS", "conflicts of banks in L1D"},
	    {"DATA_TLB_MISS", "misses of the data TLB"},
	    {"ITLB_MISS", "misses of the code TLB"},
	    {"CODE_TLB_MISS", "misses of the code TLB"},
	    {"FP_ASSIST", "assists of the FPU"},
	};

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		const int e = find_named(p, other[i][0]);

		*n_recorded += e >= 0;
		if (e >= 0 && rate(m, (uint32_t)e) >= LEAST_RATE)
			text_printf(out, "%s%.3f %s", n++ ? ", " : " For an iteration there were ",
				    rate(m, (uint32_t)e), other[i][1]);
	}
	return n;
}

/* Misses, mispredictions and the largest stall by iteration, of the events that the record has; and
 * which of them it lacks. */
static void add_causes(const struct pipes *p, const struct measured *m, struct text *out)
{
	static const char *const asked[][2] = {
	    {"L1-dcache-load-misses", "misses of loads in L1D"},
	    {"L1-dcache-store-misses", "misses of stores in L1D"},
	    {"LLC-load-misses", "misses of L2"},
	    {"branch-misses", "mispredicted branches"},
	    {"L1-icache-load-misses", "misses of code"},
	};
	const int stall = largest_stall(p, m);
	struct text lacks = {0};
	unsigned n = 0, n_lacks = 0, n_recorded = 0;

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		const int e = cli_record_generic(p->t->rec, p->cpu, asked[i][0]);
		uint8_t umask;

		n_recorded += e >= 0;
		if (e < 0 && cat_find_generic(p->cpu, asked[i][0], &umask))
			text_printf(&lacks, "%s%s", n_lacks++ ? ", " : "", asked[i][0]);
		if (e >= 0 && rate(m, (uint32_t)e) >= LEAST_RATE)
			text_printf(out, "%s%.3f %s", n++ ? ", " : " For an iteration there were ",
				    rate(m, (uint32_t)e), asked[i][1]);
	}
	n = add_others(p, m, n, &n_recorded, out);
	if (stall >= 0)
		text_printf(out, "%s%.3f clocks of %s",
			    n++ ? ", " : " For an iteration there were ", rate(m, (uint32_t)stall),
			    p->t->rec->event[stall].name);
	if (!n && n_recorded)
		text_printf(out, " Of what was recorded nothing missed");
	if (n || n_recorded)
		text_printf(out, ".");
	if (n_lacks)
		text_printf(out, " Not recorded: %s.", text_get(&lacks));
	text_free(&lacks);
}

/* A paragraph in lines that fit, with a blank in front of each. */
static void print_folded(const char *text, FILE *out)
{
	int at = 0;

	while (*text) {
		const int n = (int)strcspn(text, " ");

		if (at && at + 1 + n > LINE_WIDTH)
			at = 0;
		fprintf(out, "%s%.*s", at ? " " : "\n ", n, text);
		at += n + 1;
		text += n;
		text += *text == ' ';
	}
	fputc('\n', out);
}

static void print_bottleneck(const struct pipes *p, const struct measured *m,
			     const struct asm_result *r)
{
	const double pipes = (double)r->clocks / (double)r->n_iterations;
	const double took = p->cycles >= 0 ? rate(m, (uint32_t)p->cycles) : 0;
	char limit[RPT_ASM_SENTENCE];
	struct text t = {0};

	rpt_asm_limit_sentence(p->cpu, r, limit);
	if (p->cycles < 0) {
		text_printf(&t,
			    "The pipes need %.2f clocks for an iteration; softpmu record -e "
			    "cycles,instructions tells what the run took.",
			    pipes);
	} else if (took * NEAR < pipes) {
		text_printf(&t,
			    "The run took %.2f clocks for an iteration, fewer than the %.2f above, "
			    "where only constants move addresses and the way is straight on. The "
			    "pipes are the bottleneck.",
			    took, pipes);
	} else if (took <= pipes * NEAR) {
		text_printf(&t,
			    "The run took %.2f clocks for an iteration, the pipes need %.2f: the "
			    "pipes are the bottleneck.%s%s%s",
			    took, pipes, *limit ? " " : "", limit, *limit ? "." : "");
	} else {
		text_printf(&t,
			    took <= pipes * MOSTLY
				? "The run took %.2f clocks for an iteration, and the pipes need "
				  "%.2f of them: most of it is what the table shows, the rest is "
				  "elsewhere."
				: "The run took %.2f clocks for an iteration, the pipes need %.2f: "
				  "the bottleneck is elsewhere.",
			    took, pipes);
		add_losses(p, m, &t);
		add_causes(p, m, &t);
	}
	print_folded(text_get(&t), p->out);
	text_free(&t);
}

/* ---- a loop ---------------------------------------------------------------------------------- */

/* What objdump calls byte `at` of the function, an instruction's first one. */
static uint64_t address_of(const struct pipes *p, uint32_t at)
{
	const uint64_t offset = p->from.function.offset + at;

	for (size_t i = 0; i < p->t->table->n; i++) {
		const struct whr_row *row = &p->t->table->row[i];

		if (!strcmp(row->object, p->object) && row->offset == offset)
			return row->address;
	}
	return offset;
}

static void print_averages(const struct pipes *p, const struct measured *m)
{
	const struct asm_insn *first = &p->from.code.insn[m->piece.first],
			      *last = &p->from.code.insn[m->piece.last];
	const struct rec *r = p->t->rec;
	char number[40];

	fprintf(p->out, "\n Loop of %s, bytes %x to %x (at %llx to %llx): %s iterations\n\n",
		p->from.name, first->at, last->at + last->n - 1u,
		(unsigned long long)address_of(p, first->at),
		(unsigned long long)address_of(p, last->at) + last->n - 1u,
		cli_top_number(m->iterations, number));
	fputs(" for each iteration of this run:\n", p->out);
	for (uint32_t e = 0; e < r->n_event; e++)
		if (!*r->event[e].status && rate(m, e) >= LEAST_RATE)
			fprintf(p->out, "%10.3f  %s\n", rate(m, e), r->event[e].name);
	fputc('\n', p->out);
}

/* Time it as asm does. Returns 0 or an exit code after a message; what cannot be timed is told in
 * the listing. */
static int print_loop(const struct pipes *p, const struct measured *m)
{
	struct cli_run run;
	struct asm_config cfg = {
	    .n_unroll = 1, .n_warm_up = WARM_UP, .code = &p->from.code, .piece = m->piece};
	struct asm_result result;
	struct spmu_error err;
	int code;

	print_averages(p, m);
	cli_run_open(&run);
	run.cfg.model.cpu = p->cpu;
	code = cli_run_geometry(&run);
	cfg.model = run.cfg.model;
	if (!code && asm_run(&cfg, &result, &err)) {
		struct text t = {0};

		text_printf(&t, "The loop cannot be timed: %s.", err.text);
		print_folded(text_get(&t), p->out);
		text_free(&t);
	} else if (!code) {
		if (rpt_asm_human(p->cpu, &result, &p->t->screen, p->out))
			code = cli_fail("out of memory for the annotation");
		print_bottleneck(p, m, &result);
	}
	if (!code)
		asm_result_free(&result);
	cli_run_free(&run);
	return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int print_loops(struct pipes *p)
{
	struct asm_piece piece[ASM_MOST_LOOPS];
	const unsigned n = asm_code_loops(&p->from.code, piece);
	struct measured *m = calloc(n + 1u, sizeof(*m));
	const uint32_t n_event = p->t->rec->n_event;
	int64_t *count = calloc((size_t)(n + 1u) * n_event + 1, sizeof(*count)), all;
	struct measured whole = {.piece = {0, p->from.code.n - 1, false}, .count = count};
	unsigned shown = 0;
	int code = m && count ? 0 : cli_fail("out of memory for the annotation");

	if (code)
		goto done;
	measure(p, &whole);
	all = whole.count[p->instructions];
	for (unsigned i = 0; i < n; i++) {
		m[i] = (struct measured){.piece = piece[i], .count = count + (i + 1u) * n_event};
		measure(p, &m[i]);
	}
	qsort_r(m, n, sizeof(*m), by_instructions, &p->instructions);
	for (unsigned i = 0; i < n && shown < MOST_SHOWN && !code; i++)
		if (m[i].iterations > 1 && m[i].count[p->instructions] > all / LEAST_SHARE) {
			code = print_loop(p, &m[i]);
			shown++;
		}
	if (!shown && !code)
		code = cli_fail("annotate --pipes %s: no loop of it was executed", p->from.name);
done:
	free(m);
	free(count);
	return code;
}

/* The row of the function that has most instructions in the record. */
static const struct whr_row *find_row(const struct pipes *p, const char *name)
{
	const struct whr_row *best = NULL;

	for (size_t i = 0; i < p->t->table->n; i++) {
		const struct whr_row *row = &p->t->table->row[i];

		if (cli_is_function(row, name) &&
		    (!best || row->count[p->instructions] > best->count[p->instructions]))
			best = row;
	}
	return best;
}

/* The function's code, from its first instruction that was executed to its last one: so its symbol
 * may be anywhere. */
static int open_code(struct pipes *p, const struct whr_row *of)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < p->t->table->n; i++) {
		const struct whr_row *row = &p->t->table->row[i];

		if (strcmp(row->object, of->object) || strcmp(row->function, of->function))
			continue;
		first = row->offset < first ? row->offset : first;
		last = row->offset > last ? row->offset : last;
	}
	if (last - first > WHR_MOST_FUNCTION - MOST_INSN)
		return cli_fail("annotate --pipes %s: it has %llu bytes, more than %u",
				of->function, (unsigned long long)(last - first),
				WHR_MOST_FUNCTION - MOST_INSN);
	return cli_from_bytes(&p->from, "annotate --pipes", first,
			      (uint32_t)(last - first) + MOST_INSN);
}

int cli_pipes(const struct cli_top *t, const char *name, FILE *out)
{
	struct pipes p = {.t = t, .cpu = cat_find_cpu(rec_text(t->rec->meta, "cpu")), .out = out};
	const struct whr_row *row;
	int code;

	if (!p.cpu)
		return cli_fail("annotate --pipes: the record is of a processor that this softpmu "
				"does not know");
	p.instructions = cli_record_generic(t->rec, p.cpu, "instructions");
	p.cycles = cli_record_generic(t->rec, p.cpu, "cycles");
	if (p.instructions < 0)
		return cli_fail("annotate --pipes: the record has no instructions, so no loop has "
				"iterations; record with -e cycles,instructions");
	row = find_row(&p, name);
	if (!row)
		return -1;
	p.object = row->object;
	snprintf(p.from.file, sizeof(p.from.file), "%s", row->object);
	snprintf(p.from.name, sizeof(p.from.name), "%s", row->function);
	code = open_code(&p, row);
	if (!code)
		code = print_loops(&p);
	cli_from_close(&p.from);
	return code;
}
