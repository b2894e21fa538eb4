/* pmc_lib.h -- rabbit's library: a program says where it is measured, its command line says what.
 *
 * Don Heller's rabbit (Ames Laboratory, 1998 to 2001) was made of a library, libpmc. This header
 * has the names that its pages tell, over libsoftpmu. KNOWN marks what the pages say about a name.
 * The pages about all other names are lost: their signatures and fields are ours, and so is the
 * whole text.
 *
 *	pmc_control_t ctl = pmc_control_null;
 *	pmc_counter_t c;
 *
 *	if (!pmc_getargs(stderr, argv[0], &argc, &argv, &ctl) || !pmc_open(FALSE))
 *		return 1;
 *	for (int i = 0; i < ctl.event_pairs && pmc_select(&ctl, i); i++) {
 *		pmc_counter_init(&c);
 *		pmc_counter_start(&c);
 *		loop();
 *		pmc_counter_stop(&c);
 *		pmc_print_results(stdout, &ctl, &c);
 *	}
 *	pmc_close();
 *
 * The counters are read by RDPMC behind CPUID, clocks by RDTSC behind CPUID; the least possible
 * cost of a measurement is taken off, and no result is less than 0. The program runs on a Pentium
 * or a P6: `softpmu run --clock model -- PROGRAM`, whose time-stamp counter counts clocks.
 *
 * Codes by name, as DATA_MEM_REFS, are in <softpmu/pmc_events.h>.
 *
 * THREADS          the library belongs to the thread that opened it.
 * NOT MODELLED     kernel mode; sharing the counters with other programs (/dev/pmc, its owner).
 */
#ifndef SOFTPMU_PMC_LIB_H
#define SOFTPMU_PMC_LIB_H

#include <softpmu/softpmu.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef FALSE
#define FALSE 0
#define TRUE  1
#endif

#define PMC_STRING   256 /* KNOWN: bytes of a text */
#define PMC_MAX_RATE 100 /* KNOWN: samples in a second */

enum {
	pmc_event_counters = 2, /* KNOWN: events that are counted together */
	pmc_cycle_bits = 64,	/* KNOWN */
	pmc_event_bits = 40,	/* KNOWN */
};

typedef uint64_t pmc_cycle_t; /* KNOWN */
typedef uint64_t pmc_event_t; /* KNOWN */

/* KNOWN: events that are counted together. An entry is the code of the event, which counts as the
 * switches of the command line set it; or the bits of PerfEvtSel (of a Pentium: of counter 0's
 * half of CESR), taken as they are. PMC_NO_EVENT: nothing on this counter. */
typedef uint32_t pmc_event_set_t[pmc_event_counters];
#define PMC_NO_EVENT 0xffffffffu
typedef char pmc_event_label_t[PMC_STRING]; /* KNOWN */

/* KNOWN by name and purpose, event to output_directory: settings. Start with pmc_control_null. */
typedef struct {
	pmc_event_set_t event;	   /* for the next pmc_select() of -1 */
	int event_pairs;	   /* sets in the list */
	pmc_event_set_t *list;	   /* owned; pmc_control_free() */
	pmc_event_label_t *labels; /* of the list; owned */
	pmc_event_label_t label;   /* of `event` */
	char input_file[PMC_STRING], output_directory[PMC_STRING]; /* "" = none */
	/* ours */
	double sample;	      /* -s: samples in a second; 0: one */
	int summary;	      /* -S: 0 to 2 */
	unsigned long rotate; /* -rotate */
} pmc_control_t;

SPMU_API extern const pmc_control_t pmc_control_null; /* KNOWN */

/**
 * KNOWN: take rabbit's options out of the command line; the program keeps the rest. Call it first.
 *
 * messages    where a sentence goes when something is wrong, and what -l, -d, -I, -p, -mhz 0 show.
 * prog        name before the sentence.
 * argc, argv  of main. Rabbit's options end at the first word that is none, or behind "--".
 * ctl         pmc_control_null; filled. Without --e, -g and -input: instructions and micro-ops.
 * Returns     TRUE; FALSE behind --help, and with a sentence when an option cannot be. Events are
 *             those of this processor, or of a Pentium III where it is neither a Pentium nor a P6.
 */
SPMU_API int pmc_getargs(FILE *messages, const char *prog, int *argc, char ***argv,
			 pmc_control_t *ctl);

/* Free the lists of ctl. */
SPMU_API void pmc_control_free(pmc_control_t *ctl);

/* KNOWN: can counter ctr (0, 1) count event e; its name; what it counts. NULL where it cannot.
 * Texts are constant. */
SPMU_API int pmc_event_valid(unsigned e, int ctr);
SPMU_API const char *pmc_event_name(unsigned e, int ctr);
SPMU_API const char *pmc_event_description(unsigned e, int ctr);

/* KNOWN: take the counters, give them back. save: rabbit kept what the counters held; here no other
 * program uses them, and `save` is ignored. Returns TRUE, or FALSE with a sentence in
 * pmc_message(). */
SPMU_API int pmc_open(int save);
SPMU_API void pmc_close(void);

/* * KNOWN by name: count pair `i` of the list from now on; -1: ctl->event.
 *
 * Returns TRUE; FALSE with a sentence in pmc_message(): the pair cannot be, there are no
 * counters, or
 *          the time-stamp counter counts no clocks.
 * Cost some system calls, and some hundred measurements of nothing.
 */
SPMU_API int pmc_select(pmc_control_t *ctl, int i);

/* KNOWN: clocks and counts at one moment, each since pmc_select(). */
typedef struct {
	pmc_cycle_t cycle;
	pmc_event_t event[pmc_event_counters];
} pmc_data_t;

/* KNOWN: read clocks and counters into *d. Returns TRUE, or FALSE if the counters could not be
 * read. */
SPMU_MEASURES int pmc_read(pmc_data_t *d);

/* KNOWN: a value of a reading. */
static inline pmc_cycle_t pmc_cycle(const pmc_data_t *d)
{
	return d->cycle;
}

static inline pmc_event_t pmc_event(const pmc_data_t *d, int i)
{
	return d->event[i];
}

/* KNOWN by name: seconds of so many clocks, of one clock; 0 before pmc_getargs() or pmc_open(). */
SPMU_API double pmc_second(pmc_cycle_t cycles);
SPMU_API double pmc_seconds_per_cycle(void);

/* KNOWN by name: a sum of measurements, the least cost taken off each. */
typedef struct {
	unsigned long n; /* measurements */
	pmc_cycle_t cycle, least_cycle, most_cycle;
	pmc_event_t event[pmc_event_counters], least[pmc_event_counters], most[pmc_event_counters];
	pmc_cycle_t from; /* of the one that goes on */
} pmc_counter_t;

/* KNOWN by name. */
SPMU_API void pmc_counter_init(pmc_counter_t *c);

/* Ours: begin and end a measurement. Return TRUE, or FALSE when the counters could not be read. */
SPMU_MEASURES int pmc_counter_start(pmc_counter_t *c);
SPMU_MEASURES int pmc_counter_stop(pmc_counter_t *c);

/* KNOWN by name: print a sum, of the pair that pmc_select() chose last, as ctl->summary says.
 * Returns TRUE, or FALSE when not everything could be written. */
SPMU_API int pmc_print_results(FILE *out, const pmc_control_t *ctl, const pmc_counter_t *c);

/* * KNOWN by name: count another program, as the command rabbit does; here it is that command
 * (softpmu rabbit, found in PATH), with the pairs and samples of ctl.
 *
 * argv the program and its arguments, NULL terminated. Returns its exit status, 128 + n when
 * signal n ended it, or 127 when softpmu was not found. Not for
 *          programs that softpmu itself runs.
 */
SPMU_API int pmc_run_command(const pmc_control_t *ctl, char *const argv[]);

/**
 * KNOWN by name: sample the selected pair ctl->sample times in a second, by SIGALRM, from now on to
 * pmc_end_sampling(), which is ours; c receives a measurement per sample.
 *
 * Return   TRUE; FALSE with a sentence in pmc_message().
 */
SPMU_API int pmc_begin_sampling(const pmc_control_t *ctl, pmc_counter_t *c);
SPMU_API int pmc_end_sampling(void);

/* Ours: the sentence of the last function that returned FALSE. Constant until the next call. */
SPMU_API const char *pmc_message(void);

#ifdef __cplusplus
}
#endif

#endif
