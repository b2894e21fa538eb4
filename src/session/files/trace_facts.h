/* trace_facts.h -- what a trace says about the run that it is of, as JSON in its frames of text. */
#ifndef SOFTPMU_SESSION_TRACE_FACTS_H
#define SOFTPMU_SESSION_TRACE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "session/session.h"

/* What the recording fixed, so that a replay cannot vary it; and what the run came to. */
struct ses_trace_facts {
	char version[32]; /* of softpmu */
	char cpu[32];	  /* the processor that was modelled meanwhile */
	char seen[32];	  /* the processor that the program saw (CPUID) */
	char isa[8];	  /* --isa: a word, or "auto" */
	int isa_level;	  /* that the program was shown: enum ses_isa without AUTO */
	uint64_t seed, phys_seed;
	uint32_t n_cpus, quantum;
	bool has_model_clock, is_pce_clear;
	char **argv; /* NULL terminated; owned */
	/* From the end; all 0 where the recording did not come to its end. */
	bool has_end;
	uint64_t instructions, input_digest, processes, threads, syscalls, signals, clock_looks,
	    time_looks, outside_events;
	int wait_status;
	/* What ended the run early: a signal to softpmu, else 0; the time of --timeout. */
	int interrupt_signal;
	bool is_timed_out;
};

/* The text of the head, for the run of cfg whose program is shown isa_level (enum ses_isa); of the
 * end, for its result. Owned by the caller; NULL
 * without memory. */
char *ses_trace_head_text(const struct ses_config *cfg, int isa_level);
char *ses_trace_end_text(const struct ses_result *result);

/* Read the texts of the head and the end (NULL: none) of a trace; a stranger wrote them. The caller
 * calls ses_trace_facts_free() in either case. Returns 0; -SPMU_EPROTO with a sentence, for which
 * path names the file; -SPMU_ENOMEM. */
int ses_trace_facts_read(const char *path, const char *head, const char *end,
			 struct ses_trace_facts *out, struct spmu_error *err);
void ses_trace_facts_free(struct ses_trace_facts *f);

#endif
