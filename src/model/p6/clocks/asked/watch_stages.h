/* watch_stages.h -- clocks in which an access asks L2 and the bus, for the comparisons of watch.c
 * (watch_stages.c). Nothing of it is called without p6_time.watch. */
#ifndef SOFTPMU_MODEL_P6_WATCH_STAGES_H
#define SOFTPMU_MODEL_P6_WATCH_STAGES_H

#include <stdint.h>

struct p6;
struct p6_stages;

/* What an access does on its way, each perhaps several times. */
enum p6_stage {
	P6_STAGE_ITSELF, /* it is dispatched, committed or fetched */
	P6_STAGE_L2,	 /* L2 is asked for a line or an entry of a page table */
	/* L2 is addressed: for these, for a line to write into it, for one that leaves L1D */
	P6_STAGE_ADS,
	P6_STAGE_L2_IN, /* a line from memory is there whole */
	P6_STAGE_IN,	/* a line is in L1 whole */
	P6_STAGE_OUT,	/* a modified line leaves L1D */
	P6_STAGE_BUS,	/* a transaction that reads or invalidates is requested */
	P6_STAGE_DATA,	/* a bus clock with data for the processor */
	P6_STAGE_WRITE, /* a line is written to memory */
	P6_STAGE_DRIVE, /* a bus clock with data of it */
	P6_N_STAGES
};

/* Returns 0 or -SPMU_ENOMEM. time.stages is the machine's; p6_stages_close() frees it. */
int p6_stages_open(struct p6 *m);
void p6_stages_close(struct p6 *m);

/* Take what one access has raised and has no clock yet. Returns a ticket for it, which
 * p6_stages_end() turns into clocks; 0 if there is nothing. Call it behind each access: what one
 * left would be the next one's. */
uint16_t p6_stages_ticket(struct p6 *m);

/* An access goes on its way: the stages of the one before are forgotten. */
void p6_stages_begin(struct p6 *m);

/* The access reaches a stage in core clock clk. */
void p6_stages_note(struct p6 *m, enum p6_stage stage, uint64_t clk);

/* The access reaches `stage` (P6_STAGE_DATA or P6_STAGE_DRIVE) in clk: a bus clock with data, up to
 * core clock `end`, exclusive. */
void p6_stages_data(struct p6 *m, enum p6_stage stage, uint64_t clk, uint64_t end);

/* The access, which began in clk, is done: put what `ticket` holds into the clocks of its stages.
 * The ticket is not 0. What belongs to a stage that was not reached stays in the ticket, for the
 * next access that has it (the write of a read-modify-write). */
void p6_stages_end(struct p6 *m, uint16_t ticket, uint64_t clk);

/* An instruction is done. What is left in tickets of old instructions, which no micro-op can have
 * any more, goes to the clock of the last retirement. */
void p6_stages_age(struct p6 *m);

/* As p6_watch_aside() and p6_watch_back(), which call them, for tickets: those that a group of
 * micro-ops ends in between are as before. */
void p6_stages_aside(struct p6 *m);
void p6_stages_back(struct p6 *m);

#endif
