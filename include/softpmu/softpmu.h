/* softpmu.h -- let a program count its own processor events: libsoftpmu.
 *
 * A session says what is counted; a thread of the program opens its counters in it, and marks what
 *it measures: from start to stop, or named regions. Names of events are chosen at run time, by the
 * program, the environment or the command line; results are printed as text or JSON.
 *
 *	struct spmu *pmu;
 *	struct spmu_thread *me;
 *	struct spmu_error err;
 *
 *	if (spmu_open(&pmu, NULL, &err) || spmu_thread_open(pmu, &me, &err))
 *		die(err.text);
 *	spmu_begin(me, spmu_region(pmu, "sort"));
 *	sort(...);
 *	spmu_end(me, spmu_region(pmu, "sort"));
 *	spmu_print(pmu, SPMU_TEXT, stdout);
 *	spmu_close(pmu);
 *
 * The library asks perf_event_open(2) for counters and reads them with RDPMC where the system
 *allows it, with read(2) where not. So one and the same program counts on a machine that has
 *counters, and anywhere else inside `softpmu run -- PROGRAM`.
 *
 * MODELLED         user mode (event:k and event:uk: as the system allows), one group of events that
 *count together, calibration: the least possible cost of a measurement, measured when the thread
 *opens its counters, is taken off each result, and no result is less than 0. NOT MODELLED events
 *that take turns on too few counters: what does not count at once is refused. THREADS          a
 *session may be used by all threads at the same time, a spmu_thread by its own thread only;
 *                  sessions are opened by one thread at a time. A child of fork opens its own
 *session.
 */
#ifndef SOFTPMU_SOFTPMU_H
#define SOFTPMU_SOFTPMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <softpmu/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPMU_API __attribute__((visibility("default")))

/* Functions that are called inside a measurement: found when the program starts, not when they are
 * called for the first time, which would be counted. A compiler that does not know the attribute
 * wants -Wl,-z,now (softpmu.pc has it). */
#ifdef __has_attribute
#if __has_attribute(noplt)
#define SPMU_MEASURES SPMU_API __attribute__((noplt))
#endif
#endif
#ifndef SPMU_MEASURES
#define SPMU_MEASURES SPMU_API
#endif

#define SPMU_MOST_EVENTS 32u

struct spmu;	    /* a session */
struct spmu_thread; /* the counters of one thread */

enum spmu_format { SPMU_TEXT, SPMU_JSON };

/* How a session is set up. Start with SPMU_SETTINGS or all zero. Texts are borrowed until
 * spmu_open() returns. */
struct spmu_settings {
	const char *events; /* comma list, as for softpmu stat -e; NULL: "instructions" */
	const char *output; /* for spmu_finish: a file, %p in it is the process id; "-" standard
			     * output; NULL standard error */
	enum spmu_format format; /* for spmu_finish */
	bool is_serial;		 /* CPUID before and behind each reading: exact borders */
	bool has_no_inline;	 /* read(2) only */
};
#define SPMU_SETTINGS                                                                              \
	{                                                                                          \
		NULL, NULL, SPMU_TEXT, false, false                                                \
	}

/**
 * Read settings from the environment: SOFTPMU_EVENTS, SOFTPMU_OUTPUT, SOFTPMU_FORMAT (text, json),
 * SOFTPMU_SERIAL (0, 1), SOFTPMU_INLINE (0, 1).
 *
 * settings  what is set there replaces what is here; the texts are the environment's.
 * Returns   0; -SPMU_EINVAL for a value that the variable does not take.
 */
SPMU_API int spmu_settings_environment(struct spmu_settings *settings, struct spmu_error *err);

/**
 * Take settings from the command line, and take them out of it: --pmu-events LIST, --pmu-output
 * FILE,
 * --pmu-format text|json, --pmu-serial, --pmu-no-inline; also --pmu-events=LIST. After "--" nothing
 * is looked at.
 *
 * argc, argv  of main; what was taken is removed, argv[*argc] is NULL again.
 * Returns     0; -SPMU_EINVAL for a missing value or a value that the option does not take.
 */
SPMU_API int spmu_settings_arguments(struct spmu_settings *settings, int *argc, char **argv,
				     struct spmu_error *err);

/**
 * Open a session: find out which processor this is and what the events are on it.
 *
 * out       receives the session, for spmu_close(); NULL after an error.
 * settings  NULL: those of the environment.
 * err       may be NULL.
 * Returns   0; -SPMU_EINVAL for an event that this processor does not have (the sentence names
 * those nearest to it); -SPMU_ENOMEM. Counters are not asked for yet: spmu_thread_open() does.
 */
SPMU_API int spmu_open(struct spmu **out, const struct spmu_settings *settings,
		       struct spmu_error *err);

/* Give everything back; no thread may still use it. NULL is allowed. Prints nothing. */
SPMU_API void spmu_close(struct spmu *s);

/* Number of events, 1 to SPMU_MOST_EVENTS, and the name of one as it was asked for (owned by the
 * session). */
SPMU_API size_t spmu_event_count(const struct spmu *s);
SPMU_API const char *spmu_event_name(const struct spmu *s, size_t i);

/* The processor that counts, as "pentium3" when the catalog has it, else as "AuthenticAMD-25-1-1".
 */
SPMU_API const char *spmu_machine_name(const struct spmu *s);

/**
 * Open the counters of the calling thread, start them, and measure what a measurement costs.
 *
 * out      receives the thread's counters, for spmu_thread_close() or spmu_close().
 * Returns  0; -SPMU_ENOTSUP if this machine does not have these counters, or not enough of them,
 *          with a sentence that names `softpmu run`; -SPMU_ESYS when they may not be used;
 *          -SPMU_ENOMEM.
 * Cost     some system calls per event, and some hundred measurements of nothing.
 */
SPMU_API int spmu_thread_open(struct spmu *s, struct spmu_thread **out, struct spmu_error *err);

/* Close the calling thread's counters. What its regions counted stays with the session. NULL is
 * allowed. */
SPMU_API void spmu_thread_close(struct spmu_thread *t);

/* Returns true if the counters of t are read with RDPMC, false if with read(2). */
SPMU_API bool spmu_is_inline(const struct spmu_thread *t);

/* Least cost of a measurement from spmu_start to spmu_read that is taken off each result: one
 * number per event, owned by t. That of a region, from spmu_begin to spmu_end, is found in the same
 * way. */
SPMU_API const uint64_t *spmu_least_cost(const struct spmu_thread *t);

/* Pages of the events of t, in their order, for spmu_page_read() of <softpmu/page.h>; an entry is
 * NULL where the event has none. Owned by t. */
struct perf_event_mmap_page;
SPMU_API const volatile struct perf_event_mmap_page *const *spmu_pages(const struct spmu_thread *t);

/**
 * Start a measurement; read it while it goes on; end it.
 *
 * value    receives one count per event since spmu_start, the least cost taken off. May be NULL for
 * spmu_stop. Returns  0; -SPMU_ESYS when the counters could not be read (another program has taken
 * them). Cost     without a system call about 20 instructions per event.
 */
SPMU_MEASURES int spmu_start(struct spmu_thread *t);
SPMU_MEASURES int spmu_read(struct spmu_thread *t, uint64_t *value);
SPMU_MEASURES int spmu_stop(struct spmu_thread *t, uint64_t *value);

/**
 * Number of the region of this name; it is made when it does not exist.
 *
 * Returns  1 or more; -SPMU_ENOMEM; -SPMU_EINVAL for NULL or "".
 * Cost     a lock and a search by name: keep the number where regions are short.
 */
SPMU_MEASURES int spmu_region(struct spmu *s, const char *name);

/**
 * Measure a region: each spmu_end adds what was counted since its spmu_begin to the region.
 *
 * region   of spmu_region(). Regions may lie in each other; of one that is begun again in itself,
 * the outermost counts. Returns  0; -SPMU_EINVAL for a number that no region has, or an end without
 * beginning; -SPMU_ENOMEM; -SPMU_ESYS.
 */
SPMU_MEASURES int spmu_begin(struct spmu_thread *t, int region);
SPMU_MEASURES int spmu_end(struct spmu_thread *t, int region);

/* What a region counted in all threads. */
struct spmu_total {
	uint64_t entries;
	/* of all, per entry */
	uint64_t sum[SPMU_MOST_EVENTS], least[SPMU_MOST_EVENTS], most[SPMU_MOST_EVENTS];
};

/* Totals of a region so far. Returns 0; -SPMU_EINVAL for a number that no region has. */
SPMU_API int spmu_region_total(struct spmu *s, int region, struct spmu_total *out);

/**
 * Print the regions, of all threads together and, where several counted, of each.
 *
 * Returns  0; -SPMU_ESYS when not everything could be written.
 */
SPMU_API int spmu_print(struct spmu *s, enum spmu_format format, FILE *out);

/* Print as the settings say (output, format), and close the session. Returns as spmu_print(). */
SPMU_API int spmu_finish(struct spmu *s);

/* Have spmu_finish(s) called when the program ends by exit() or return from main; if it cannot
 * write everything it says so on standard error. Returns 0; -SPMU_ENOTSUP where the C library has
 * no on_exit(); -SPMU_ENOMEM. */
SPMU_API int spmu_finish_at_exit(struct spmu *s);

#ifdef __cplusplus
}
#endif

#endif
