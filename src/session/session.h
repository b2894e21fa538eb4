/* session.h -- one counted run: which processor, which events, which program.
 *
 * Puts the parts together (engine, model, pmu) and hands out numbers. The only room that sees both
 * sides of the wires. Two sessions in one process do not disturb each other.
 */
#ifndef SOFTPMU_SESSION_SESSION_H
#define SOFTPMU_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "event/event.h"
#include "model/model.h"
#include "session/session.h"

enum ses_isa { SES_ISA_AUTO = -1, SES_ISA_HOST = 0, SES_ISA_V1, SES_ISA_V2, SES_ISA_V3, SES_ISA_V4,
	       SES_ISA_CPU /* what the modelled processor itself shows: 32-bit programs */ };

/* For whom a run waits beside its first process (left.h). */
enum ses_wait {
	/* all but those that are stopped or in another session, when only such are left */
	SES_WAIT_AUTO,
	SES_WAIT_FIRST, /* nobody */
	SES_WAIT_ALL,
};

/* What the program's loader finds in /etc/ld.so.cache (ld_cache.h). */
enum ses_ld_cache_shown { SES_LD_CACHE_HOST, SES_LD_CACHE_OWN, SES_LD_CACHE_HIDE };

#define SES_MORE_COLUMNS 3u /* processors that a run counts for beside the first one */

/* Another processor to count for, from the same run. */
struct ses_column {
	const struct cat_cpu *cpu;
	const struct evt_event *event; /* borrowed during ses_run */
	size_t n_event;
};

#define SES_WORKERS 2u
#define SES_PROGRAM_BYTES 64u

/* What the report says about single processes of a run (session/totals/remarks.h). */
struct ses_remarks {
	/* 0; or what --isa must be for a program that ended with a message about its processor:
	 * 1..4, 5 = host */
	int wants_isa;
	int shown_isa;   /* what it was shown: enum ses_isa without AUTO */
	char wants_isa_by[SES_PROGRAM_BYTES];
	/* what the kernel would have given a program by its file */
	bool missed_owner, missed_group, missed_capabilities;
	uint32_t n_missed;      /* so many programs ran without, the named one included */
	char missed_by[SES_PROGRAM_BYTES];
	/* an event that a program opened and that needs not_counted_tier; "" = none */
	char not_counted[SES_PROGRAM_BYTES];
	int not_counted_tier; /* above the run's: 2 or 3 */
	/* a library that only the machine's own ld.so.cache has; "" = none */
	char cache_lacks[SES_PROGRAM_BYTES];
};

struct ses_service;
struct ses_gate_config;
struct ses_intervals_config;
struct ses_progress_config;

struct ses_config {
	/* model.cpu must be set; store and wanted are filled in by session */
	struct mdl_config model;
	const struct evt_event *event; /* borrowed during ses_run */
	size_t n_event;
	char *const *argv;             /* program and arguments, NULL terminated; borrowed */
	char *const *envp;             /* environment of the program, NULL terminated; borrowed */
	enum ses_isa isa;
	const struct cat_cpu *seen_cpu; /* --cpuid: what the program sees; NULL = model.cpu */
	uint64_t seed;
	uint32_t quantum;              /* instructions of a thread's turn; 0 = the usual number */
	/* threads that work out clocks; 0: as the machine has processors, at most SES_WORKERS */
	uint32_t n_worker;
	bool has_model_clock;          /* --clock model */
	bool is_pce_clear;             /* --pce 0: RDPMC faults in user mode */
	enum ses_ld_cache_shown ld_cache; /* --ld-cache */
	bool host_memory;              /* --host-memory: show the host's memory size */
	uint32_t chaos;                /* test hooks, docs/TESTING.md */
	bool keeps_threads;            /* fill ses_result.thread */
	/* system calls; session/files/journal.h; NULL = no. Both files hold the first process,
	 * each process has its own when the name has "%p" (process_file.h) */
	const char *journal_file;
	const char *trace_file;        /* keep the record stream in this file; NULL = no */
	/* count the first process only (--no-inherit); its children run uncounted */
	bool is_alone;
	bool keeps_regions;            /* fill ses_result.region */
	/* counting is switched on and off (session/serve/gate.h); borrowed, NULL = no */
	const struct ses_gate_config *gate;
	/* counts while the run goes on (session/serve/intervals.h), which SIGUSR1 to this
	 * process asks for, too; borrowed, NULL = no */
	const struct ses_intervals_config *intervals;
	/* signs of life (session/serve/progress.h); borrowed, NULL = none */
	const struct ses_progress_config *progress;
	/* then all processes get SIGTERM as if it had come to this one; 0 = never */
	uint32_t timeout_ms;
	bool keeps_processes;          /* fill ses_result.process */
	bool keeps_inputs;             /* fill ses_result.input */
	bool keeps_places;	       /* fill ses_result.placed; no clocks, no columns, no gate */
	const struct ses_column *column; /* more processors, at most SES_MORE_COLUMNS; borrowed */
	size_t n_column;
	/* count also whatever needs no more than this tier: the program may ask for it; 0 = no */
	int ready_tier;
	bool rises;
				   /* ... but only from when it first asks (REQ_RISE), where the events need no records */
	/* performance events for the program (session/serve/service.h); borrowed, NULL = none */
	const struct ses_service *service;
	enum ses_wait wait;            /* for whom beside the first process */
	/* the run ends soon after it becomes true; borrowed, NULL = no */
	const bool *is_enough;
};

/* A process that the run left behind (left.h), or waited for when a signal ended it. */
struct ses_left {
	pid_t pid;
	char program[64];
};

static inline const struct cat_cpu *ses_seen_cpu(const struct ses_config *cfg)
{
	return cfg->seen_cpu ? cfg->seen_cpu : cfg->model.cpu;
}

/* How long an event of the machine's own counters was asked for, and on a counter. */
struct ses_share {
	uint64_t enabled_ns, running_ns;
};

/* What one thread of the program counted by itself. */
struct ses_thread {
	char birth[96];                /* order of birth of its process, as in struct ses_process */
	char program[64];              /* ... and what that one ran last */
	uint32_t number;               /* in its process, in the order of birth, from 0 */
	uint64_t instructions;
	struct evt_count *count;       /* one per ses_config.event; owned by the result */
};

/* What one process of the program counted by itself. */
struct ses_process {
	char birth[96];                /* order of birth: "1" the program, "1.2" its second child */
	char program[64];              /* last part of the name of the file that it ran last */
	uint64_t instructions;
	uint64_t input_digest;
	struct evt_count *count;       /* one per ses_config.event; owned by the result */
};

/* How the journal of system calls (ses_config.journal_file) came out. */
enum ses_journal_state {
	SES_JOURNAL_NONE,
	SES_JOURNAL_WRITTEN,   /* there was none: it was written */
	SES_JOURNAL_SAME,      /* this run's calls are those of the file */
	SES_JOURNAL_DIFFERS,   /* was and is tell the first difference */
};

struct ses_journal_end {
	enum ses_journal_state state;
	/* calls of this run; with DIFFERS the number of the first that differs, from 1 */
	uint64_t n;
	uint64_t n_process;            /* with a journal */
	char birth[96];                /* DIFFERS: order of birth of the process */
	char was[96], is[96];
			 /* that call in the file and now: "read = 512 (digest ...)"; "no call" at the end */
};

#define SES_INPUT_NAME 256u
#define SES_MOST_INPUTS 1024u

enum ses_input_kind {
	SES_INPUT_FILE,
	SES_INPUT_PROGRAM,  /* it was loaded to be executed: a program or an interpreter */
	SES_INPUT_STANDARD, /* standard input, when that is a file */
	SES_N_INPUT_KINDS
};

/* A file that the run has read (session/inputs/inputs.h). */
struct ses_input {
	enum ses_input_kind kind;
	/* as the program named it, without the directory in which softpmu was started; a long
	 * one is ".." and its end; "" for standard input; printable, but for bytes above 7FH */
	char name[SES_INPUT_NAME];
	uint64_t bytes, digest;        /* guest/files/input.h says of what */
};

#define SES_REGION_NAME 64u

/* What a region of the program counted (regions.h). */
struct ses_region {
	char name[SES_REGION_NAME];
	uint64_t n_times;              /* that it was ended */
	uint64_t instructions;
	struct evt_count *count;       /* one per ses_config.event; owned by the result */
};

/* What one process counted where: bytes of rec_process_put() (src/record), one number per
 * ses_config.event. */
struct ses_placed {
	char birth[96]; /* order of birth */
	uint8_t *bytes; /* owned by the result */
	size_t n;
};

/* Instructions that a processor never had; what is in none of the kinds is SSE2 and later. */
struct ses_later {
	uint64_t all;
	/* as wires core.foreign_new and so on tell them apart */
	uint64_t new_forms, mmx, sse, long_mode;
};

/* What a column counted. */
struct ses_column_result {
	struct evt_count *count;       /* one per event of the column; owned by the result */
	struct ses_later later;
};

#define SES_MAX_PATHS 12u

struct ses_result {
	struct evt_count *count;       /* one per ses_config.event; owned by the result */
	/* one per event when the machine's own counters counted, else NULL; owned */
	struct ses_share *share;
	/* process by process, in the order of birth; NULL unless they were asked for; owned */
	struct ses_thread *thread;
	size_t n_thread;
	/* as they ended first; NULL unless they were asked for; owned */
	struct ses_region *region;
	size_t n_region;
	/* by order of birth; NULL unless they were asked for; owned */
	struct ses_process *process;
	struct ses_placed *placed;     /* by order of birth; NULL unless it was asked for; owned */
	size_t n_placed;
	/* processes that ran; of these are the counts (is_alone: only the first's) */
	size_t n_process;
	/* several processors, one process, tier 2: n_cpu times one per event, each processor's
	 * own; else NULL; owned by the result */
	struct evt_count *cpu_count;
	size_t n_cpu;
	struct ses_column_result *column; /* as in ses_config.column; owned */
	size_t n_column;
	uint64_t wire_total[WIRE_N];
	uint8_t wire_driven[WIRE_N];
	struct {
		const char *name;      /* static */
		uint64_t entered;
	/* of the first process's model, when asked for: mdl_path() */
	} path[SES_MAX_PATHS];
	unsigned n_path;
	int wait_status;               /* of the program, as wait(2) */
	/* SIGINT or SIGTERM to softpmu, or the terminal's SIGINT to the program, ended it early */
	bool interrupted;
	/* ses_config.timeout_ms ended it; interrupted is false then */
	bool is_timed_out;
	int interrupt_signal;          /* which of them; 0 when not interrupted */
	double elapsed_s, user_s, sys_s; /* user and sys: program and softpmu together */
	/* of program and softpmu together, as this machine says */
	uint64_t minor_faults, major_faults, switches;
	uint64_t instructions;
	struct ses_later later;        /* that the modelled processor never had */
	uint64_t host_dependent;       /* RCPPS, RSQRTPS, x87 transcendentals executed */
	uint64_t syscalls, signals, clock_looks;
	bool has_model_clock;          /* the program's clocks followed the model's */
	uint64_t time_looks; /* the program asked so often for times that are not in the digest */
	uint64_t threads;              /* that the program started, its first one included */
	/* times that the host decided when a thread went on (guest/threads/sched.h) */
	uint64_t outside_events;
	uint64_t input_digest;
	struct ses_journal_end journal; /* of cfg->journal_file */
	struct ses_left *left;         /* NULL where nobody was; owned */
	size_t n_left;
	/* in the order in which they were opened first; NULL unless they were asked for; owned */
	struct ses_input *input;
	size_t n_input;
	bool has_more_inputs;          /* ... and there were more than SES_MOST_INPUTS */
	int isa_level;                 /* enum ses_isa without AUTO */
	struct ses_remarks remarks;    /* about processes that were counted */
	int tier;                      /* 1 counts, 2 structures, 3 time */
	uint64_t blocks, block_insns, misses, trace_bytes; /* engine statistics */
};

/* Run the program once and count. Blocks until it ended. Returns 0 (result filled; also when the
 * program crashed or was interrupted); -SPMU_ENOENT, -SPMU_EEXEC when it could not be started;
 * -SPMU_ENOTSUP when it needs something that softpmu refuses (threads, fork, ...): result holds
 * what was counted up to there when result->instructions is not 0; -SPMU_ESYS. err receives the
 * sentence. */
int ses_run(const struct ses_config *cfg, struct ses_result *result, struct spmu_error *err);

/* Count again from a trace file that ses_run kept (cfg->trace_file), with cfg's processor,
 * settings and events; no program is run. Counts equal those of the run when processor and
 * settings are equal. Returns as ses_trace_replay (session/files/trace_file.h); what came before
 * the damage is in the result. */
int ses_replay(const struct ses_config *cfg, const char *path, struct ses_result *result,
               struct spmu_error *err);

/* The processes in result->left as text, "1234 (sleep), 1240 (cat)", as many as there is room
 * for. Returns out. */
#define SES_LEFT_NAMES_BYTES 220u
const char *ses_left_names(const struct ses_result *result, char out[SES_LEFT_NAMES_BYTES]);

void ses_result_free(struct ses_result *result);

#endif
