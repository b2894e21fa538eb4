/* bare.c -- counts of a whole machine. Rules: bare.h. */
#include "session/bare.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bare/convert.h"
#include "gen/wires_p5.h"
#include "gen/wires_p6.h"
#include "session/bare_places.h"
#include "session/bare_pmu.h"
#include "session/machine/model_trouble.h"
#include "session/rings.h"
#include "session/serve/family.h"
#include "session/totals/columns.h"
#include "session/totals/counting.h"
#include "session/totals/processors.h"
#include "session/totals/remarks.h"
#include "session/totals/result.h"
#include "session/totals/stream_model.h"
#include "session/totals/times.h"

#define TURN_MS	      100u
#define HALT_TURNS    10u /* so long without an instruction: nothing will wake the processor */
#define MOST_WATCHED  64u
#define CONSOLE_BYTES 65536u

struct counter {
	const struct ses_config *cfg;
	struct bare_machine machine;
	struct bare_convert convert;
	struct x86_store *store;
	struct wires *wires;
	struct ses_columns columns;
	struct mdl *model;
	struct ses_rings rings;
	bool has_rings; /* an event asks for one of the modes */
	struct ses_bare_pmu pmu;
	struct ses_places *places; /* with ses_config.keeps_places, or NULL */
	struct ses_places_modes modes;
	struct ses_times times;
	sigset_t mask; /* of blocked signals, as it was */
	size_t n_seen; /* bytes of the text that is waited for, seen on the console */
	bool is_timed_out, is_halted;
	int signal;	  /* that ended the run, or 0 */
	unsigned n_quiet; /* turns without a record while the processor waits */
	struct spmu_error *err;
};

/* ---- console --------------------------------------------------------------------------------- */

/* One more character of the console. Returns true when the text that is waited for is there. */
static bool has_come(struct counter *c, char one)
{
	const char *until = c->cfg->bare->until;

	if (!until || !until[c->n_seen]) /* it came before: its line is waited for */
		return until && one == '\n';
	while (c->n_seen && one != until[c->n_seen]) { /* is an end of it a beginning? */
		size_t k = c->n_seen;

		do
			k--;
		while (k && memcmp(until, until + c->n_seen - k, k) != 0);
		c->n_seen = k;
	}
	c->n_seen += one == until[c->n_seen];
	return !until[c->n_seen] && !c->cfg->bare->is_whole_line;
}

/* Show the console's text. Returns true when the text that is waited for has come; what stands
 * behind it is not shown. */
static bool show(void *ctx, const char *text, size_t n)
{
	struct counter *c = ctx;
	bool is_over = false;
	size_t at = 0;

	while (at < n && !is_over)
		is_over = has_come(c, text[at++]);
	for (size_t done = 0; done < at;) {
		const ssize_t k = write(STDOUT_FILENO, text + done, at - done);

		if (k <= 0 && errno != EINTR && errno != EAGAIN)
			break;
		done += k > 0 ? (size_t)k : 0;
	}
	return is_over;
}

/* ---- counters inside ------------------------------------------------------------------------- */

static int feed(struct counter *c);

/* The machine looks at a counter and waits. */
static int answer(void *ctx, const struct bare_ask *question)
{
	struct counter *c = ctx;
	enum bare_answer answer = BARE_NOT_MINE;
	uint64_t value = 0;
	int rc = feed(c);

	rc = rc ? rc : ses_bare_pmu_answer(&c->pmu, question, c->model, c->wires, &answer, &value);
	bare_ring_answer(&c->machine.ring, answer, value, ses_bare_pmu_look_in(&c->pmu));
	return rc;
}

/* Another privilege level begins (bare_listener.ring). */
static int change_ring(void *ctx, uint8_t ring, bool is_over)
{
	struct counter *c = ctx;
	int rc;

	if (!ses_rings_changes(&c->rings, ring, is_over))
		return 0;
	rc = feed(c);
	if (!rc)
		ses_rings_change(&c->rings, c->model);
	return rc;
}

/* ---- models ---------------------------------------------------------------------------------- */

/* Events of the kernel alone have wires, too. */
static void want_wires(const struct ses_config *cfg, uint8_t *wanted)
{
	for (size_t i = 0; i < cfg->n_event; i++) {
		struct evt_event any = cfg->event[i];

		any.user = true;
		ses_wanted_wires(&any, 1, wanted);
	}
}

/* The stream does not have what these depend on: operands; interrupts, where QEMU does not tell of
 * them; clocks with interrupts masked, where clocks are estimated or there are none. */
static void leave_unknown(struct wires *w, bool has_interrupts, bool has_clocks)
{
	w->driven[WIRE_P6_FPU_ASSIST] = 0;
	w->driven[WIRE_P5_MMX_SATURATED] = 0;
	w->driven[WIRE_P6_INT_HW_RX] &= has_interrupts;
	w->driven[WIRE_P5_INT_HW] &= has_interrupts;
	w->driven[WIRE_P6_INT_MASKED] &= has_interrupts && has_clocks;
	w->driven[WIRE_P6_INT_MASKED_PENDING] &= has_interrupts && has_clocks;
}

static int open_models(struct counter *c, int tier)
{
	const bool has_interrupts = c->machine.ring.share->has_counters;
	struct mdl_config model;
	bool has_clocks;
	int rc;

	ses_model_of_stream(c->cfg, tier, c->store, &model);
	model.has_ledger = (c->has_rings && !c->rings.is_by_time) || c->cfg->keeps_places;
	model.has_interrupts = has_interrupts;
	/* a team that estimates clocks does not hear of pages */
	model.has_tables = has_interrupts && !model.p6.sample_every;
	if (model.has_tables)
		model.p6.n_worker = 0;
	want_wires(c->cfg, model.wanted);
	if (has_interrupts) /* a QEMU with counters: the machine may ask for any event */
		ses_wanted_up_to(tier, model.wanted);
	rc = mdl_open(&model, c->wires, &c->model);
	if (rc)
		return ses_model_trouble(&model, rc, c->err);
	rc = ses_columns_open(c->cfg, &model, c->model, &c->columns, c->err);
	has_clocks = tier >= 3 && !model.p6.n_worker;
	leave_unknown(c->wires, has_interrupts, has_clocks);
	for (size_t i = 0; !rc && i < c->columns.n; i++)
		leave_unknown(c->columns.wires[i], has_interrupts, has_clocks);
	c->modes = ses_rings_modes(&c->rings);
	if (!rc && c->cfg->keeps_places &&
	    ses_bare_places_open(&c->places, c->cfg, c->model, c->store, c->wires,
				 c->has_rings ? &c->modes : NULL, c->rings.base))
		return spmu_fail(c->err, SPMU_ENOMEM, "out of memory");
	c->rings.places = c->has_rings ? c->places : NULL;
	return rc;
}

static int open_counter(struct counter *c, int tier)
{
	c->wires = calloc(1, sizeof(*c->wires));
	if (!c->wires || x86_store_open(&c->store) != 0 ||
	    bare_convert_open(&c->convert, c->store) != 0)
		return spmu_fail(c->err, SPMU_ENOMEM, "out of memory");
	c->convert.start_pc = c->cfg->bare->start;
	c->convert.stop_pc = c->cfg->bare->stop;
	c->convert.has_deliveries = c->machine.ring.share->has_counters;
	c->convert.listener.console = show;
	c->convert.listener.ask = answer;
	c->convert.listener.ring = change_ring;
	c->convert.listener.ctx = c;
	c->rings.base = c->cfg->bare->kernel_base;
	c->convert.high_pc = (uint32_t)c->rings.base;
	c->rings.blocks = c->convert.blocks;
	c->rings.has_levels = c->machine.ring.share->has_counters;
	c->rings.least_level = c->cfg->model.cpu->family == CAT_P6 ? 1 : 3;
	c->has_rings = ses_rings_are_wanted(c->cfg);
	/* not with columns, whose models may share work: that was not tried */
	c->rings.is_by_time = c->has_rings && c->rings.has_levels && tier < 3 &&
			      !c->cfg->keeps_places && !c->cfg->n_column;
	c->rings.wires = c->wires;
	c->rings.store = c->store;
	c->pmu.cpu = c->cfg->model.cpu;
	c->pmu.rings = c->has_rings ? &c->rings : NULL;
	return open_models(c, tier);
}

/* As ses_tier_of(), but interrupts are counted in tier 2. */
static int tier_of(const struct ses_config *cfg)
{
	struct evt_event *rest = calloc(cfg->n_event + 1, sizeof(*rest));
	size_t n_wire, n = 0;
	const struct cat_wire *wire = cat_wires(&n_wire);
	int tier = 3;

	for (size_t i = 0; rest && i < cfg->n_event; i++) {
		const struct evt_event *e = &cfg->event[i];

		if (e->event && e->event->n_wire == 1 && !e->watch &&
		    wire[e->event->wire[0].wire].need == CAT_NEED_DELIVERY)
			continue;
		rest[n] = *e;
		rest[n++].user = true; /* those of the kernel alone have wires, too */
	}
	if (rest)
		tier = ses_tier_of(cfg->model.cpu, rest, n);
	free(rest);
	return tier < 2 ? 2 : tier;
}

/* ---- the run --------------------------------------------------------------------------------- */

static uint64_t ms_since(const struct timespec *begun)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)((now.tv_sec - begun->tv_sec) * 1000 +
			  (now.tv_nsec - begun->tv_nsec) / 1000000);
}

/* Should the run end although the machine goes on? */
static bool is_enough(struct counter *c)
{
	const struct timespec none = {0, 0};
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGPIPE); /* nobody reads the console any more */
	c->signal = sigtimedwait(&ends, NULL, &none);
	if (c->signal > 0)
		return true;
	c->signal = 0;
	c->is_timed_out = c->cfg->timeout_ms && ms_since(&c->times.begun) >= c->cfg->timeout_ms;
	return c->is_timed_out;
}

/* Feed what was converted. What ran before the kernel was at its own addresses is its. */
static int feed(struct counter *c)
{
	int rc = mdl_feed(c->model, c->convert.out, c->convert.n_out);

	c->convert.n_out = 0;
	if (c->has_rings && !rc && !c->rings.is_up && c->convert.is_high) {
		rc = ses_rings_take(&c->rings, c->model);
		c->rings.is_up = true;
	}
	return rc;
}

/* Count a chunk. Where the store is full all blocks begin anew. */
static int count(struct counter *c, const uint64_t *word, size_t n)
{
	int rc;

	while ((rc = bare_convert(&c->convert, word, n)) > 0) {
		rc = feed(c);
		if (!rc && c->has_rings)
			rc = ses_rings_before_forget(&c->rings, c->model);
		if (rc)
			return rc;
		if (c->places)
			ses_bare_places_forget(c->places, c->model);
		mdl_forget_blocks(c->model);
		ses_rings_after_forget(&c->rings, c->model);
		x86_store_clear(c->store);
		bare_blocks_forget(c->convert.blocks);
	}
	return rc ? rc : feed(c);
}

/* Nothing came for a turn: is that the end? */
static bool is_silent(struct counter *c)
{
	if (!c->convert.is_idle || isatty(STDIN_FILENO))
		c->n_quiet = 0;
	else if (++c->n_quiet >= HALT_TURNS)
		c->is_halted = true;
	return c->is_halted;
}

static int run(struct counter *c)
{
	const uint64_t *word;
	size_t n;
	int rc = 0;

	while (!rc && !c->convert.has_ended && !is_enough(c)) {
		const bool was_gone = bare_machine_is_gone(&c->machine);
		const int got = bare_ring_next(&c->machine.ring, TURN_MS, &word, &n);

		if (got < 0)
			rc = got;
		else if (got)
			rc = count(c, word, n);
		else if (was_gone || is_silent(c))
			break;
		c->n_quiet = got ? 0 : c->n_quiet;
	}
	if (!rc)
		rc = bare_convert_end(&c->convert);
	return rc < 0 ? rc : feed(c);
}

/* ---- the result ------------------------------------------------------------------------------ */

static void take_totals(struct counter *c, struct ses_totals *t)
{
	mdl_finish(c->model);
	memset(t, 0, sizeof(*t));
	t->instructions = mdl_instructions(c->model);
	memcpy(t->wire, c->wires->total, sizeof(t->wire));
	memcpy(t->half, c->wires->half, sizeof(t->half));
	if (c->columns.n)
		ses_columns_tally(&c->columns, t);
}

/* A counter inside the machine that stood still. */
static void remark(const struct ses_bare_pmu *p, struct ses_remarks *r)
{
	char why[SES_REFUSAL_BYTES];

	if (!p->why)
		return;
	snprintf(why, sizeof(why), ": %s", p->why);
	ses_remarks_refused(r, p->what, why);
}

static int fill(struct counter *c, struct ses_result *out)
{
	const struct ses_member member = {.birth = "1"};
	struct ses_family *family = calloc(1, sizeof(*family));
	struct ses_totals *own = calloc(1, sizeof(*own));
	struct ses_config cfg = *c->cfg;
	int rc = family && own ? 0 : -SPMU_ENOMEM;

	if (!rc) {
		take_totals(c, own);
		cfg.keeps_processes = false;
		ses_result_fill(&cfg, &member, own, 0, family, c->wires, out);
		out->n_process = 1;
		remark(&c->pmu, &out->remarks);
		out->isa_level = SES_ISA_CPU;
		out->interrupted = c->signal != 0;
		out->interrupt_signal = c->signal;
		out->is_timed_out = c->is_timed_out;
		out->wait_status = c->is_timed_out ? SIGTERM : 0;
		if (c->columns.n)
			rc = ses_columns_fill(c->cfg, c->columns.wires, own->column, out);
	}
	if (!rc && c->places)
		rc = ses_bare_places_fill(c->places, own->wire, out);
	if (!rc && c->has_rings)
		rc = ses_rings_take(&c->rings, c->model);
	if (!rc)
		rc = ses_rings_count(&c->rings, c->cfg, c->wires, out);
	if (!rc)
		rc = ses_processors_fill(c->cfg, c->model, c->wires, NULL, out);
	free(own);
	free(family);
	return rc ? spmu_fail(c->err, SPMU_ENOMEM, "out of memory") : 0;
}

/* Say what was wrong. Returns 0 or the error. */
static int judge(struct counter *c, int rc)
{
	if (rc == -SPMU_ENOMEM)
		return spmu_fail(c->err, SPMU_ENOMEM, "out of memory");
	if (rc == -SPMU_ENOTSUP)
		return spmu_fail(c->err, SPMU_ENOTSUP,
				 "the machine's string instruction reaches more memory than this "
				 "version counts at once; counting stopped there");
	if (rc)
		return spmu_fail(c->err, SPMU_EPROTO,
				 "what QEMU's plugin sent makes no sense; counting stopped there");
	if (!c->signal && !c->is_timed_out && !c->convert.has_ended && !c->is_halted)
		return bare_machine_why(&c->machine, c->err);
	if (!c->convert.has_started && c->is_timed_out)
		return spmu_fail(
		    c->err, SPMU_ENOTSUP,
		    "--timeout was over before the machine came to address %XH, from "
		    "which on it is counted: it needs more time, or does not start what "
		    "it was given; nothing was counted",
		    c->convert.start_pc);
	if (!c->convert.has_started && !c->signal)
		return spmu_fail(c->err, SPMU_ENOTSUP,
				 "the machine never came to address %XH, from which on it is "
				 "counted: it does not start what it was given; nothing was "
				 "counted",
				 c->convert.start_pc);
	return 0;
}

static void block_signals(struct counter *c)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGPIPE);
	sigprocmask(SIG_BLOCK, &ends, &c->mask);
}

/* SIGPIPE may wait once more: the console was written to before the run ended. */
static void unblock_signals(struct counter *c)
{
	const struct timespec none = {0, 0};
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	while (!sigismember(&c->mask, SIGPIPE) && sigtimedwait(&pipe, NULL, &none) > 0)
		;
	sigprocmask(SIG_SETMASK, &c->mask, NULL);
}

static void close_counter(struct counter *c)
{
	bare_machine_close(&c->machine);
	unblock_signals(c);
	ses_places_close(c->places);
	mdl_close(c->model);
	ses_columns_close(&c->columns);
	bare_convert_close(&c->convert);
	x86_store_close(c->store);
	free(c->wires);
	free(c);
}

int ses_bare(const struct ses_config *cfg, struct ses_result *result, struct spmu_error *err)
{
	struct counter *c = calloc(1, sizeof(*c));
	struct ses_times times;
	int rc;

	memset(result, 0, sizeof(*result));
	result->count = calloc(cfg->n_event + 1, sizeof(*result->count));
	if (!c || !result->count) {
		free(c);
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	}
	ses_times_begin(&c->times);
	c->cfg = cfg;
	c->err = err;
	c->machine.ring.fd = c->machine.complaints = -1;
	block_signals(c);
	result->tier = tier_of(cfg);
	rc = bare_machine_open(&c->machine, cfg->bare, err);
	if (!rc)
		bare_machine_await(&c->machine);
	rc = rc ? rc : open_counter(c, result->tier);
	if (!rc) {
		rc = judge(c, run(c));
		if (fill(c, result) && !rc)
			rc = -SPMU_ENOMEM;
	}
	times = c->times;
	close_counter(c); /* waits for QEMU, so that its times count */
	ses_times_end(&times, result);
	return rc;
}
