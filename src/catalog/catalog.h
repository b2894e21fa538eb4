/* catalog.h -- look-up over the facts in catalog/: processors, events, wires, metrics,
 * relations.
 *
 * All tables are generated C (gen/catalog_tables.c, from catalog/ by tools/gencat), constant,
 * sorted. Nothing here allocates or fails other than "not found".
 */
#ifndef SOFTPMU_CATALOG_CATALOG_H
#define SOFTPMU_CATALOG_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cat_family { CAT_TOY, CAT_P5, CAT_P6 };
enum cat_kind { CAT_OCCURRENCE, CAT_DURATION, CAT_WEIGHTED };
/* What the unit mask of an event means (rabbit_and_registers: unit-mask types). */
enum cat_umask_type { CAT_UMASK_NONE, CAT_UMASK_FIXED, CAT_UMASK_BITS, CAT_UMASK_EXCLUSIVE };

struct cat_umask {
	uint8_t value;
	const char *name; /* "M", "any", "scalar" ... as accepted after ':' in any case */
	const char *text; /* one line */
};

/* Under unit mask bits `mask` (BITS: all of them set; EXCLUSIVE, FIXED: equal; NONE: ignored)
 * the event adds wire `wire`, but where another one stands for it. */
struct cat_event_wire {
	uint8_t mask;
	/* BITS: a wire of the event stands for the sum of those with one of these bits, when all
	 * are set; 0: none */
	uint8_t unless;
	uint8_t umask_type; /* copy of the event's */
	uint16_t wire;	    /* number of the wire: gen/wires_<family>.h */
};

struct cat_event {
	uint16_t code;
	uint8_t counters;      /* bit 0: counter 0 can count it, bit 1: counter 1 */
	uint8_t family;	       /* enum cat_family */
	uint8_t kind;	       /* enum cat_kind */
	uint8_t umask_type;    /* enum cat_umask_type */
	uint8_t default_umask; /* of a named event without unit mask (rabbit's default) */
	uint8_t n_umask, n_wire;
	uint32_t cpus;	  /* bit per enum cat_cpu_class that has the event */
	const char *name; /* Intel's spelling, blanks -> _ */
	const char *unit; /* "dcu", "l2", ... */
	const struct cat_umask *umask;
	const struct cat_event_wire *wire; /* none: not modelled by any model yet */
	const char *meaning;		   /* own words, one or two sentences */
	const char *note;	 /* commentary (notes.md), may be several paragraphs, or "" */
	const char *rule;	 /* counting rule, or "" */
	const char *discrepancy; /* known disagreements and errata, or "" */
	const char *source;
	const char
	    *short_name; /* one that is quick to type, or "": NetBSD's or our own (aliases.tsv) */
};

/* What must run for a wire to have a number (catalog/README.md, "wires.tsv"; the order is
 * tools/gencat_build.c's, too). */
enum cat_need {
	CAT_NEED_RAISER, /* nobody raises it: it is not driven */
	CAT_NEED_NEVER,	 /* nothing: user code cannot cause it */
	CAT_NEED_COUNTS,
	CAT_NEED_STREAM,
	CAT_NEED_CLASSES,
	CAT_NEED_MEMORY,
	CAT_NEED_ALONE,
	CAT_NEED_BTB,
	CAT_NEED_CLOCKS,
	CAT_NEED_SLOTS,
	CAT_NEED_WATCH,
	CAT_NEED_DELIVERY,
};

/* What a wire grows with, and so what bounds it; MISS: with data references, but not with those
 * that hit. */
enum cat_bound {
	CAT_BOUND_ANY,
	CAT_BOUND_INSN,
	CAT_BOUND_DATA,
	CAT_BOUND_MISS,
	CAT_BOUND_LINE,
	CAT_BOUND_CLK
};

/* The instruction that a count of a wire belongs to (the order is gencat's). PATH: the one that is
 * fetched or decoded, and on a wrong path the branch that led there; OLDEST: that has not retired
 * (Pentium: the one in U); MACHINE: none; NONE: the catalog does not say it, or nothing counts. */
enum cat_owner {
	CAT_OWNER_NONE,
	CAT_OWNER_INSN,
	CAT_OWNER_CAUSE,
	CAT_OWNER_BRANCH,
	CAT_OWNER_PATH,
	CAT_OWNER_OLDEST,
	CAT_OWNER_MACHINE
};

struct cat_wire {
	const char *name; /* "dcu.line_in" */
	const char *unit;
	const char *text;
	uint8_t family;
	uint8_t tier;	     /* 1 counts, 2 structures, 3 time */
	uint8_t need;	     /* enum cat_need */
	uint8_t bound;	     /* enum cat_bound */
	uint8_t owner;	     /* enum cat_owner */
	uint8_t is_internal; /* feeds no event: notes, checks and comparisons read it */
};

struct cat_cache {
	uint32_t size_bytes;
	uint16_t ways, line_bytes;
}; /* TLB: entries, ways, 0; size 0 = absent */

enum cat_cpu_class {
	CAT_CLASS_TOY,
	CAT_CLASS_P5,
	CAT_CLASS_P55C,
	CAT_CLASS_PPRO,
	CAT_CLASS_PII,
	CAT_CLASS_PIII
};

struct cat_cpu {
	const char *name; /* -march name or finer: "pentium3", "pentium3-coppermine" */
	const char *text; /* "Pentium III (Katmai), 450 MHz" */
	uint8_t family, cpu_class;
	uint8_t cpu_family, cpu_model, cpu_stepping; /* CPUID leaf 1 */
	uint8_t has_mmx, has_sse;
	struct cat_cache l1i, l1d, l2, itlb, dtlb;
	uint16_t btb_entries, btb_ways, rsb_entries;
	uint32_t core_mhz, bus_khz;
	const char *source;
};

struct cat_metric {
	const char *name;    /* "ipc" */
	const char *formula; /* arithmetic over event names: "INST_RETIRED / CPU_CLK_UNHALTED" */
	const char *unit;    /* "per instruction", "%" or "" */
	const char *text;
	uint8_t family;
	const char *source;
	const char
	    *stack; /* the whole that it is a part of: such metrics add up to it; "" = none */
};

enum cat_relation_class { CAT_IDENTITY, CAT_TENDENCY };
struct cat_relation {
	const char *name;	       /* "l2-requests" */
	const char *left, *op, *right; /* formulas over events; op "=" or "<=" */
	uint8_t relation_class;
	uint8_t family;
	const char *text, *source;
};

struct cat_group {
	const char *name; /* "coverage", "data-references" ... */
	const char *text;
	uint8_t family;
	const char *const *events; /* event spellings, NULL terminated */
	/* of each: number of the pair, from 1, that it stands in; 0: none */
	const uint8_t *pair;
};

/* One of perf's generic names on a family of processors. */
struct cat_generic {
	const char *name; /* "cycles" */
	const char *text; /* what the event means; why there is none */
	uint8_t family;
	const struct cat_event *event; /* counts what the name means; NULL: no event does */
	uint8_t umask;
	const struct cat_event
	    *driver; /* what Linux's driver counts under the name; NULL: nothing */
	uint8_t driver_umask;
	uint8_t is_todays; /* processors of today count the same under this name */
};

/* A figure of the machine that softpmu runs on, in the order of gencat_names.c. */
enum cat_software_figure {
	CAT_SW_NONE,
	CAT_SW_TASK_CLOCK,
	CAT_SW_ELAPSED,
	CAT_SW_USER_TIME,
	CAT_SW_SYSTEM_TIME,
	CAT_SW_FAULTS,
	CAT_SW_MINOR_FAULTS,
	CAT_SW_MAJOR_FAULTS,
	CAT_SW_SWITCHES,
};

/* One of perf's software events. */
struct cat_software {
	const char *name; /* "task-clock" */
	const char *text; /* what it is; why softpmu has no figure for it */
	uint8_t figure;	  /* enum cat_software_figure */
};

/* Another name of a processor. */
struct cat_cpu_name {
	const char *name; /* "i686" */
	const struct cat_cpu *cpu;
};

/* What brought an instruction that is younger than its group, in the order of gencat_names.c. */
enum cat_later {
	CAT_LATER_P6,  /* of the integer and x87 groups; no Pentium had it */
	CAT_LATER_SSE, /* of the MMX group: the integer part of SSE on MMX registers */
};

/* A source of facts: book, manual, system. */
struct cat_source {
	const char *key;  /* as in the source fields: "I7", several separated by commas */
	const char *text; /* author, title, number */
};

/* The other reading of a wire of the P5: clocks of occurrences, or occurrences of clocks. */
struct cat_reading {
	uint16_t wire, other; /* as in gen/wires_<family>.h; equal when both readings are */
	uint16_t minus;	      /* taken off, or WIRE_N */
	int16_t code; /* of the event whose reading it is; -1: of all others with the wire */
};

/* A penalty, a size or a switch of the P5 in time that is not a matter of one instruction form. */
struct cat_param {
	const char *name;  /* "dcache.misaligned_clk": unit and figure */
	const char *other; /* what other sources say: "3: AP-500", or "" */
	const char *text;
	const char *source;
	uint16_t p5, p55c; /* values by class of processor */
};

/* Tables; *n receives the number of rows. */
const struct cat_cpu *cat_cpus(size_t *n);
const struct cat_event *cat_events(size_t *n);
const struct cat_wire *cat_wires(size_t *n); /* index = number of the wire */
const struct cat_metric *cat_metrics(size_t *n);
const struct cat_relation *cat_relations(size_t *n);
const struct cat_group *cat_groups(size_t *n);
const struct cat_generic *cat_generics(size_t *n);
const struct cat_software *cat_softwares(size_t *n);
const struct cat_cpu_name *cat_cpu_names(size_t *n);
/* Mnemonics of the instructions that came with `what`, blank-separated; one * in a name stands for
 * any text. */
const char *cat_later_names(enum cat_later what);
/* The other reading of a wire as part of the event with this code; NULL: there is none. */
const struct cat_reading *cat_other_reading(unsigned code, unsigned wire);

const struct cat_param *cat_params(size_t *n); /* index = enum p5_param (gen/p5_params.h) */

/* Find by exact name (any case), a processor also by one of its other names ("i686"). NULL when
 * there is none. */
const struct cat_cpu *cat_find_cpu(const char *name);
const struct cat_software *cat_find_software(const char *name);

/* Event of `cpu` by Intel's name or an alias of aliases.tsv, any case. counter = 0, 1 or -1
 * (any). */
const struct cat_event *cat_find_event(const struct cat_cpu *cpu, const char *name, int counter);
/* Event of `cpu` by code; counter as above. */
const struct cat_event *cat_find_event_code(const struct cat_cpu *cpu, unsigned code, int counter);
/* Does `cpu` have event `e`? */
bool cat_cpu_has_event(const struct cat_cpu *cpu, const struct cat_event *e);
struct spelling_search;

/* Offer the names of events of `cpu` to a search for the nearest: Intel's and perf's, and when
 * none of them is near those of other systems. */
void cat_offer_events(const struct cat_cpu *cpu, struct spelling_search *s);
/* Names that imply a unit mask: perf's generic ones ("cycles", "branch-misses") and those of other
 * systems ("bus-burst-reads-self"). Event and unit mask on `cpu`; NULL when it has none. */
/* Is mask 0 of e, whose masks add up, one that counts nothing? Where all bits together have a
 * wire of their own (cat_event_wire.unless) there is no such mask. */
bool cat_may_select_nothing(const struct cat_event *e);
const struct cat_event *cat_find_generic(const struct cat_cpu *cpu, const char *name,
					 uint8_t *umask);
/* What Linux's driver counts on `cpu` under perf's generic name; NULL: nothing. */
const struct cat_event *cat_find_driver(const struct cat_cpu *cpu, const char *name,
					uint8_t *umask);
/* Row of perf's generic name on the family of `cpu`, whether or not cpu has an event for it;
 * NULL: no such name. */
const struct cat_generic *cat_find_generic_row(const struct cat_cpu *cpu, const char *name);
/* What a key of a source field stands for; the key is the first n bytes of `key`. NULL: no such
 * key. */
const char *cat_find_source(const char *key, size_t n);
/* Aliases of an event, NULL terminated list of "name (system)". Never NULL. */
const char *const *cat_event_aliases(const struct cat_event *e);

/* Micro-ops of one P6 instruction form. */
struct cat_uops {
	const char *mnemonic; /* lower case, Zydis spelling or class ("cmovcc", "jcc") */
	const char
	    *operands; /* "r,m" in the legend of catalog/p6/uops.tsv; "" = any; rows are sorted */
	uint16_t uops; /* fixed part */
	uint16_t per_item_x2; /* REP forms: micro-ops per element, times two; ENTER: per level */
	uint8_t p0, p1, p01, p2, p3, p4; /* split over ports, 0 when unknown */
	const char *source;
};
const struct cat_uops *cat_uops_table(size_t *n);

/* A unit of the P6 that takes one micro-op at a time, or one every other clock. */
enum cat_p6_unit {
	CAT_P6_NO_UNIT,
	CAT_P6_IMUL,
	CAT_P6_FMUL,
	CAT_P6_DIV,
	CAT_P6_SYSTEM,
	CAT_P6_N_UNITS
};

/* Latency of what a P6 instruction computes. */
struct cat_p6_timing {
	const char *mnemonic, *operands; /* "" = any form; rows are sorted */
	uint8_t latency;		 /* core clocks, 1..255 */
	uint8_t interval;		 /* clocks until the unit takes the next one */
	uint8_t unit;			 /* enum cat_p6_unit */
	const char *source;		 /* "" of a form without a row */
};
/* The rows, sorted; what is not there takes one clock. */
const struct cat_p6_timing *cat_p6_timings(size_t *n);

/* Value of a parameter of p6/params.tsv for cpu. Every name used is in the table (a test asks
 * for all). */
unsigned cat_p6_param(const struct cat_cpu *cpu, const char *name);

/* Name of the parameter that is spelled by the first n bytes of `name`; NULL when there is none.
 * Static. */
const char *cat_p6_param_name(const char *name, size_t n);

/* Parameter number i in the order of the table, as cpu has it. Returns false behind the last.
 * Cost: the table. */
struct cat_p6_param_at {
	const char *name, *text, *source;
	unsigned value;
};
bool cat_p6_param_at(const struct cat_cpu *cpu, size_t i, struct cat_p6_param_at *out);

/* Timing of a form: its own row (`first`: "r8", "s,r"), else that of the mnemonic, else one
 * clock. */
struct cat_p6_timing cat_p6_timing_of(const char *mnemonic, const char *first, const char *plain);

/* Row of a form: `mnemonic` as Zydis spells it (classes are found: "cmovnle" -> "cmovcc"), or a
 * made-up one of uops.tsv ("rep_movs", "jmp_far", "lock"); `sized` and `plain` the form with and
 * without operand sizes: "r32,m32" and "r,m". Tried in this order: sized; plain; "m" when there
 * is a memory operand; "" (a string instruction, which names no operands, also "m,m"). NULL when
 * the table has none. rows: cat_uops_table(), or a copy of it with other numbers (a test's).
 * Cost: a binary search. */
const struct cat_uops *cat_find_uops(const struct cat_uops *rows, const char *mnemonic,
				     const char *sized, const char *plain);

/* One instruction form that asks for its micro-ops. */
struct cat_uops_form {
	const char *mnemonic; /* Zydis spelling, lower case */
	const char *sized;    /* "r32,m32", "x,m128", "" */
	/* "r,m": r general, s segment, c control, f x87, q MMX, x y z vectors, k mask register,
	 * m memory, i immediate */
	const char *plain;
	uint16_t vector_bits; /* widest vector operand: 64, 128, 256, 512; 0 = none */
	bool is_locked;	      /* LOCK prefix */
};

struct cat_uops_count {
	uint16_t uops; /* fixed part, at least 1 */
	uint16_t per_item_x2;
	bool is_nearest;	    /* not a P6 instruction: counted by nearest.tsv */
	const struct cat_uops *row; /* whose numbers these are; its ports hold for one part */
};

/* Micro-ops of any instruction: its own row, else the nearest class (catalog/README.md says
 * how). rows: as for cat_find_uops(). Always gives an answer. Cost: a binary search; up to a few
 * microseconds for the nearest class. */
void cat_count_uops(const struct cat_uops *rows, const struct cat_uops_form *form,
		    struct cat_uops_count *out);

/* How a P5 instruction form pairs. */
enum cat_pair {
	CAT_PAIR_NONE,
	CAT_PAIR_UV,
	CAT_PAIR_U,
	CAT_PAIR_V,
	CAT_PAIR_FX, /* in U, with FXCH in V */
	CAT_PAIR_FXCH,
	CAT_PAIR_MMX,
	CAT_PAIR_MMX_SHIFT,
	CAT_PAIR_MMX_MUL, /* either pipe; one of the last two kinds at a time */
};

/* Clocks of one P5 instruction form. Index of pair and clk: 0 Pentium, 1 Pentium with MMX. */
struct cat_timing {
	/* lower case, Zydis spelling, class ("setcc", "jcc", "cmovcc") or pattern with '*' */
	const char *mnemonic;
	const char *operands; /* legend of catalog/p5/timing.tsv; "" = any */
	uint8_t pair[2];      /* enum cat_pair */
	uint16_t clk[2];      /* without prefixes, waits and mispredictions */
	uint8_t per_item;     /* REP forms: clocks per element */
	uint8_t over_int,
	    over_fp; /* last clocks that following integer, x87 instructions overlap */
	/* the clocks are those of so many bits of the widest vector operand; 0 = of all */
	uint16_t part_bits;
	const char *source;
};

/* The rows of forms, without patterns, sorted. */
const struct cat_timing *cat_timings(size_t *n);

/* The mnemonic that the tables of both families have for one: "jne" is "jcc". Returns `mnemonic`
 * itself when it is no such class. */
const char *cat_mnemonic_class(const char *mnemonic);

/* Row of a form. special, sized, plain: its operands, more or less exactly ("r,c", "r32,r8",
 * "r,r"); tried in this order, then without operands, then patterns in the order of the table.
 * Always gives a row. *is_pattern: it is of the nearest class. Cost: a binary search; up to a
 * microsecond for patterns. */
const struct cat_timing *cat_find_timing(const char *mnemonic, const char *special,
					 const char *sized, const char *plain, bool *is_pattern);

#endif
