/* config.h -- the settings of one machine model.
 *
 * `struct mdl_config` holds what every family understands. What only the Pentium or only the P6
 * understands lies in a struct of that family; the other family ignores it. All zero, but for
 * `cpu`, `store`, `has_walks` and `wanted`, is the processor as it was sold.
 */
#ifndef SOFTPMU_MODEL_CONFIG_H
#define SOFTPMU_MODEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/line.h"
#include "wire/wire.h"
#include "x86/block.h"

struct cat_cpu;

enum mdl_replace { MDL_REPLACE_MODEL = 0, MDL_REPLACE_LRU };		   /* --replace */
enum mdl_phys { MDL_PHYS_COLOUR = 0, MDL_PHYS_IDENTITY, MDL_PHYS_RANDOM }; /* --phys */

/* --wrong-path: what a P6 with clocks does after a mispredicted branch until the branch is
 * executed. */
enum mdl_wrong_path {
	MDL_WRONG_DECODE = 0, /* it fetches and decodes; no cache, TLB or predictor changes */
	MDL_WRONG_OFF,	      /* nothing */
	MDL_WRONG_LOADS,      /* it also reaches the caches: code, and loads of known addresses */
};

/* What a breakpoint register watches. */
enum mdl_break { MDL_BREAK_EXECUTE = 0, MDL_BREAK_WRITE = 1, MDL_BREAK_ACCESS = 3 };

#define MDL_MAX_CPUS	 8u
#define MDL_MAX_WORKERS	 8u
#define MDL_MAX_PARAMS	 32u
#define MDL_MAX_UNCACHED 8u
#define MDL_WATCH_WIRES	 48u
#define MDL_LOOK_TURNS	 65536u /* elements of a REP instruction: some milliseconds of the host */

/* Geometry of one cache or TLB; size 0 = the processor's own. */
struct mdl_geom {
	uint32_t size_bytes; /* of a TLB: entries */
	uint16_t ways;
	uint16_t line_bytes;
};

/* Linear addresses [from, to). */
struct mdl_range {
	uint64_t from, to;
};

/* A parameter of the Pentium that differs from the catalog's (--set, --board). */
struct mdl_param {
	uint16_t index; /* enum p5_param */
	uint16_t value;
};

/* A debug register of the Pentium (--breakpoint). */
struct mdl_breakpoint {
	uint64_t lin;  /* linear address */
	uint8_t bytes; /* 1, 2, 4; 0 = not set */
	uint8_t type;  /* enum mdl_break */
};

/* A parameter of the P6 that differs from catalog/p6/params.tsv (--set). */
struct mdl_setting {
	const char *name; /* static */
	uint16_t value;
};

/* A comparison in each clock, by a P6 with clocks. It counts the clocks in which the wires
 * together count at least `cmask`; inverted: fewer than `cmask`. As an edge it counts how often
 * such a time begins. cmask 0 means 1, not inverted. */
struct mdl_watch {
	uint16_t wire[MDL_WATCH_WIRES];
	uint8_t n_wire, cmask;
	bool is_inverted, is_edge;
};

/* What only the Pentium understands. */
struct mdl_p5_config {
	struct mdl_param param[MDL_MAX_PARAMS];
	uint32_t n_param;
	struct mdl_breakpoint breakpoint[4]; /* DR0 to DR3 */
	uint8_t has_errata; /* --errata: count as the silicon does where the manual differs */
};

/* What only the P6 understands. */
struct mdl_p6_config {
	struct mdl_setting setting[MDL_MAX_PARAMS];
	uint32_t n_setting;
	const char *mutation; /* --mutate, a test hook: one fact that is made wrong; NULL = none */
	struct mdl_range deferred[MDL_MAX_UNCACHED]; /* --defer: lines that the bus answers later */
	uint32_t n_deferred;
	struct mdl_watch watch[WIRE_N_WATCH]; /* watch[k] counts on WIRE_P6_CORE_WATCH0 + k */
	uint32_t n_watch;
	uint8_t wrong_path; /* enum mdl_wrong_path; MDL_WRONG_LOADS switches the clocks on */
	/* Threads that work clocks out beside the caller's, where that can be; 0 and 1: none. The
	 * counts do not depend on it. */
	uint8_t n_worker;
	/* --clocks sampled: what needs clocks is estimated from one unit in so many, where a team
	 * can do it (n_worker >= 1 then); 1: all units; 0: nothing is estimated. */
	uint32_t sample_every;
	/* instructions that are worked out in full before; from there on the distance is the
	 * largest. 0: units are dense at first, and the distance doubles with the length */
	uint32_t sample_full;
	/* where all units are worked out: the file that receives what each counted, or NULL; a test
	 * hook (tests/model/units.sh) */
	const char *unit_log;
	/* part.h tells of parts of an estimated run. A process that forks does not begin its units
	 * anew then; its copy does (mdl_part_begin()). */
	uint8_t has_parts;
	uint32_t sample_seed;	/* which units are taken */
	uint8_t sample_is_open; /* very long runs take fewer units than one in sample_every */
};

/* Settings of one model. mdl_open() copies them; what pointers in them point to stays the caller's,
 * and must stay valid as their comments say. The functions are called from inside mdl_feed() and
 * the like, with the context beside them. */
struct mdl_config {
	const struct cat_cpu *cpu;     /* row of processors.tsv; borrowed, static */
	const struct x86_store *store; /* where block ids resolve; borrowed for the model's life */
	enum mdl_replace replace;
	enum mdl_phys phys;
	uint64_t phys_seed;
	uint32_t n_cpus;   /* --cpus: processors of this kind on one bus, 1..MDL_MAX_CPUS; 0 = 1 */
	uint8_t has_walks; /* --walks on|off: page walks access L2; default 1 */
	struct mdl_geom l1i, l1d, l2, itlb, dtlb;
	struct mdl_range uncached[MDL_MAX_UNCACHED]; /* --uncached */
	uint32_t n_uncached;
	/* --timer-hz: timer interrupts in a modelled second; 0 = none. P6: switches clocks on. */
	uint32_t timer_hz;
	/* 1: the stream says when interrupts and exceptions are delivered (TRC_INTERRUPT) and when
	 * privilege changes (TRC_RING): a whole machine. They are counted without clocks, too. */
	uint8_t has_interrupts;
	/* 1: the stream says how pages are mapped (TRC_PAGE) and what flushes TLBs (TRC_FLUSH): a
	 * whole machine, whose own tables are walked. */
	uint8_t has_tables;

	/* The wires that the caller reads: 1 for each, else 0. Parts of the model that neither
	 * drive one of them nor influence a part that does may stay off. The counts do not
	 * depend on it. */
	uint8_t wanted[WIRE_N];
	uint8_t is_count_only; /* tier 1: no stream comes, but mdl_add_counts() is called */
	uint8_t is_waiting;    /* as is_count_only, but a stream comes after mdl_begin() */
	/* 1: no function of ask.h is called, and all is counted that was fed: models that get one
	 * stream may share work (mdl_add()) */
	uint8_t is_unasked;

	/* Which of its ways the model takes to the same counts. */
	uint8_t is_plain;	  /* 1: the slow reference path without filters */
	uint8_t has_no_host_code; /* 1: hot blocks do not become host code */
	uint8_t has_no_memo;	  /* 1: timings of blocks are not kept and used again */
	/* Executions that make a block hot; then its timings are kept from the first on. 0 = the
	 * model's own numbers. */
	uint32_t host_code_after;

	uint64_t most_string_bytes; /* for one REP instruction; 0 = the model's own number */
	/* Returns true when the caller wants no more of a REP instruction under way: the
	 * instruction ends there, and the totals hold what was counted. Called once in
	 * MDL_LOOK_TURNS elements. NULL: the caller wants all. Must not call the model. */
	bool (*is_over)(void *ctx);
	void *over_ctx;
	/* 1: keep what each instruction counts, too (mdl_take_ledger()). A P6 refuses it together
	 * with comparisons of single clocks (p6.watch). */
	uint8_t has_ledger;
	/* Called for each instruction by a model with clocks (line.h); NULL: not wanted. */
	void (*on_line)(void *ctx, const struct mdl_line *line);
	void *line_ctx;

	struct mdl_p5_config p5;
	struct mdl_p6_config p6;
};

#endif
