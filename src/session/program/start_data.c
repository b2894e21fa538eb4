/* start_data.c -- fills in struct shr_start: the program's strings, and what it sees of its
 * machine. Rules: start_data.h. */
#include "session/program/start_data.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "session/serve/bank.h"
#include "session/machine/cpuid.h"
#include "session/machine/probes.h"

/* Memory that the program is shown, on every host (docs/ARCHITECTURE.md, fixed surroundings). */
#define SHOWN_MEMORY_BYTES (2ull << 30)
/* Turns of threads, in instructions; on several processors short ones, so that caches see the
 * threads side by side. */
#define QUANTUM	    500000u
#define SMP_QUANTUM 1000u
/* Elements of REP instructions under way between guest and model: each takes a model 10 to 50 ns on
 * its slow paths, so all of them take at most a twentieth of a second. An instruction that is new
 * to the model counts as several elements (serve_answer.c). */
#define MOST_WORK	  (1u << 20)
#define LEAST_WORK	  (1u << 16)
#define INSN_MHZ	  1000u /* one tick per instruction, as if one took a nanosecond */
#define SHOWN_STACK_BYTES (8ull << 20)

/* The strings of the start data, one behind the other. */
struct strings {
	char *start;
	size_t used;
	const char *program; /* for the message */
	struct spmu_error *err;
};

static int append_string(struct strings *to, const char *text)
{
	size_t n = strlen(text) + 1;

	if (n > SHR_START_BYTES - to->used)
		return spmu_fail(to->err, SPMU_EEXEC,
				 "arguments and environment of '%s' take more than %u MiB; make "
				 "them shorter",
				 to->program, SHR_START_BYTES >> 20);
	memcpy(to->start + to->used, text, n);
	to->used += n;
	return 0;
}

static int fill_strings(struct strings *to, const char *path, char *const *argv, char *const *envp,
			struct shr_start *s)
{
	int rc = append_string(to, path);

	for (; rc == 0 && *argv; argv++, s->n_argv++)
		rc = append_string(to, *argv);
	for (; rc == 0 && *envp; envp++, s->n_envp++)
		rc = append_string(to, *envp);
	s->text_bytes = (uint32_t)to->used;
	return rc;
}

/* Each processor that looks on has a model of its own. */
static uint32_t most_work(const struct ses_config *cfg)
{
	const size_t n = MOST_WORK / (1 + cfg->n_column);

	return n > LEAST_WORK ? (uint32_t)n : LEAST_WORK;
}

static uint32_t host_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

int ses_start_fill(const struct ses_config *cfg, const struct ses_program *program,
		   char *const *argv, const struct ses_areas *areas, enum shr_tier tier, int isa,
		   struct spmu_error *err)
{
	struct strings to = {(char *)areas->map[SES_AREA_CONTROL] + SHR_START_OFF, 0, cfg->argv[0],
			     err};
	struct shr_ctl *c = ses_areas_ctl(areas);
	struct shr_start *s = &c->start;
	struct sysinfo info;

	c->magic = SHR_MAGIC;
	c->version = SHR_VERSION;
	s->tier = tier;
	s->mode = program->is_32 ? SHR_MODE_32 : SHR_MODE_64;
	s->shift = program->shift;
	s->n_host_cpus = host_cpus();
	s->has_line_flush = s->n_host_cpus > 1 && ses_host_has_line_flush();
	s->seed = cfg->seed;
	s->memory_bytes = SHOWN_MEMORY_BYTES;
	if (cfg->host_memory && sysinfo(&info) == 0)
		s->memory_bytes = (uint64_t)info.totalram * info.mem_unit;
	s->n_cpus = cfg->model.n_cpus ? cfg->model.n_cpus : 1;
	s->quantum = cfg->quantum;
	if (!s->quantum)
		s->quantum = s->n_cpus > 1 ? SMP_QUANTUM : QUANTUM;
	s->most_work = most_work(cfg);
	s->has_regions = cfg->keeps_regions;
	s->tells_mates = cfg->keeps_processes;
	s->has_places = cfg->keeps_places || cfg->trace_file; /* who counts again may keep them */
	s->clock = cfg->has_model_clock ? SHR_CLOCK_MODEL : SHR_CLOCK_INSNS;
	snprintf(s->cpu_name, sizeof(s->cpu_name), "%s", ses_seen_cpu(cfg)->text);
	s->stamp_mhz = cfg->has_model_clock ? ses_seen_cpu(cfg)->core_mhz : INSN_MHZ;
	s->rdpmc = ses_bank_access(ses_seen_cpu(cfg), !cfg->is_pce_clear);
	s->has_perf = cfg->service ? SHR_PERF_UNUSED : SHR_PERF_NONE;
	s->ld_cache = cfg->ld_cache == SES_LD_CACHE_OWN	   ? SHR_LD_CACHE_OWN
		      : cfg->ld_cache == SES_LD_CACHE_HIDE ? SHR_LD_CACHE_HIDE
							   : SHR_LD_CACHE_HOST;
	s->stack_limit = (struct shr_limit){SHOWN_STACK_BYTES, UINT64_MAX};
	s->has_inputs = cfg->keeps_inputs;
	s->chaos = cfg->chaos;
	ses_fill_cpuid(ses_seen_cpu(cfg), isa, s);
	return fill_strings(&to, program->path, argv, cfg->envp, s);
}
