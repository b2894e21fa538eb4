/* replay.c -- takes a trace in place of a program. Rules: replay.h. */
#include "cli/stat/replay.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/cli.h"
#include "session/files/trace_file.h"

int cli_replay_look(const char *path, struct ses_trace_in *in, struct ses_trace_facts *facts)
{
	struct spmu_error err;

	memset(facts, 0, sizeof(*facts));
	if (ses_trace_look(path, in, &err) != 0 ||
	    ses_trace_facts_read(path, in->head, in->end, facts, &err) != 0)
		return cli_fail("%s", err.text);
	return 0;
}

/* --cpus, --seed and --quantum decided what the program did. */
static int refuse_fixed(const struct cli_replay *p, const struct cli_run *r)
{
	if (r->cfg.model.n_cpus > 1 && r->cfg.model.n_cpus != p->facts.n_cpus)
		return cli_fail(
		    "replay --cpus %u: the trace '%s' was made with %u, which decided "
		    "when each thread ran; make another one with softpmu trace --cpus %u",
		    r->cfg.model.n_cpus, p->path, p->facts.n_cpus, r->cfg.model.n_cpus);
	return 0;
}

bool cli_replay_has_range(const struct ses_config *cfg)
{
	return cfg->from_insn || cfg->to_insn || cfg->from_mark.text || cfg->to_mark.text;
}

/* NAME, or NAME:N. */
static int read_mark(const char *option, const char *value, struct ses_end_mark *mark)
{
	const char *colon = strrchr(value, ':');
	char *end;
	size_t n = strlen(value);

	mark->n = 0;
	if (colon && colon > value && isdigit((unsigned char)colon[1])) {
		mark->n = strtoull(colon + 1, &end, 10);
		if (!*end && mark->n)
			n = (size_t)(colon - value);
		else
			mark->n = 0;
	}
	if (!n || n >= sizeof(mark->name)) {
		cli_fail("%s %s: the number of an instruction is wanted, as 250K, or the name of a "
			 "region of 1 to %zu bytes",
			 option, value, sizeof(mark->name) - 1);
		return -1;
	}
	memcpy(mark->name, value, n);
	mark->name[n] = 0;
	mark->text = value;
	return 1;
}

static int read_insn(const char *option, const char *value, uint64_t *out)
{
	static const char units[] = "KMGT";
	const char *unit;
	uint64_t times = 1;
	char *end;

	errno = 0;
	*out = strtoull(value, &end, 10);
	unit = end != value && *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	for (const char *u = units; unit && u <= unit; u++)
		times *= 1000;
	end += unit != NULL;
	if (*value < '0' || *value > '9' || *end || errno || *out > (UINT64_MAX >> 1) / times) {
		cli_fail(
		    "%s %s: the number of an instruction is wanted, as 250000, 250K or 10M, or "
		    "the name of a region that the program marks",
		    option, value);
		return -1;
	}
	*out *= times;
	return 1;
}

int cli_replay_end(const char *option, const char *value, uint64_t *insn, struct ses_end_mark *mark)
{
	*insn = 0;
	mark->text = NULL;
	if (isdigit((unsigned char)*value) || *value == '-')
		return read_insn(option, value, insn);
	return read_mark(option, value, mark);
}

/* Refuse a part of a run that there is not. */
static int refuse_range(const struct cli_replay *p, const struct ses_config *cfg, size_t n_process)
{
	if (!cli_replay_has_range(cfg))
		return 0;
	if (cfg->keeps_threads || cfg->keeps_processes || cfg->keeps_regions)
		return cli_fail("--from and --to: a part of a run has totals alone; leave "
				"--per-thread, --per-process and --per-region away");
	if (cfg->to_insn && cfg->to_insn <= cfg->from_insn)
		return cli_fail("--from %" PRIu64 " and --to %" PRIu64 ": nothing lies between",
				cfg->from_insn, cfg->to_insn);
	if (n_process > 1 && !cfg->is_alone)
		return cli_fail("--from and --to: instructions are numbered within a process, and "
				"the trace '%s' has %zu; add --no-inherit for the first one's",
				p->path, n_process);
	if (n_process == 1 && p->facts.has_end && cfg->from_insn >= p->facts.instructions)
		return cli_fail("--from %" PRIu64 ": the program of '%s' executed %" PRIu64
				" instructions",
				cfg->from_insn, p->path, p->facts.instructions);
	return 0;
}

int cli_replay_open(struct cli_replay *p, struct cli_run *r, bool has_cpu, int argc, char **argv,
		    int first)
{
	int code;

	if (first >= argc)
		return cli_fail(
		    "replay: which trace? write softpmu replay FILE, which softpmu trace "
		    "-o FILE -- PROGRAM makes");
	if (first + 1 < argc)
		return cli_fail(
		    "replay: options stand before the trace, and nothing behind it; '%s' "
		    "stands behind '%s'",
		    argv[first + 1], argv[first]);
	p->path = argv[first];
	code = cli_replay_look(p->path, &p->in, &p->facts);
	code = code ? code : refuse_fixed(p, r);
	code = code ? code : refuse_range(p, &r->cfg, p->in.n_process);
	if (code)
		return code;
	if (!has_cpu)
		r->cfg.model.cpu = cat_find_cpu(p->facts.cpu);
	r->cfg.seen_cpu = cat_find_cpu(p->facts.seen);
	r->cfg.model.n_cpus = p->facts.n_cpus;
	r->cfg.seed = p->facts.seed;
	if (!r->cfg.model.phys_seed)
		r->cfg.model.phys_seed = p->facts.phys_seed;
	r->cfg.argv = r->cfg.envp = p->facts.argv;
	while (*r->cfg.envp) /* nothing is run: its end, an empty list */
		r->cfg.envp++;
	r->replay = p->path;
	return cli_run_geometry(r);
}

bool cli_replay_ending(const struct ses_trace_facts *f, char *out, size_t room)
{
	const int own = WIFSIGNALED(f->wait_status) ? WTERMSIG(f->wait_status) : 0;
	const int n = f->interrupt_signal ? f->interrupt_signal : own;
	const char *name = n ? sigabbrev_np(n) : NULL;
	char number[16];

	snprintf(number, sizeof(number), "%d", n);
	if (f->is_timed_out)
		snprintf(out, room, "--timeout ended it early");
	else if (n)
		snprintf(out, room, "%s%s %s", name ? "SIG" : "signal ", name ? name : number,
			 f->interrupt_signal ? "ended it early" : "killed the program");
	else
		snprintf(out, room, "exit status %d", WEXITSTATUS(f->wait_status));
	return f->is_timed_out || f->interrupt_signal;
}

void cli_replay_say_ending(const struct cli_replay *p)
{
	char text[64];

	if (p->facts.has_end && cli_replay_ending(&p->facts, text, sizeof(text)))
		cli_fail("the run of '%s' did not come to its end: %s; what was counted is what "
			 "happened up to then",
			 p->path, text);
}

void cli_replay_close(struct cli_replay *p)
{
	ses_trace_facts_free(&p->facts);
	if (p->path)
		ses_trace_shut(&p->in);
}
