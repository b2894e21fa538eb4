/* pmc.c -- rabbit's library (pmc_lib.h): one file over libsoftpmu and the parser of softpmu rabbit.
 *
 * A measurement is made as a session of libsoftpmu makes it, with RDTSC inside: what both cost at
 * least is found when a pair is selected, by measuring nothing.
 */
#include <softpmu/pmc_lib.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <softpmu/page.h>

#include "base/error.h"
#include "base/text.h"
#include "hw/machine.h"
#include "rabbit/describe.h"
#include "rabbit/print.h"
#include "rabbit/registers.h"

#define CALIBRATIONS 64
#define USUAL_CPU    "pentium3"
#define CHAIN	     256u /* multiplies, each waiting for the one before */
#define LEAST_CHAIN  2u	  /* clocks of each, on every processor */
#define US_PER_S     1000000.0

/* Functions of rabbit's library take no handle, so there is one of everything. */
static struct {
	struct hw_machine machine;
	const struct cat_cpu *cpu; /* whose events are meant */
	bool has_machine, has_helped;
	struct rbt_switches switches;		    /* of the command line */
	struct evt_event event[pmc_event_counters]; /* that are selected */
	bool has[pmc_event_counters];
	struct spmu *session;
	struct spmu_thread *thread;
	pmc_cycle_t start;	/* the time-stamp counter at pmc_select() */
	pmc_counter_t least;	/* what a measurement costs */
	pmc_counter_t *sampled; /* of pmc_begin_sampling(); borrowed */
	struct sigaction old;
	unsigned mhz;
	struct spmu_error err;
} pmc;

const pmc_control_t pmc_control_null = {.sample = PMC_MAX_RATE, .summary = 1, .rotate = 1};

static int is_good(int rc)
{
	return rc ? FALSE : TRUE;
}

const char *pmc_message(void)
{
	return pmc.err.text;
}

/* ---- the processor ------------------------------------------------------------------------- */

/* Find out which processor this is; where it is none of the catalog, questions about events are
 * answered for softpmu's usual one. */
static void find_cpu(void)
{
	if (!pmc.has_machine)
		hw_machine_open(&pmc.machine);
	pmc.has_machine = true;
	pmc.cpu = pmc.machine.cpu ? pmc.machine.cpu : cat_find_cpu(USUAL_CPU);
	if (!pmc.mhz)
		pmc.mhz = pmc.cpu->core_mhz;
}

/* Can it count here? Returns 0 or -SPMU_ENOTSUP. */
static int find_counters(void)
{
	find_cpu();
	if (!pmc.machine.cpu)
		return spmu_fail(
		    &pmc.err, SPMU_ENOTSUP,
		    "the processor %s is neither a Pentium nor a P6; run the program as "
		    "softpmu run --clock model -- PROGRAM",
		    pmc.machine.name);
	return 0;
}

double pmc_seconds_per_cycle(void)
{
	return pmc.mhz ? 1 / (US_PER_S * pmc.mhz) : 0;
}

double pmc_second(pmc_cycle_t cycles)
{
	return (double)cycles * pmc_seconds_per_cycle();
}

static const struct cat_event *event_of(unsigned e, int ctr)
{
	struct spmu_error err;
	struct evt_event event;

	if (e > 0xff || ctr < 0 || ctr >= pmc_event_counters)
		return NULL;
	find_cpu();
	return rbt_event_of_select(pmc.cpu, e, ctr, &pmc.switches, &event, &err) ? NULL
										 : event.event;
}

int pmc_event_valid(unsigned e, int ctr)
{
	return event_of(e, ctr) ? TRUE : FALSE;
}

const char *pmc_event_name(unsigned e, int ctr)
{
	const struct cat_event *event = event_of(e, ctr);

	return event ? event->name : NULL;
}

const char *pmc_event_description(unsigned e, int ctr)
{
	const struct cat_event *event = event_of(e, ctr);

	return event ? event->meaning : NULL;
}

/* ---- the command line ---------------------------------------------------------------------- */

static void copy(char to[PMC_STRING], const char *from)
{
	snprintf(to, PMC_STRING, "%s", from ? from : "");
}

static int take_pairs(const struct rbt_pairs *pairs, pmc_control_t *ctl)
{
	ctl->list = calloc(pairs->n, sizeof(*ctl->list));
	ctl->labels = calloc(pairs->n, sizeof(*ctl->labels));
	if (!ctl->list || !ctl->labels)
		return spmu_fail(&pmc.err, SPMU_ENOMEM, "out of memory");
	for (size_t i = 0; i < pairs->n; i++) {
		const struct rbt_pair *p = &pairs->pair[i];

		for (int n = 0; n < pmc_event_counters; n++)
			ctl->list[i][n] = p->has[n]
					      ? rbt_select(pairs->cpu, rbt_pair_event(pairs, p, n))
					      : PMC_NO_EVENT;
		copy(ctl->labels[i], p->label);
	}
	ctl->event_pairs = (int)pairs->n;
	memcpy(ctl->event, ctl->list[0], sizeof(ctl->event));
	copy(ctl->label, ctl->labels[0]);
	return 0;
}

static void inform(FILE *out, const struct rbt_options *o, const struct rbt_pairs *pairs)
{
	pmc.has_helped = o->wants_help;
	if (o->wants_help) {
		rbt_options_help(out);
		return;
	}
	if (o->wants_processor)
		rbt_print_processor(pairs->cpu, out);
	if (o->wants_mhz)
		rbt_print_clocks(pairs->cpu, pmc.mhz, out);
	if (o->wants_names)
		rbt_list_events(pairs->cpu, out);
	if (o->wants_descriptions)
		rbt_describe_events(pairs->cpu, o->n_pair || o->group || o->input ? pairs : NULL,
				    out);
	if (o->wants_registers)
		rbt_registers_print(pairs, out);
}

/* Take the words before `first` out of argv. */
static void take_out(int *argc, char **argv, int first)
{
	memmove(argv + 1, argv + first, (size_t)(*argc - first + 1) * sizeof(*argv));
	*argc -= first - 1;
}

static int read_arguments(FILE *messages, int *argc, char **argv, pmc_control_t *ctl)
{
	struct rbt_options o;
	struct rbt_pairs pairs = {0};
	int rc = rbt_options_of_program(*argc, argv, &o, &pmc.err);

	if (!rc) {
		find_cpu();
		pmc.switches = o.switches;
		pmc.mhz = o.mhz ? o.mhz : pmc.cpu->core_mhz;
		ctl->sample = o.rate;
		ctl->summary = o.level;
		ctl->rotate = (unsigned long)o.rotate;
		copy(ctl->input_file, o.input);
		copy(ctl->output_directory, o.output);
		rc = rbt_pairs_open(&pairs, pmc.cpu, &pmc.err);
	}
	if (!rc)
		rc = rbt_pairs_choose(&pairs, &o, &pmc.err);
	if (!rc)
		rc = take_pairs(&pairs, ctl);
	if (!rc) {
		inform(messages, &o, &pairs);
		take_out(argc, argv, o.first);
	}
	rbt_pairs_free(&pairs);
	return rc;
}

int pmc_getargs(FILE *messages, const char *prog, int *argc, char ***argv, pmc_control_t *ctl)
{
	const int rc = read_arguments(messages, argc, *argv, ctl);

	if (rc)
		fprintf(messages, "%s: %s\n", prog, pmc.err.text);
	return is_good(rc || pmc.has_helped);
}

void pmc_control_free(pmc_control_t *ctl)
{
	free(ctl->list);
	free(ctl->labels);
	ctl->list = NULL;
	ctl->labels = NULL;
	ctl->event_pairs = 0;
}

/* ---- measuring ----------------------------------------------------------------------------- */

static inline uint64_t time_stamp(void)
{
	uint32_t low, high;

	spmu_serialize();
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/* What the session counted, on the counters where it stands. */
static void place(const uint64_t *value, pmc_event_t *event)
{
	for (int n = 0, at = 0; n < pmc_event_counters; n++)
		event[n] = pmc.has[n] ? value[at++] : 0;
}

int pmc_read(pmc_data_t *d)
{
	uint64_t value[SPMU_MOST_EVENTS];
	const uint64_t now = time_stamp();

	if (!pmc.thread || spmu_read(pmc.thread, value))
		return FALSE;
	d->cycle = now - pmc.start;
	place(value, d->event);
	return TRUE;
}

void pmc_counter_init(pmc_counter_t *c)
{
	memset(c, 0, sizeof(*c));
}

int pmc_counter_start(pmc_counter_t *c)
{
	if (!pmc.thread || spmu_start(pmc.thread))
		return FALSE;
	c->from = time_stamp();
	return TRUE;
}

static uint64_t without(uint64_t all, uint64_t cost)
{
	return all > cost ? all - cost : 0;
}

static void add_value(uint64_t value, unsigned long n, uint64_t *sum, uint64_t *least,
		      uint64_t *most)
{
	*sum += value;
	if (!n || value < *least)
		*least = value;
	if (!n || value > *most)
		*most = value;
}

/* Add a measurement that took these clocks and counts, as they were read. */
static void add_measurement(pmc_counter_t *c, pmc_cycle_t cycle, const pmc_event_t *event)
{
	const pmc_counter_t *cost = &pmc.least;

	add_value(without(cycle, cost->least_cycle), c->n, &c->cycle, &c->least_cycle,
		  &c->most_cycle);
	for (int n = 0; n < pmc_event_counters; n++)
		add_value(without(event[n], cost->least[n]), c->n, &c->event[n], &c->least[n],
			  &c->most[n]);
	c->n++;
}

int pmc_counter_stop(pmc_counter_t *c)
{
	const uint64_t now = time_stamp();
	uint64_t value[SPMU_MOST_EVENTS];
	pmc_event_t event[pmc_event_counters];

	if (!pmc.thread || spmu_read(pmc.thread, value))
		return FALSE;
	place(value, event);
	add_measurement(c, now - c->from, event);
	return TRUE;
}

/* ---- the counters -------------------------------------------------------------------------- */

static void close_session(void)
{
	spmu_close(pmc.session);
	pmc.session = NULL;
	pmc.thread = NULL;
}

int pmc_open(int save)
{
	(void)save;
	return is_good(find_counters());
}

void pmc_close(void)
{
	close_session();
	if (pmc.has_machine)
		hw_machine_close(&pmc.machine);
	pmc.has_machine = false;
}

/* Measure nothing, and then multiplies that wait for each other: does the time-stamp counter
 * count clocks? */
static int calibrate(void)
{
	pmc_counter_t cost, chain;
	uint32_t x = 3;
	bool can_read = true;

	memset(&pmc.least, 0, sizeof(pmc.least));
	pmc_counter_init(&cost);
	pmc_counter_init(&chain);
	for (int i = 0; i < CALIBRATIONS && can_read; i++) {
		pmc_counter_start(&cost); /* a look at its result would be measured */
		can_read = pmc_counter_stop(&cost);
	}
	pmc.least = cost;
	for (int i = 0; i < 2 && can_read; i++) {
		pmc_counter_start(&chain);
		__asm__ volatile(".rept %c1\n\timull %k0, %k0\n\t.endr" : "+r"(x) : "i"(CHAIN));
		can_read = pmc_counter_stop(&chain);
	}
	if (!can_read)
		return spmu_fail(&pmc.err, SPMU_ESYS,
				 "the counters could not be read; somebody else has them");
	if (chain.least_cycle < LEAST_CHAIN * CHAIN)
		return spmu_fail(&pmc.err, SPMU_ENOTSUP,
				 "the time-stamp counter does not count clocks here; run the "
				 "program as softpmu run --clock model -- PROGRAM");
	return 0;
}

/* The list of events for a session. Returns 0 or -SPMU_EINVAL. */
static int choose_events(const pmc_event_set_t set, struct text *out)
{
	int rc = 0;

	for (int n = 0; n < pmc_event_counters && !rc; n++) {
		pmc.has[n] = set[n] != PMC_NO_EVENT;
		if (!pmc.has[n])
			continue;
		rc =
		    rbt_event_of_select(pmc.cpu, set[n], n, &pmc.switches, &pmc.event[n], &pmc.err);
		text_printf(out, "%s%s", out->n ? "," : "", pmc.event[n].name);
		if (pmc.cpu->family == CAT_P5)
			text_printf(out, ":c%d", n);
	}
	if (!rc && !out->n)
		rc = spmu_fail(&pmc.err, SPMU_EINVAL, "the pair has no event");
	return rc;
}

static int select_set(const pmc_event_set_t set)
{
	struct spmu_settings settings = {.is_serial = true};
	struct text events = {0};
	int rc = find_counters();

	close_session();
	if (!rc)
		rc = choose_events(set, &events);
	settings.events = text_get(&events);
	if (!rc)
		rc = spmu_open(&pmc.session, &settings, &pmc.err);
	if (!rc)
		rc = spmu_thread_open(pmc.session, &pmc.thread, &pmc.err);
	if (!rc)
		rc = calibrate();
	text_free(&events);
	if (rc) {
		close_session();
		return rc;
	}
	pmc.start = time_stamp();
	return spmu_start(pmc.thread);
}

int pmc_select(pmc_control_t *ctl, int i)
{
	if (i >= ctl->event_pairs || i < -1)
		return is_good(spmu_fail(&pmc.err, SPMU_EINVAL, "pair %d: the list has %d", i,
					 ctl->event_pairs));
	if (i >= 0) {
		memcpy(ctl->event, ctl->list[i], sizeof(ctl->event));
		copy(ctl->label, ctl->labels[i]);
	}
	return is_good(select_set(ctl->event));
}

/* ---- results ------------------------------------------------------------------------------- */

static void print_spread(FILE *out, uint64_t least, uint64_t most)
{
	char a[32], b[32];

	fprintf(out, "        %-14sleast %s, largest %s\n", "each", rbt_number(least, a),
		rbt_number(most, b));
}

int pmc_print_results(FILE *out, const pmc_control_t *ctl, const pmc_counter_t *c)
{
	char number[32];

	if (*ctl->label)
		fprintf(out, " %s\n", ctl->label);
	if (ctl->summary)
		fprintf(out, " %lu measurement%s; %s cycles, %.9f s\n", c->n, c->n == 1 ? "" : "s",
			rbt_number(c->cycle, number), pmc_second(c->cycle));
	if (ctl->summary == 2 && c->n)
		print_spread(out, c->least_cycle, c->most_cycle);
	for (int n = 0; n < pmc_event_counters; n++) {
		if (!pmc.has[n])
			continue;
		fprintf(out, "  0x%02x  %-36s %18s %16.4f\n", pmc.event[n].code, pmc.event[n].name,
			rbt_number(c->event[n], number),
			c->cycle ? (double)c->event[n] / (double)c->cycle : 0);
		if (ctl->summary == 2 && c->n)
			print_spread(out, c->least[n], c->most[n]);
	}
	return ferror(out) ? FALSE : TRUE;
}

/* ---- sampling, other programs -------------------------------------------------------------- */

static void sample(int signal)
{
	const int error = errno;

	(void)signal;
	if (pmc_counter_stop(pmc.sampled))
		pmc_counter_start(pmc.sampled);
	errno = error;
}

int pmc_begin_sampling(const pmc_control_t *ctl, pmc_counter_t *c)
{
	const double us = ctl->sample > 0 ? US_PER_S / ctl->sample : 0;
	const struct timeval every = {(time_t)(us / US_PER_S),
				      (suseconds_t)us % (suseconds_t)US_PER_S};
	const struct itimerval timer = {every, every};
	struct sigaction action = {.sa_handler = sample, .sa_flags = SA_RESTART};

	if (ctl->sample < 0 || ctl->sample > PMC_MAX_RATE)
		return is_good(spmu_fail(&pmc.err, SPMU_EINVAL,
					 "%g samples in a second: at most %d are taken",
					 ctl->sample, PMC_MAX_RATE));
	if (!pmc.thread)
		return is_good(spmu_fail(&pmc.err, SPMU_EINVAL, "no pair is selected"));
	pmc.sampled = c;
	sigemptyset(&action.sa_mask);
	if (!pmc_counter_start(c) || (us > 0 && (sigaction(SIGALRM, &action, &pmc.old) ||
						 setitimer(ITIMER_REAL, &timer, NULL))))
		return is_good(spmu_fail(&pmc.err, SPMU_ESYS, "sampling: %s", strerror(errno)));
	return TRUE;
}

int pmc_end_sampling(void)
{
	const struct itimerval none = {{0, 0}, {0, 0}};
	struct itimerval was;

	if (!pmc.sampled)
		return is_good(spmu_fail(&pmc.err, SPMU_EINVAL, "nothing is sampled"));
	if (setitimer(ITIMER_REAL, &none, &was))
		return is_good(spmu_fail(&pmc.err, SPMU_ESYS, "sampling: %s", strerror(errno)));
	if (was.it_interval.tv_sec || was.it_interval.tv_usec)
		sigaction(SIGALRM, &pmc.old, NULL);
	sample(SIGALRM);
	pmc.sampled = NULL;
	return TRUE;
}

/* The command's words: at most so many beside the pairs and the program. */
#define MOST_WORDS 12

/* Text of pair i for --e, owned by the caller; NULL: it cannot be, or memory is out. */
static char *pair_text(const pmc_event_set_t set)
{
	struct text t = {0};
	char *out = NULL;

	find_cpu();
	if (!choose_events(set, &t))
		out = strdup(text_get(&t));
	text_free(&t);
	return out;
}

static void run(const pmc_control_t *ctl, char *const argv[], size_t n_argv)
{
	const size_t n = ctl->event_pairs > 0 ? (size_t)ctl->event_pairs : 0;
	char **word = calloc(MOST_WORDS + 2 * n + n_argv, sizeof(*word));
	char rate[32], rotate[32], level[8];
	size_t at = 0;

	if (!word)
		return;
	snprintf(rate, sizeof(rate), "%g", ctl->sample);
	snprintf(rotate, sizeof(rotate), "%lu", ctl->rotate ? ctl->rotate : 1);
	snprintf(level, sizeof(level), "%d", ctl->summary);
	word[at++] = "softpmu";
	word[at++] = "rabbit";
	word[at++] = "-s";
	word[at++] = rate;
	word[at++] = "-rotate";
	word[at++] = rotate;
	word[at++] = "-S";
	word[at++] = level;
	if (*ctl->output_directory) {
		word[at++] = "-output";
		word[at++] = (char *)ctl->output_directory;
	}
	for (size_t i = 0; i < n; i++) {
		word[at++] = "--e";
		word[at] = pair_text(ctl->list[i]);
		if (!word[at++])
			return;
	}
	memcpy(word + at, argv, n_argv * sizeof(*argv));
	execvp(word[0], word);
}

int pmc_run_command(const pmc_control_t *ctl, char *const argv[])
{
	size_t n = 0;
	int status;
	pid_t pid;

	while (argv[n])
		n++;
	pid = fork();
	if (pid == 0) {
		run(ctl, argv, n);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			pid = -1;
	if (pid < 0)
		return 127;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
