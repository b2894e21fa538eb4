/* session.h -- one counted run: which processor, which events, which program.
 *
 * A session joins the parts (engine, model, pmu) and returns the counts. It is the only room that
 * sees both sides of the wires. Two sessions in one process do not disturb each other.
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

enum ses_isa {
	SES_ISA_AUTO = -1,
	SES_ISA_HOST = 0,
	SES_ISA_V1,
	SES_ISA_V2,
	SES_ISA_V3,
	SES_ISA_V4,
	SES_ISA_CPU /* the modelled processor's own level: 32-bit programs */
};

/* For which processes a run waits after its first process has ended (left.h). */
enum ses_wait {
	/* For all processes, until only processes are left that are stopped or in another
	 * session. */
	SES_WAIT_AUTO,
	SES_WAIT_FIRST, /* for no other process */
	SES_WAIT_ALL,	/* for all of them */
};

/* What the program's loader finds in /etc/ld.so.cache: the host's file, a list made for this
 * program, or no file (ld_cache.h). */
enum ses_ld_cache_shown { SES_LD_CACHE_HOST, SES_LD_CACHE_OWN, SES_LD_CACHE_HIDE };

/* Machines that are counted for in addition to the first one: in one run, and by a replay. */
#define SES_LIVE_COLUMNS 3u
#define SES_MORE_COLUMNS 15u

/* Caches and TLBs as mdl_config has them: a size of 0 is the processor's own. */
struct ses_geometry {
	struct mdl_geom l1i, l1d, l2, itlb, dtlb;
};

/* Another machine to count for, from the same run. */
struct ses_column {
	const struct cat_cpu *cpu;
	struct ses_geometry geometry;
	const struct evt_event *event; /* borrowed during ses_run */
	size_t n_event;
};

#define SES_WORKERS	  2u
#define SES_PROGRAM_BYTES 64u

#define SES_MOST_REFUSED  8u   /* events that are named */
#define SES_REFUSAL_BYTES 208u /* of the sentence about one */

#define SES_LEFT_OVER_BYTES 128u /* names of events without a counter */

/* Facts about single programs of a run that the report mentions (session/totals/remarks.h). */
struct ses_remarks {
	/* The --isa value for a program that ended with a message about its processor: 1..4,
	 * 5 = host; 0 = there was no such program. */
	int wants_isa;
	int shown_isa; /* the level that this program was shown: enum ses_isa without AUTO */
	char wants_isa_by[SES_PROGRAM_BYTES]; /* its name */
	/* Rights that the kernel would have given a program by its file's mode and
	 * capabilities. */
	bool missed_owner, missed_group, missed_capabilities;
	uint32_t n_missed; /* programs without their file's rights, the named one included */
	char missed_by[SES_PROGRAM_BYTES];
	/* Events that a program asked for and that nothing counted, by name. */
	struct ses_not_counted {
		char name[SES_PROGRAM_BYTES]; /* as perf spells it, or the catalog's */
		char why[SES_REFUSAL_BYTES];  /* behind the name: why not, and what to do */
	} not_counted[SES_MOST_REFUSED];
	uint32_t n_not_counted;
	bool has_more_not_counted; /* than the list has room for */
	/* A library that only the machine's own ld.so.cache lists; "" = none. */
	char cache_lacks[SES_PROGRAM_BYTES];
	/* A 64-bit program that asked PAPI for counters; "" = none. */
	char papi_by[SES_PROGRAM_BYTES];
	/* A program that read a counter by RDPMC in which no event was; "" = none. */
	char idle_read_by[SES_PROGRAM_BYTES];
	uint32_t idle_counter;
	/* Events of the run for which no counter was left, where a program read the others by
	 * RDPMC; "" = none. */
	char left_over[SES_LEFT_OVER_BYTES];
};

/* A function that a region is named after (session/paths/paths.h). */
struct ses_function {
	uint64_t call; /* count its call of this number alone, from 1; 0: all of them */
	/* Does a function of that name begin at this offset of the file? Asked once for each block
	 * that is translated, in the server of each process. */
	bool (*begins)(void *ctx, const char *path, uint64_t offset);
	void *ctx;
};

struct bare_config;
struct ses_service;
struct ses_gate_config;
struct ses_intervals_config;
struct ses_progress_config;

#define SES_REGION_NAME 64u

/* The end of a part of a run, by a mark. */
struct ses_end_mark {
	const char *text; /* as it was typed, borrowed; NULL: there is none */
	char name[SES_REGION_NAME];
	uint64_t n; /* the n-th time; 0: the first one, that it ends behind the begin of the part */
};

struct ses_config {
	/* The caller sets model.cpu; the session sets store and wanted. */
	struct mdl_config model;
	const struct evt_event *event; /* borrowed during ses_run */
	size_t n_event;
	char *const *argv; /* program and arguments, NULL terminated; borrowed */
	const char *argv0; /* --argv0: argv[0] as the program sees it; NULL: argv's */
	char *const *envp; /* environment of the program, NULL terminated; borrowed */
	enum ses_isa isa;
	const struct cat_cpu *seen_cpu; /* --cpuid: what the program sees; NULL = model.cpu */
	uint64_t seed;
	uint32_t quantum; /* instructions of a thread's turn; 0 = the default */
	/* Worker threads that compute clocks; 0: SES_WORKERS if the machine has so many
	 * processors, else none. */
	uint32_t n_worker;
	bool has_model_clock;		  /* --clock model */
	bool is_pce_clear;		  /* --pce 0: RDPMC faults in user mode */
	enum ses_ld_cache_shown ld_cache; /* --ld-cache */
	bool host_memory;		  /* --host-memory: show the host's memory size */
	uint32_t chaos;			  /* test hooks, docs/TESTING.md */
	bool keeps_threads;		  /* fill ses_result.thread */
	/* File for the journal of system calls (session/files/journal.h); NULL = none. Journal and
	 * trace are of the first process alone, unless the name has "%p": then each process has
	 * its own file (process_file.h). */
	const char *journal_file;
	const char *trace_file; /* keep the record stream in this file; NULL = no */
	/* with trace_file: without the operands that some events and clocks need */
	bool is_trace_lean;
	/* Count the first process alone (--no-inherit); its children run uncounted. */
	bool is_alone;
	bool keeps_regions; /* fill ses_result.region */
	/* Commands and delay that switch counting on and off (session/serve/gate.h); borrowed,
	 * NULL = none. */
	const struct ses_gate_config *gate;
	/* Counts while the run goes on (session/serve/intervals.h). SIGUSR1 to this process asks
	 * for them, too. Borrowed, NULL = none. */
	const struct ses_intervals_config *intervals;
	/* Reports of progress (session/serve/progress.h); borrowed, NULL = none. */
	const struct ses_progress_config *progress;
	/* After this time the run ends as if this process had received SIGTERM; 0 = never. */
	uint32_t timeout_ms;
	bool keeps_processes; /* fill ses_result.process */
	bool keeps_inputs;    /* fill ses_result.input */
	bool keeps_places;    /* fill ses_result.placed; no columns, no gate */
	bool keeps_paths;     /* with keeps_places: calling contexts, too; needs records */
	/* With keeps_places and a gate's region: while no mark has that name, it is this function.
	 * Borrowed, NULL = none. */
	const struct ses_function *function;
	/* More machines, at most SES_LIVE_COLUMNS, or SES_MORE_COLUMNS in a replay; borrowed. */
	const struct ses_column *column;
	size_t n_column;
	/* Count also every event that needs no more than this tier, because the program may ask
	 * for it; 0 = no. */
	int ready_tier;
	/* Count the events of ready_tier only from when the program first asks for one (REQ_RISE),
	 * if the run's own events need no records. */
	bool rises;
	/* Performance events for the program (session/serve/service.h); borrowed, NULL = none. */
	const struct ses_service *service;
	enum ses_wait wait;
	/* Replay: count instructions [from, to) of the first process, alone (is_alone); to 0: up to
	 * its end. What lies before is fed to the models, and is not counted. */
	uint64_t from_insn, to_insn;
	/* ... or it begins and ends where the program begins and ends a region. */
	struct ses_end_mark from_mark, to_mark;
	/* The run ends soon after this becomes true; borrowed, NULL = never. */
	const bool *is_enough;
	const struct bare_config *bare; /* of ses_bare(): the machine; borrowed */
};

/* A process that still ran when the run ended (left.h), or for which the run waited when a signal
 * ended it. */
struct ses_left {
	pid_t pid;
	char program[64];
};

static inline const struct cat_cpu *ses_seen_cpu(const struct ses_config *cfg)
{
	return cfg->seen_cpu ? cfg->seen_cpu : cfg->model.cpu;
}

/* How long an event of the machine's own counters was enabled, and how long it had a counter. */
struct ses_share {
	uint64_t enabled_ns, running_ns;
};

/* The counts of one thread of the program. */
struct ses_thread {
	char birth[96];	  /* order of birth of its process, as in struct ses_process */
	char program[64]; /* of its process, as in struct ses_process */
	uint32_t number;  /* in its process, in the order of birth, from 0 */
	uint64_t instructions;
	struct evt_count *count; /* one per ses_config.event; owned by the result */
};

/* The counts of one process of the program. */
struct ses_process {
	char birth[96];	  /* order of birth: "1" the program, "1.2" its second child */
	char program[64]; /* last part of the name of the file that it ran last */
	uint64_t instructions;
	uint64_t input_digest;
	struct evt_count *count; /* one per ses_config.event; owned by the result */
};

/* The result of the journal of system calls (ses_config.journal_file). */
enum ses_journal_state {
	SES_JOURNAL_NONE,
	SES_JOURNAL_WRITTEN, /* there was no file: it was written */
	SES_JOURNAL_SAME,    /* this run's calls are those of the file */
	SES_JOURNAL_DIFFERS, /* .was and .is show the first difference */
};

struct ses_journal_end {
	enum ses_journal_state state;
	/* Calls of this run; with DIFFERS the number of the first call that differs, from 1. */
	uint64_t n;
	uint64_t n_process; /* processes with a journal */
	char birth[96];	    /* with DIFFERS: order of birth of the process */
	/* That call in the file and now: "read = 512 (digest ...)"; "no call" at the end. */
	char was[96], is[96];
};

#define SES_INPUT_NAME	256u
#define SES_MOST_INPUTS 1024u

enum ses_input_kind {
	SES_INPUT_FILE,
	SES_INPUT_PROGRAM,  /* it was loaded to be executed: a program or an interpreter */
	SES_INPUT_STANDARD, /* standard input, if it is a file */
	SES_N_INPUT_KINDS
};

/* A file that the run has read (session/inputs/inputs.h). */
struct ses_input {
	enum ses_input_kind kind;
	/* As the program named it, without the directory in which softpmu was started; a long
	 * name is ".." and its end; "" for standard input. Printable, except bytes above 7FH. */
	char name[SES_INPUT_NAME];
	uint64_t bytes, digest; /* of the part of the file that guest/files/input.h names */
};

/* The counts of one region of the program (regions.h). */
struct ses_region {
	char name[SES_REGION_NAME];
	uint64_t n_times; /* times that it was ended */
	uint64_t instructions;
	struct evt_count *count; /* one per ses_config.event; owned by the result */
};

/* The counts of one process by place: bytes of rec_process_put() (src/record), one number per
 * ses_config.event. */
struct ses_placed {
	char birth[96]; /* order of birth; of a thread, with keeps_threads: "1.2:3" */
	uint8_t *bytes; /* owned by the result */
	size_t n;
	pid_t pid;     /* 0: not known */
	size_t n_path; /* bytes of rec_paths_put() behind these n; 0 without keeps_paths */
	/* bytes of rec_process_put() of replicates (struct mdl_posting) behind those; 0 where
	 * clocks are exact */
	size_t n_replicate;
};

/* Instructions that the processor never had. Those in `all` that are in none of the kinds are SSE2
 * and later. */
struct ses_later {
	uint64_t all;
	/* by kind, as the wires core.foreign_new and its like count them */
	uint64_t new_forms, mmx, sse, long_mode;
};

/* The counts of another processor of ses_config.column. */
struct ses_column_result {
	struct evt_count *count; /* one per event of the column; owned by the result */
	struct ses_later later;
};

#define SES_MAX_PATHS 12u

struct ses_result {
	struct evt_count *count; /* one per ses_config.event; owned by the result */
	/* One per event if the machine's own counters counted, else NULL; owned. */
	struct ses_share *share;
	/* Process by process, in the order of birth; NULL without keeps_threads; owned. */
	struct ses_thread *thread;
	size_t n_thread;
	/* In the order of their first ends; NULL without keeps_regions; owned. */
	struct ses_region *region;
	size_t n_region;
	/* By order of birth; NULL without keeps_processes; owned. */
	struct ses_process *process;
	/* Calls of ses_config.function by the first process. */
	uint64_t n_function_calls;
	struct ses_placed *placed; /* by order of birth; NULL without keeps_places; owned */
	size_t n_placed;
	/* Processes that ran. The counts are the sums over them (is_alone: the first's). */
	size_t n_process;
	/* With several processors, one process and tier 2 or 3: the counts of each processor,
	 * n_cpu times one per event; else NULL; owned. */
	struct evt_count *cpu_count;
	size_t n_cpu;
	struct ses_column_result *column; /* as in ses_config.column; owned */
	size_t n_column;
	uint64_t wire_total[WIRE_N];
	uint8_t wire_driven[WIRE_N];
	struct {
		const char *name; /* static */
		uint64_t entered;
		/* of the first process's model, when asked for: mdl_path() */
	} path[SES_MAX_PATHS];
	unsigned n_path;
	int wait_status; /* of the program, as wait(2) */
	/* SIGINT or SIGTERM to softpmu, or the terminal's SIGINT to the program, ended the run. */
	bool interrupted;
	/* ses_config.timeout_ms ended the run; interrupted is false then. */
	bool is_timed_out;
	int interrupt_signal;		 /* the signal; 0 when not interrupted */
	double elapsed_s, user_s, sys_s; /* user and sys: program and softpmu together */
	/* Of program and softpmu together, as this machine counts them. */
	uint64_t minor_faults, major_faults, switches;
	uint64_t instructions;
	struct ses_later later;	 /* that the modelled processor never had */
	uint64_t host_dependent; /* RCPPS, RSQRTPS, x87 transcendentals executed */
	uint64_t syscalls, signals, clock_looks;
	bool has_model_clock; /* the program's clocks followed the model's */
	uint64_t time_looks;  /* requests for times that are not in the digest */
	uint64_t threads;     /* threads of the program, its first one included */
	/* Times that the host decided when a thread went on (guest/threads/sched.h). */
	uint64_t outside_events;
	/* Signals from other processes and the kernel: where they come depends on the host. */
	uint64_t host_signals;
	uint64_t input_digest;
	struct ses_journal_end journal; /* of cfg->journal_file */
	struct ses_left *left;		/* NULL = none; owned */
	size_t n_left;
	/* In the order in which they were first opened; NULL without keeps_inputs; owned. */
	struct ses_input *input;
	size_t n_input;
	bool has_more_inputs;	    /* there were more than SES_MOST_INPUTS */
	int isa_level;		    /* enum ses_isa without AUTO */
	struct ses_remarks remarks; /* about processes that were counted */
	int tier;		    /* 1 counts, 2 structures, 3 time */
	/* one thread worked clocks out, because this user may start no more */
	bool lacks_threads;
	uint64_t blocks, block_insns, misses, trace_bytes; /* engine statistics */
};

/* Run the program once and count. Blocks until the run has ended. Returns 0 when the result is
 * filled, also when the program crashed or was interrupted; -SPMU_ENOENT or -SPMU_EEXEC when the
 * program could not be started; -SPMU_ENOTSUP when softpmu refuses something that the program or
 * the configuration needs; -SPMU_EPROTO when the program damaged the memory that it shares with
 * softpmu; -SPMU_ENOMEM; -SPMU_ESYS. After an error the result holds what was counted until then
 * if result->instructions is not 0. err receives the sentence. */
int ses_run(const struct ses_config *cfg, struct ses_result *result, struct spmu_error *err);

/* Count from a trace file that ses_run wrote (cfg->trace_file), with cfg's processor, settings and
 * events; no program is run. The counts equal those of the run if processor and settings are equal.
 * Returns 0; -SPMU_ENOENT or -SPMU_ESYS (the file cannot be read), -SPMU_EPROTO (no trace, of
 * another version, damaged or cut), -SPMU_ENOTSUP, -SPMU_ENOMEM. After damage in the file the
 * result holds what was counted before it. */
int ses_replay(const struct ses_config *cfg, const char *path, struct ses_result *result,
	       struct spmu_error *err);

/* Write the processes in result->left as text, "1234 (sleep), 1240 (cat)", as many as there is
 * room for. Returns out. */
#define SES_LEFT_NAMES_BYTES 220u
const char *ses_left_names(const struct ses_result *result, char out[SES_LEFT_NAMES_BYTES]);

void ses_result_free(struct ses_result *result);

#endif
