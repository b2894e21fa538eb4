/* bus.h -- unit bus: cycles on the external bus, the other processors that see them, and what lies
 * behind it, the board with its cache and memory.
 *
 * A cycle is done in two steps, as every access is (clocks/look.h). p5_bus_see() asks the
 * structures who serves it and changes them; p5_bus_cycle() works out its clocks from that answer
 * alone.
 *
 * COUNTING RULES   as in bus.c.
 */
#ifndef SOFTPMU_MODEL_P5_BUS_H
#define SOFTPMU_MODEL_P5_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/parts/cache.h"
#include "model/parts/direct.h"
#include "model/parts/tally.h"

struct p5;
struct p5_frame;

#define P5_BUS_LINE_BYTES 32u

/* What a bus cycle is. From P5_BUS_WRITE on they are writes. */
enum p5_bus_kind {
	P5_BUS_FILL,	/* a line comes in */
	P5_BUS_READ,	/* 8 bytes that fill no line; the board's cache may serve them */
	P5_BUS_READ_UC, /* not cacheable */
	P5_BUS_WRITE,
	P5_BUS_WRITE_UC,
	P5_BUS_WRITE_LINE, /* a modified line goes out */
};

/* Who serves a bus cycle (NONE: of a walk, that there is no second one); writes go to the board's
 * buffers, whatever it is. */
enum p5_bus_by { P5_BUS_BY_L2, P5_BUS_BY_MEMORY, P5_BUS_BY_NEW_ROW, P5_BUS_BY_NONE };

/* What a look at the bus saw: who serves the cycle, and with several processors bits. */
enum p5_bus_seen {
	P5_BUS_BY = 3,		   /* enum p5_bus_by */
	P5_BUS_GRANTED = 4,	   /* the other processor of the pair had the bus */
	P5_BUS_WAITS_FOR_BACK = 8, /* another processor writes its modified line back first */
	P5_BUS_IS_SHARED = 16,	   /* another processor keeps a copy; no matter of time */
};

/* The transfers of a bus cycle, 8 bytes each: the core clock after each. */
struct p5_transfer {
	uint64_t clk[P5_BUS_LINE_BYTES / 8];
	unsigned n;
};

/* The line that comes in, or came in last; and the one that left for it. */
struct p5_fill {
	struct p5_transfer transfer;
	uint64_t end_clk;  /* from here on the next one may come */
	uint64_t back_clk; /* the buffer of lines that leave is empty again */
};

/* The bus in time. Edges number bus clocks. */
struct p5_bus {
	uint32_t ratio_x2;     /* core clocks of two bus clocks */
	uint64_t address_edge; /* the next cycle begins not before */
	uint64_t end_edge[2];  /* ends of the last cycle and of that before it */
	uint64_t memory_edge;  /* end of the last cycle that memory served */
	uint64_t busy_edge;    /* what lies before is counted */
};

/* What is behind the bus. One for all processors of a system. */
struct p5_board {
	struct direct l2; /* tag NULL: there is none */
	uint32_t row;	  /* page of memory that is open */
};

/* Set up m->bus from m->cpu and m->par, and the board when it is not yet. The system closes the
 * board. Returns as cache_open(). */
int p5_bus_open(struct p5 *m);

/* Add what an instruction of these kinds (enum p5_kind) counts on the bus whenever it is
 * executed. */
void p5_bus_count(const struct p5 *m, uint32_t kinds, struct tally *t);

/* log2 of the bytes of a way of the board's cache: what colours must tell apart. 0: there is
 * none. */
unsigned p5_bus_page_log2(const struct p5 *m);

/* First edge of the bus clock at or after clk. */
static inline uint64_t p5_bus_edge(const struct p5_bus *b, uint64_t clk)
{
	return (2 * clk + b->ratio_x2 - 1) / b->ratio_x2;
}

/* Another master has the bus for so many bus clocks, from clk on or when it is free. */
void p5_bus_hold(struct p5 *m, uint64_t clk, unsigned bus_clocks);

/* The other processor of a pair grants the bus, `clocks` core clocks after this one asked. Part of
 * a look. */
void p5_bus_grant(struct p5 *m, uint64_t clocks);

/* An inquiry from outside: somebody reads the line, or (is_write) wants it alone. is_twin: the
 * other processor of a pair asks. Returns the state that the line had in L1D. */
enum cache_state p5_bus_snoop(struct p5 *m, struct p5_frame page, uint32_t offset, bool is_write,
			      bool is_twin);

/* A bus cycle reads or writes what lies at page, offset: the other processors, the board's cache
 * and memory do their part. Returns who serves it, with bits (enum p5_bus_seen). */
unsigned p5_bus_see(struct p5 *m, enum p5_bus_kind kind, struct p5_frame page, uint32_t offset);

/* The clocks of a cycle of which p5_bus_see() returned `seen`, asked for at clk, after all that
 * were asked for before. The 8 bytes asked for are transferred first. *out receives the core clocks
 * after its transfers. */
void p5_bus_cycle(struct p5 *m, enum p5_bus_kind kind, unsigned seen, uint64_t clk,
		  struct p5_transfer *out);

/* A locked sequence; is_cut: its operand lies in two lines. */
void p5_bus_locked(struct p5 *m, bool is_cut);

#endif
