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

int p6_stages_open(struct p6 *m);
void p6_stages_close(struct p6 *m);

/* Whatever one access has raised that has no clock yet, as a ticket, which p6_stages_end() turns
 * into clocks. 0: nothing. */
uint16_t p6_stages_ticket(struct p6 *m);

/* An access goes on its way; it reaches a stage in clk; it is done, begun in clk: what `ticket`,
 * not 0, holds lies in these clocks. What belongs to a stage that was not reached stays for the
 * next one with this ticket (the write of a read-modify-write). */
void p6_stages_begin(struct p6 *m);
void p6_stages_note(struct p6 *m, enum p6_stage stage, uint64_t clk);
/* A bus clock with data, at a stage of data: from clk to end. */
void p6_stages_data(struct p6 *m, enum p6_stage stage, uint64_t clk, uint64_t end);
void p6_stages_end(struct p6 *m, uint16_t ticket, uint64_t clk);

/* An instruction is done. Tickets of older ones, which no micro-op can have any more, are given the
 * last retirement. */
void p6_stages_age(struct p6 *m);

/* As p6_watch_aside(), for tickets: those that a group of micro-ops ends are given back. */
void p6_stages_aside(struct p6 *m);
void p6_stages_back(struct p6 *m);

#endif
