/* run_options.c -- reads the options that all commands with a program share. Rules are in
 * run_options.h.
 *
 * Options come in any order. So each reader only writes its value down, and what depends on two of
 * them, as a geometry on its processor, is looked at when all were read.
 */
#include "cli/run_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/board.h"
#include "cli/cli.h"
#include "cli/environment.h"
#include "cli/geometry.h"
#include "cli/options.h"
#include "event/groups.h"
#include "report/report.h"
#include "session/machine/limits.h"
#include "session/session.h"

#define MOST_QUANTUM	1000000000u
#define MOST_TIMEOUT_MS 2000000000u /* three weeks */

void cli_run_open(struct cli_run *r)
{
	memset(r, 0, sizeof(*r));
	r->cfg.model.cpu = cat_find_cpu(CLI_DEFAULT_CPU);
	r->cfg.model.has_walks = 1;
	r->cfg.model.n_cpus = 1;
	r->cfg.isa = SES_ISA_AUTO;
	r->cfg.envp = environ;
	r->log_fd = -1;
}

static bool is_number(const char *s, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*out = strtoull(s, &end, 0);
	return !*end && !errno;
}

static int set_number(const char *option, const char *value, uint64_t max, uint64_t *out)
{
	if (is_number(value, out) && *out <= max)
		return 1;
	cli_fail("--%s %s: a whole number is wanted", option, value);
	return -1;
}

/* --timeout 1500, 1500ms, 90s, 2min: milliseconds where no unit stands. */
static int set_timeout(struct cli_run *r, const char *value)
{
	static const struct {
		const char *name;
		unsigned ms;
	} unit[] = {{"", 1}, {"ms", 1}, {"s", 1000}, {"min", 60000}};
	char *end;
	unsigned long n;
	size_t i = 0;

	errno = 0;
	n = isdigit((unsigned char)*value) ? strtoul(value, &end, 10) : 0;
	while (n && i < sizeof(unit) / sizeof(unit[0]) && strcmp(end, unit[i].name))
		i++;
	if (!n || errno || i == sizeof(unit) / sizeof(unit[0]) ||
	    n > MOST_TIMEOUT_MS / unit[i].ms) {
		cli_fail("--timeout %s: a time from 1 to %u ms is wanted, as 1500, 1500ms, 90s or "
			 "2min",
			 value, MOST_TIMEOUT_MS);
		return -1;
	}
	r->cfg.timeout_ms = (uint32_t)(n * unit[i].ms);
	return 1;
}

static int set_isa(struct cli_run *r, const char *value)
{
	static const char *const names[] = {"host", "v1", "v2", "v3", "v4", "cpu"};

	for (int i = 0; i < 6; i++)
		if (!strcmp(value, names[i]) ||
		    (i && i < 5 && !strncmp(value, "x86-64-", 7) && !strcmp(value + 7, names[i]))) {
			r->cfg.isa = (enum ses_isa)i;
			return 1;
		}
	cli_fail("--isa %s: there are v1, v2, v3, v4, cpu and host", value);
	return -1;
}

/* --mutate makes counts wrong on purpose. SOFTPMU_TESTS=1 must allow it, so that no user meets it
 * by accident. */
static int set_mutation(struct cli_run *r, const char *value)
{
	const char *is_test = getenv("SOFTPMU_TESTS");

	if (!is_test || strcmp(is_test, "1")) {
		cli_fail("--mutate %s makes counts wrong and is for tests of softpmu only: they "
			 "set SOFTPMU_TESTS=1 in the environment",
			 value);
		return -1;
	}
	r->cfg.model.p6.mutation = value;
	return 1;
}

static int set_phys(struct cli_run *r, const char *value)
{
	if (!strcmp(value, "colour") || !strcmp(value, "color")) {
		r->cfg.model.phys = MDL_PHYS_COLOUR;
	} else if (!strcmp(value, "identity")) {
		r->cfg.model.phys = MDL_PHYS_IDENTITY;
	} else if (!strcmp(value, "random")) {
		r->cfg.model.phys = MDL_PHYS_RANDOM;
	} else if (!strncmp(value, "random:", 7)) {
		r->cfg.model.phys = MDL_PHYS_RANDOM;
		return set_number("phys random:", value + 7, UINT64_MAX, &r->cfg.model.phys_seed);
	} else {
		cli_fail("--phys %s: there are colour, identity and random:SEED", value);
		return -1;
	}
	return 1;
}

/* One of two words: *out becomes 0 or 1. */
static int set_word(const char *option, const char *value, const char *no, const char *yes,
		    int *out)
{
	*out = !strcmp(value, yes);
	if (*out || !strcmp(value, no))
		return 1;
	cli_fail("--%s %s: there are %s and %s", option, value, yes, no);
	return -1;
}

/* A number from 1 to `most`, which the option `name` says. */
static int set_count(const char *name, const char *value, uint64_t most, uint32_t *to)
{
	uint64_t n;

	if (!is_number(value, &n) || n < 1 || n > most) {
		cli_fail("--%s %s: a number from 1 to %u is wanted", name, value, (unsigned)most);
		return -1;
	}
	*to = (uint32_t)n;
	return 1;
}

#define SAMPLE_EVERY	  256u
#define AUTO_FULL	  (1u << 25) /* instructions: two seconds or so of exact clocks */
#define MOST_SAMPLE_EVERY 65536u

/* exact, auto, sampled or sampled:1/N. */
static int set_clocks(struct cli_run *r, const char *value)
{
	uint64_t n = SAMPLE_EVERY;

	r->cfg.model.p6.sample_full = strcmp(value, "auto") ? 0 : AUTO_FULL;
	r->cfg.model.p6.sample_is_open = !strchr(value, ':');
	if (!strcmp(value, "exact")) {
		r->cfg.model.p6.sample_every = 0;
		return 1;
	}
	if (strcmp(value, "sampled") != 0 && strcmp(value, "auto") != 0 &&
	    (strncmp(value, "sampled:1/", 10) != 0 || !is_number(value + 10, &n) || !n ||
	     n > MOST_SAMPLE_EVERY || (n & (n - 1)))) {
		cli_fail("--clocks %s: there are exact, auto, sampled and sampled:1/N, N a power "
			 "of two up to %u",
			 value, MOST_SAMPLE_EVERY);
		return -1;
	}
	r->cfg.model.p6.sample_every = (uint32_t)n;
	return 1;
}

int cli_run_refuse_samples(const struct cli_run *r, const char *other)
{
	const struct ses_config *cfg = &r->cfg;

	other = other			? other
		: cfg->has_model_clock	? "--clock model"
		: cfg->model.n_cpus > 1 ? "--cpus"
		: cfg->gate		? "--delay, --control or --region"
					: NULL;
	if (!cfg->model.p6.sample_every)
		return 0;
	if (cfg->model.cpu->family != CAT_P6)
		return cli_fail("--clocks sampled: clocks of a P6 can be estimated, those of a "
				"Pentium cannot; leave it away");
	if (other)
		return cli_fail("--clocks sampled and %s: clocks are not estimated there; leave %s "
				"away, or write --clocks exact",
				other, other);
	return 0;
}

static int machine_option(struct cli_run *r, int option, const char *value)
{
	uint64_t n = 0;
	int word, rc;

	switch (option) {
	case OPT_cpu:
		r->cfg.model.cpu = cli_find_cpu("cpu", value);
		return r->cfg.model.cpu ? 1 : -1;
	case OPT_cpuid:
		r->cfg.seen_cpu = cli_find_cpu("cpuid", value);
		return r->cfg.seen_cpu ? 1 : -1;
	case OPT_cpus: return set_count("cpus", value, MDL_MAX_CPUS, &r->cfg.model.n_cpus);
	case OPT_isa: return set_isa(r, value);
	case OPT_phys: return set_phys(r, value);
	case OPT_replace:
		rc = set_word("replace", value, "model", "lru", &word);
		r->cfg.model.replace = word ? MDL_REPLACE_LRU : MDL_REPLACE_MODEL;
		return rc;
	case OPT_walks:
		rc = set_word("walks", value, "off", "on", &word);
		r->cfg.model.has_walks = (uint8_t)word;
		return rc;
	case OPT_clocks: return set_clocks(r, value);
	case OPT_workers: return set_count("workers", value, MDL_MAX_WORKERS, &r->cfg.n_worker);
	case OPT_memo:
		rc = set_word("memo", value, "on", "off", &word);
		r->cfg.model.has_no_memo = (uint8_t)word;
		return rc;
	case OPT_board: return cli_board(value, &r->cfg.model);
	case OPT_set: return cli_params(value, &r->cfg.model);
	case OPT_uncached: return cli_uncached(value, &r->cfg.model);
	case OPT_defer: return cli_defer(value, &r->cfg.model);
	case OPT_breakpoint: return cli_breakpoint(value, &r->cfg.model);
	case OPT_wrong_path: return cli_wrong_path(value, &r->cfg.model);
	case OPT_timer_hz:
		rc = set_number("timer-hz", value, 1000000, &n);
		r->cfg.model.timer_hz = (uint32_t)n;
		return rc;
	case OPT_errata: r->cfg.model.p5.has_errata = 1; return 1;
	case OPT_l1i:
	case OPT_l1d:
	case OPT_l2:
	case OPT_itlb:
	case OPT_dtlb: r->geometry[option - OPT_l1i] = value; return 1;
	default: return 0;
	}
}

static int output_option(struct cli_run *r, int option, const char *value)
{
	uint64_t n;

	switch (option) {
	case OPT_output: r->output = value; return 1;
	case OPT_append: r->is_append = true; return 1;
	case OPT_no_clobber: r->is_once = true; return 1;
	case OPT_log_fd:
		if (set_number("log-fd", value, 1 << 20, &n) < 0)
			return -1;
		r->log_fd = (int)n;
		return 1;
	case OPT_quiet: r->is_quiet = true; return 1;
	default: return 0;
	}
}

static const char *const ld_cache_name[] = {
    [SES_LD_CACHE_HOST] = "host", [SES_LD_CACHE_OWN] = "own", [SES_LD_CACHE_HIDE] = "hide"};

const char *cli_run_ld_cache(const struct cli_run *r)
{
	return ld_cache_name[r->cfg.ld_cache];
}

static int set_ld_cache(struct cli_run *r, const char *value)
{
	r->has_ld_cache = true;
	for (size_t i = 0; i < sizeof(ld_cache_name) / sizeof(ld_cache_name[0]); i++)
		if (!strcmp(value, ld_cache_name[i])) {
			r->cfg.ld_cache = (enum ses_ld_cache_shown)i;
			return 1;
		}
	cli_fail("--ld-cache %s: there are own, hide and host", value);
	return -1;
}

static int program_option(struct cli_run *r, int option, const char *value)
{
	uint64_t n;
	int word, rc;

	switch (option) {
	case OPT_seed:
		r->has_seed = true;
		return set_number("seed", value, UINT64_MAX, &r->cfg.seed);
	case OPT_env:
		free(r->own_env);
		r->own_env = cli_environment(value);
		r->cfg.envp = r->own_env;
		return r->own_env ? 1 : -1;
	case OPT_timeout: return set_timeout(r, value);
	case OPT_argv0: r->cfg.argv0 = value; return 1;
	case OPT_ld_cache: return set_ld_cache(r, value);
	case OPT_quantum: return set_count("quantum", value, MOST_QUANTUM, &r->cfg.quantum);
	case OPT_clock:
		rc = set_word("clock", value, "instructions", "model", &word);
		r->cfg.has_model_clock = word;
		return rc;
	case OPT_pce:
		rc = set_word("pce", value, "0", "1", &word);
		r->cfg.is_pce_clear = !word;
		return rc;
	case OPT_no_inherit: r->cfg.is_alone = true; return 1;
	case OPT_wait:
		rc = set_word("wait", value, "first", "all", &word);
		r->cfg.wait = word ? SES_WAIT_ALL : SES_WAIT_FIRST;
		return rc;
	case OPT_host_memory: r->cfg.host_memory = true; return 1;
	case OPT_journal: r->cfg.journal_file = value; return 1;
	case OPT_trace: r->cfg.trace_file = value; return 1;
	case OPT_chaos:
		if (set_number("chaos", value, UINT32_MAX, &n) < 0)
			return -1;
		r->cfg.chaos = (uint32_t)n;
		return 1;
	case OPT_unit_log: r->cfg.model.p6.unit_log = value; return 1;
	case OPT_mutate: return set_mutation(r, value);
	default: return 0;
	}
}

int cli_run_option(struct cli_run *r, int option, const char *value)
{
	int rc;

	switch (option) {
	case OPT_event:
		if (r->n_event_text == sizeof(r->event_text) / sizeof(r->event_text[0])) {
			cli_fail(
			    "-e: at most 64 of them; put several events into one, with commas");
			return -1;
		}
		r->event_text[r->n_event_text++] = value;
		return 1;
	case OPT_group: r->group_name = value; return 1;
	case OPT_all: r->wants_all = true; return 1;
	case OPT_tier:
		if (strlen(value) != 1 || *value < '1' || *value > '3') {
			cli_fail("--tier %s: choose 1 (counts), 2 (structures) or 3 (time)", value);
			return -1;
		}
		r->most_tier = *value - '0';
		return 1;
	case OPT_raw: r->is_raw = true; return 1;
	}
	rc = machine_option(r, option, value);
	if (!rc)
		rc = output_option(r, option, value);
	return rc ? rc : program_option(r, option, value);
}

int cli_run_geometry(struct cli_run *r)
{
	static const char *const names[] = {"l1i", "l1d", "l2", "itlb", "dtlb"};
	struct mdl_geom *geom[] = {&r->cfg.model.l1i, &r->cfg.model.l1d, &r->cfg.model.l2,
				   &r->cfg.model.itlb, &r->cfg.model.dtlb};

	for (int i = 0; i < 5; i++)
		if (r->geometry[i] && cli_geometry(names[i], r->geometry[i], geom[i]))
			return CLI_FAILED;
	return cli_board_fits(&r->cfg.model) ? CLI_FAILED : 0;
}

int cli_run_program(struct cli_run *r, const char *command, int argc, char **argv, int first)
{
	if (cli_run_geometry(r))
		return CLI_FAILED;
	if (first >= argc)
		return cli_fail("%s: which program? write softpmu %s -- PROGRAM [ARGS]", command,
				command);
	r->cfg.argv = argv + first;
	r->has_dashes = first > 0 && !strcmp(argv[first - 1], "--");
	return 0;
}

void cli_run_note_output(const struct cli_run *r, const char *command, const char *file)
{
	char *const *argv = r->cfg.argv;
	size_t n = 0;

	while (argv[n])
		n++;
	if (n < 3 || strcmp(argv[n - 2], "-o") || r->has_dashes || r->is_quiet ||
	    !access(argv[n - 1], F_OK))
		return;
	cli_fail("-o %s went to %s, and the results to %s: softpmu's options stand before the "
		 "program, as in softpmu %s -o %s -- %s",
		 argv[n - 1], argv[0], file, command, argv[n - 1], argv[0]);
}

/* Returns true if one of the other processors has events of that group. */
static bool is_group_elsewhere(const struct evt_events *list, const char *name)
{
	bool has = false;

	for (size_t i = 0; i < list->n_other && !has; i++) {
		struct evt_events own = {0};
		struct spmu_error err;

		has = !evt_events_of_group(list->other[i], name, &own, &err);
		evt_events_free(&own);
	}
	return has;
}

int cli_run_events(const struct cli_run *r, const struct cat_cpu *cpu, struct evt_events *list)
{
	struct spmu_error err;
	int rc = 0;

	for (size_t i = 0; i < r->n_event_text && !rc; i++)
		rc = evt_parse_events(cpu, r->event_text[i], r->is_raw, list, &err);
	if (!rc && r->group_name)
		rc = evt_events_of_group(cpu, r->group_name, list, &err);
	if (rc == -SPMU_EINVAL && r->group_name && is_group_elsewhere(list, r->group_name))
		rc = 0;
	if (!rc && r->wants_all)
		rc = evt_events_all(cpu, r->most_tier ? r->most_tier : 3, list, &err);
	return rc ? cli_complain(&err) : 0;
}

FILE *cli_run_output(struct cli_run *r)
{
	FILE *out = stderr;

	if (r->output && r->log_fd >= 0) {
		cli_fail("-o %s and --log-fd %d: choose one of them", r->output, r->log_fd);
		return NULL;
	}
	if (r->is_once && (!r->output || r->is_append)) {
		cli_fail("--no-clobber: it says that the file of -o is a new one; add -o FILE, and "
			 "leave --append away");
		return NULL;
	}
	if (r->output)
		return cli_output_open(&r->file, r->output, r->is_append, r->is_once);
	if (r->log_fd >= 0)
		out = fdopen(r->log_fd, "w");
	if (!out)
		cli_fail("--log-fd %d: %s; open it before, as in 3>FILE", r->log_fd,
			 strerror(errno));
	return out;
}

int cli_run_close_output(struct cli_run *r, FILE *out, int code)
{
	int has_failed, why;

	if (r->file.file) {
		const bool is_said = code >= CLI_FAILED && code <= CLI_NOT_FOUND;
		const int failed = cli_output_close(&r->file, r->is_whole, is_said);

		return failed ? failed : code;
	}
	has_failed = fflush(out) || ferror(out);
	why = errno;
	if (out != stderr && fclose(out) && !has_failed) {
		has_failed = 1;
		why = errno;
	}
	if (!has_failed)
		return code;
	return cli_fail("output: the results could not be written completely: %s", strerror(why));
}

int cli_run_exit_code(const struct ses_result *run)
{
	if (run->interrupted)
		return 128 + (run->interrupt_signal ? run->interrupt_signal : 2);
	if (WIFSIGNALED(run->wait_status))
		return 128 + WTERMSIG(run->wait_status);
	return WEXITSTATUS(run->wait_status);
}

void cli_run_say_remarks(const struct ses_result *run)
{
	char text[400];

	for (unsigned i = 0; rpt_remark(&run->remarks, i, text, sizeof(text)); i++)
		cli_fail("%s", text);
}

void cli_run_say_signal(const struct cli_run *r, const struct ses_result *run)
{
	const char *signal = run->interrupt_signal ? sigabbrev_np(run->interrupt_signal) : "INT";
	char names[SES_LEFT_NAMES_BYTES];

	if (run->interrupted && run->n_left)
		cli_fail("SIG%s ended the run early: %s was gone, and softpmu waited for %s; what "
			 "was counted is what happened up to "
			 "then (--wait first waits for nobody)",
			 signal, r->cfg.argv[0], ses_left_names(run, names));
	else if (run->interrupt_signal == SIGXCPU)
		cli_fail(
		    "the processor time that ulimit -t allows softpmu is nearly over; what was "
		    "counted is what happened up to then");
	else if (run->interrupted)
		cli_fail("SIG%s ended the run early; what was counted is what happened up to then",
			 signal);
	else if (WIFSIGNALED(run->wait_status))
		fprintf(stderr, "%s: %s\n", r->cfg.argv[0], strsignal(WTERMSIG(run->wait_status)));
}

void cli_run_free(struct cli_run *r)
{
	free(r->own_env);
	r->own_env = NULL;
}

int cli_run_read(struct cli_run *r, int argc, char **argv, char command, cli_take *take, void *own,
		 int *help)
{
	const char *value;
	struct spmu_error err;

	if (ses_limits_check_time(&err))
		return cli_complain(&err);
	for (;;) {
		const int option = cli_next_option(argc, argv, command, &value);
		int rc;

		if (option < 0)
			return CLI_FAILED;
		if (option == OPT_END) {
			if (!r->has_ld_cache && r->own_env)
				r->cfg.ld_cache = SES_LD_CACHE_OWN;
			return 0;
		}
		if (option == OPT_help || option == OPT_help_all) {
			*help = option;
			return 0;
		}
		rc = take ? take(own, option, value) : 0;
		if (!rc)
			rc = cli_run_option(r, option, value);
		if (rc < 0)
			return CLI_FAILED;
	}
}
