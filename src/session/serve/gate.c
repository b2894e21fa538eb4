/* gate.c -- turns the gate and keeps the counts of the time when it is shut. Rules: gate.h. The
 * model is fed in either state; what it counted while the gate was shut is subtracted later, so
 * caches stay right. */
#include "session/serve/gate.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "session/serve/serve.h"
#include "session/serve/tally.h"

#define NS_PER_MS 1000000u

static bool is_odd(uint32_t turn)
{
	return turn & 1;
}

/* Accounts of threads and places stop, or go on. */
static void shut_accounts(struct ses_server *s, bool shuts)
{
	if (s->threads && ses_threads_shut(s->threads, shuts))
		ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
	if (s->places)
		ses_places_shut(s->places, shuts);
}

void ses_gate_start(struct ses_server *s)
{
	const struct ses_gate_config *cfg = s->cfg->gate;
	const size_t n = s->cfg->model.n_cpus;

	if (cfg && n > 1) {
		s->gate.cpu_from = calloc(n * WIRE_N, sizeof(*s->gate.cpu_from));
		s->gate.cpu_off = calloc(n * WIRE_N, sizeof(*s->gate.cpu_off));
		if (!s->gate.cpu_from || !s->gate.cpu_off)
			ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
	}
	if (!cfg || (!cfg->delay_ms && !cfg->region))
		return;
	shut_accounts(s, true);
	s->gate.is_shut = true;
	if (cfg->region)
		return;
	s->family->alarm->gate = s->gate.turn = 1;
	s->family->alarm->gate_opens_ns =
	    cfg->delay_ms > 0 ? ses_host_ns() + (uint64_t)cfg->delay_ms * NS_PER_MS : 0;
}

/* Note the counts of single processors as turn() does the totals, as of the last mdl_finish(). */
static void turn_processors(struct ses_server *s, bool shuts)
{
	const uint32_t n = s->cfg->model.n_cpus;
	uint64_t one[WIRE_N];

	for (uint32_t cpu = 0; s->gate.cpu_from && s->gate.cpu_off && cpu < n; cpu++) {
		uint64_t *from = s->gate.cpu_from + (size_t)cpu * WIRE_N,
			 *off = s->gate.cpu_off + (size_t)cpu * WIRE_N;

		memset(one, 0, sizeof(one));
		mdl_cpu_totals(s->model, cpu, one);
		for (unsigned i = 0; i < WIRE_N; i++)
			shuts ? (from[i] = one[i]) : (off[i] += one[i] - from[i]);
	}
}

/* The gate of this server's guest opens or shuts; all that was counted until now is in the model.
 */
static void flip(struct ses_server *s, bool shuts)
{
	struct ses_totals t;

	ses_tally_totals(s, &t);
	shut_accounts(s, shuts);
	turn_processors(s, shuts);
	if (shuts) {
		s->gate.from = t;
	} else {
		ses_totals_subtract(&t, &s->gate.from);
		ses_totals_add(&s->gate.off, &t);
	}
	s->gate.is_shut = shuts;
}

/* This server follows the run's gate. */
static void turn(struct ses_server *s)
{
	const uint32_t now = __atomic_load_n(&s->family->alarm->gate, __ATOMIC_ACQUIRE);

	if (is_odd(now) != is_odd(s->gate.turn)) {
		if (s->tier == SHR_TIER_COUNT && !ses_meet(s))
			return; /* it is on its way */
		ses_meet_peek(s);
		flip(s, is_odd(now));
		ses_meet_end(s);
	}
	s->gate.turn = now;
}

void ses_gate_follow(struct ses_server *s, uint32_t thread)
{
	const struct ses_gate_config *cfg = s->cfg->gate;

	if (cfg && cfg->region &&
	    ses_regions_are_open(s->regions, thread, cfg->region) == s->gate.is_shut)
		flip(s, !s->gate.is_shut);
}

static void command(struct ses_server *s, const char *line)
{
	uint32_t *gate = &s->family->alarm->gate;

	if (strcmp(line, "enable") && strcmp(line, "disable") && strcmp(line, "ping"))
		return;
	if (*line != 'p' && is_odd(*gate) == (*line == 'e'))
		__atomic_add_fetch(gate, 1, __ATOMIC_RELEASE);
	turn(s);
	s->gate.n_answers++;
}

/* Answer what was done. */
static void acknowledge(struct ses_server *s)
{
	for (; s->gate.n_answers && s->gate.turn == s->family->alarm->gate; s->gate.n_answers--)
		if (s->cfg->gate->answers >= 0 && write(s->cfg->gate->answers, "ack\n", 4) != 4)
			continue; /* the reader is gone, so the answer is not needed */
}

/* Read commands. Several lines may come at a time, each whole, because a pipe keeps short writes
 * together. */
static void hear(struct ses_server *s)
{
	struct pollfd p = {.fd = s->cfg->gate->commands, .events = POLLIN};
	char text[256];
	ssize_t n;

	if (p.fd < 0 || poll(&p, 1, 0) != 1 || !(p.revents & POLLIN))
		return;
	n = read(p.fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = 0;
	for (char *line = text, *rest; *line; line = rest) {
		rest = line + strcspn(line, "\n");
		if (*rest)
			*rest++ = 0;
		command(s, line);
	}
}

void ses_gate_look(struct ses_server *s)
{
	struct ses_alarm *alarm = s->family->alarm;

	if (!s->cfg->gate || s->cfg->gate->region)
		return;
	if (s->family->is_first) {
		if (alarm->gate_opens_ns && ses_host_ns() >= alarm->gate_opens_ns) {
			alarm->gate_opens_ns = 0;
			if (is_odd(alarm->gate))
				__atomic_add_fetch(&alarm->gate, 1, __ATOMIC_RELEASE);
		}
		hear(s);
	}
	turn(s);
	acknowledge(s);
}

void ses_gate_born(struct ses_server *s, const struct ses_totals *base)
{
	memset(&s->gate.off, 0, sizeof(s->gate.off));
	s->gate.from = *base;
}

void ses_gate_off(const struct ses_server *s, const struct ses_totals *now, struct ses_totals *off)
{
	struct ses_totals rest = *now;

	memset(off, 0, sizeof(*off));
	if (!s->cfg->gate)
		return;
	*off = s->gate.off;
	if (s->gate.is_shut) {
		ses_totals_subtract(&rest, &s->gate.from);
		ses_totals_add(off, &rest);
	}
	off->blocks = off->block_insns = off->misses = off->trace_bytes = 0;
}

void ses_gate_take_off(const struct ses_server *s, uint64_t *wire)
{
	for (unsigned i = 0; s->cfg->gate && i < WIRE_N; i++)
		wire[i] = (s->gate.is_shut ? s->gate.from.wire[i] : wire[i]) - s->gate.off.wire[i];
}

void ses_gate_end(struct ses_server *s, struct ses_totals *t)
{
	struct ses_totals off;

	if (!s->cfg->gate)
		return;
	ses_gate_off(s, t, &off);
	if (s->gate.is_shut)
		turn_processors(s, false);
	s->gate.off = off;
	ses_totals_subtract(t, &off);
}

void ses_gate_close(struct ses_gate *g)
{
	free(g->cpu_from);
	free(g->cpu_off);
	g->cpu_from = g->cpu_off = NULL;
}
