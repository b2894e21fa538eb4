/* bank.h -- the two performance counters of the virtual processor, as RDPMC shows them to the
 * program.
 *
 * COUNTING RULES   a counter has 40 bits and wraps to 0. It counts one event of the catalog,
 *                  from the instruction that programmed it on. The instruction that reads it is
 *                  not in its value.
 * MODELLED         counters 0 and 1 of every P6 and of the Pentium with MMX. With several
 *                  processors (--cpus) each has its own counters; a thread reads those of the
 *                  processor that it runs on. Events of all agents on the bus are equal on all
 *                  processors.
 * NOT MODELLED     an unmodelled event: its counter stays at 0. Without a record stream (tier 1)
 *                  all processors show the counts of one.
 * SOURCES          Intel SDM vol. 2, RDPMC; vol. 3, 18.22 and 18.23.
 */
#ifndef SOFTPMU_SESSION_BANK_H
#define SOFTPMU_SESSION_BANK_H

#include "session/session.h"
#include "trace/share.h"

struct ses_server;

struct ses_bank {
	struct {
		struct evt_event event;
		uint64_t offset; /* value = count + offset, in 40 bits; stopped: the value */
		bool is_running;
		bool has_held; /* an event was put into it since the run began */
		bool is_given; /* it holds an event of the run, not one that the program opened */
	} counter[SHR_N_COUNTERS];
	char left_over[SES_LEFT_OVER_BYTES]; /* the given events that have no counter */
};

/* Returns what RDPMC does on this processor in user mode. is_open: CR4.PCE. */
enum shr_rdpmc ses_bank_access(const struct cat_cpu *cpu, bool is_open);

/* Before the program starts: give the counters the events that the first run of `--counters 2`
 * would count, from 0 on. Returns 0 or -SPMU_ENOMEM. */
int ses_bank_open(struct ses_bank *b, const struct evt_event *event, size_t n_event);

/* Set counter n (< SHR_N_COUNTERS) to `value` and let it count e from now on; e NULL: stop it. The
 * value holds for processor `cpu`. Call it after ses_read(). */
void ses_bank_program(struct ses_server *s, unsigned n, const struct evt_event *e, uint64_t value,
		      uint32_t cpu);

/* The program has read counter n (< SHR_N_COUNTERS) by RDPMC: note what the report should say about
 * it. */
void ses_bank_note(struct ses_server *s, unsigned n);

/* Returns the value of counter n on processor `cpu`. Call it after ses_read(). block: the block
 * that holds nothing but the RDPMC, if the model has counted it already; else UINT32_MAX. */
uint64_t ses_bank_value(const struct ses_server *s, unsigned n, uint32_t block, uint32_t cpu);

#endif
