/* softpmu.h -- let a program count its own processor events: libsoftpmu.
 *
 * A session says what is counted. A thread of the program opens its counters in it, and marks what
 * it measures: from start to stop, or named regions. Names of events are chosen at run time, by the
 * program, the environment or the command line. Results are printed as text or JSON.
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
 * allows it, with read(2) where not. So one and the same program counts on a machine that has
 * counters, and anywhere else inside `softpmu run -- PROGRAM`.
 *
 * MODELLED       user mode; event:k and event:uk as far as the system allows it.
 *                One group of events that count together.
 *                Calibration: when a thread opens its counters, the least possible cost of a
 *                measurement is measured. It is taken off each result; no result is less than 0.
 * NOT MODELLED   events that take turns on too few counters: what does not count at once is
 *                refused.
 * THREADS        a session may be used by all threads at the same time.
 *                A spmu_thread may be used by the thread that opened it, and by no other.
 *                Sessions are opened by one thread at a time.
 *                A child of fork opens a session of its own.
 * ERRORS         functions return 0 or what they promise, else -SPMU_E... of error.h. `err`
 *                receives the sentence that says why; it is the caller's and may be NULL.
 * OWNERSHIP      pointers that a function returns belong to the session or thread that it was
 *                asked of, and are valid until that is closed. The caller frees none of them.
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

/* Marks functions that are called inside a measurement. The dynamic loader finds them when the
 * program starts. Without this it would find them at their first call, and that work would be
 * counted. With a compiler that does not know the attribute, link with -Wl,-z,now (softpmu.pc
 * has it). */
#ifdef __has_attribute
#if __has_attribute(noplt)
#define SPMU_MEASURES SPMU_API __attribute__((noplt))
#endif
#endif
#ifndef SPMU_MEASURES
#define SPMU_MEASURES SPMU_API
#endif

#define SPMU_MOST_EVENTS 32u /* events of a session */

struct spmu;	    /* a session; from spmu_open() to spmu_close() or spmu_finish() */
struct spmu_thread; /* the counters of one thread; memory of the session */

enum spmu_format { SPMU_TEXT, SPMU_JSON };

/* How a session is set up. Start with SPMU_SETTINGS or all zero. The caller keeps the texts until
 * spmu_open() returns; the session has copies. */
struct spmu_settings {
	/* Events with commas between, as for softpmu stat -e, at most SPMU_MOST_EVENTS; NULL:
	 * "instructions". */
	const char *events;
	/* Where spmu_finish() writes: the name of a file, in which %p stands for the process id;
	 * "-": standard output; NULL: standard error. */
	const char *output;
	enum spmu_format format; /* in which spmu_finish() writes */
	/* CPUID before and behind each reading: no instruction next to a border is counted on the
	 * wrong side. Costs 100 clocks and more each, in a virtual machine a microsecond. */
	bool is_serial;
	bool has_no_inline; /* read with read(2) only, never with RDPMC */
};
#define SPMU_SETTINGS                                                                              \
	{                                                                                          \
		NULL, NULL, SPMU_TEXT, false, false                                                \
	}

/**
 * Read settings from the environment: SOFTPMU_EVENTS, SOFTPMU_OUTPUT, SOFTPMU_FORMAT (text, json),
 * SOFTPMU_SERIAL (0, 1), SOFTPMU_INLINE (0, 1).
 *
 * settings  a variable that is set replaces its member, others stay; an empty SOFTPMU_EVENTS or
 *           SOFTPMU_OUTPUT counts as not set. The texts are the environment's: call no setenv()
 *           of these names before spmu_open() has returned.
 * err       receives the sentence of a failure; may be NULL.
 * Returns   0; -SPMU_EINVAL for a value that the variable does not take. Then *settings is
 *           unchanged.
 */
SPMU_API int spmu_settings_environment(struct spmu_settings *settings, struct spmu_error *err);

/**
 * Take settings from the command line, and take them out of it. After "--" nothing is looked at.
 *
 *	--pmu-events LIST           also --pmu-events=LIST; so with the next two
 *	--pmu-output FILE
 *	--pmu-format text|json
 *	--pmu-serial
 *	--pmu-no-inline
 *
 * settings    an option replaces its member, others stay; the texts are those of argv.
 * argc, argv  of main; what was taken is removed, argv[*argc] is NULL again. argv[0] stays.
 * err         receives the sentence of a failure; may be NULL.
 * Returns     0; -SPMU_EINVAL for a missing or empty value, or a value that the option does not
 *             take. Then *settings, *argc and argv are unchanged.
 */
SPMU_API int spmu_settings_arguments(struct spmu_settings *settings, int *argc, char **argv,
				     struct spmu_error *err);

/**
 * Open a session: find out which processor this is and what the events are on it.
 *
 * out       receives the session, which the caller gives to spmu_close() or spmu_finish(); NULL
 *           after an error.
 * settings  NULL: SPMU_SETTINGS and what the environment says.
 * err       receives the sentence of a failure; may be NULL. Its code is 0 after success.
 * Returns   0; -SPMU_EINVAL for an event that this processor does not have (the sentence names
 *           those nearest to it), for more than SPMU_MOST_EVENTS, or for a value of the
 *           environment; -SPMU_ENOMEM. Counters are not asked for yet: spmu_thread_open() does.
 */
SPMU_API int spmu_open(struct spmu **out, const struct spmu_settings *settings,
		       struct spmu_error *err);

/**
 * Give everything back: the session, all its threads' counters, all its texts. Prints nothing.
 *
 * s  of spmu_open(); NULL is allowed. No thread may use it any more, nor any spmu_thread of it.
 */
SPMU_API void spmu_close(struct spmu *s);

/* Returns the number of events, 1 to SPMU_MOST_EVENTS. */
SPMU_API size_t spmu_event_count(const struct spmu *s);

/* Returns the name of event i, from 0, as it was asked for; NULL behind the last. The text is the
 * session's. Counts of all functions below are in this order. */
SPMU_API const char *spmu_event_name(const struct spmu *s, size_t i);

/* Returns the name of the processor that counts: "pentium3" when the catalog has it, else as
 * "AuthenticAMD-25-1-1" (vendor, family, model, stepping). The text is the session's. */
SPMU_API const char *spmu_machine_name(const struct spmu *s);

/**
 * Open the counters of the calling thread, start them, and measure what a measurement costs.
 *
 * s        of spmu_open(); several threads may open counters in it, each its own.
 * out      receives the thread's counters, memory of the session; NULL after an error.
 * err      receives the sentence of a failure; may be NULL. Its code is 0 after success.
 * Returns  0; -SPMU_ENOTSUP if this machine has no such counter, or cannot count these events
 *          together; -SPMU_ESYS if the counters may not be used or cannot be read; -SPMU_ENOMEM.
 *          Where no hardware counter can be used at all, the sentence names `softpmu run`.
 * Cost     some system calls per event, and some hundred measurements of nothing.
 */
SPMU_API int spmu_thread_open(struct spmu *s, struct spmu_thread **out, struct spmu_error *err);

/**
 * Close the calling thread's counters. What its regions counted stays with the session.
 *
 * t  of spmu_thread_open(); NULL is allowed. Its memory goes with the session; until then a
 *    measurement by it returns -SPMU_ESYS.
 */
SPMU_API void spmu_thread_close(struct spmu_thread *t);

/* Returns true if the counters of t are usually read with RDPMC, false if with read(2). With RDPMC
 * a single reading falls back to read(2) while an event is on no counter. */
SPMU_API bool spmu_is_inline(const struct spmu_thread *t);

/* Returns the least cost of a measurement from spmu_start() to spmu_read(), which is taken off each
 * result: one count per event, owned by t. A region, from spmu_begin() to spmu_end(), has a cost of
 * its own, found in the same way; no function shows it but the JSON of spmu_print(). */
SPMU_API const uint64_t *spmu_least_cost(const struct spmu_thread *t);

/* Returns the pages of the events of t, one entry per event, for spmu_page_read() of
 * <softpmu/page.h>. An entry is NULL where the event has none. They are owned by t and are gone
 * after spmu_thread_close(). */
struct perf_event_mmap_page;
SPMU_API const volatile struct perf_event_mmap_page *const *spmu_pages(const struct spmu_thread *t);

/**
 * Start a measurement; read it while it goes on; end it. The counters run all the time: starting
 * is a reading, and a result is the difference. After spmu_stop() a further spmu_read() is allowed
 * and counts since the same spmu_start().
 *
 * t        of the calling thread. Regions do not disturb the measurement, nor it them.
 * value    an array of spmu_event_count() numbers of the caller's. It receives one count per event
 *          since spmu_start(), the least cost taken off. May be NULL for spmu_stop() only. Its
 *          content is undefined after an error.
 * Returns  0; -SPMU_ESYS if the counters could not be read (another program has taken them).
 * Cost     with RDPMC about 20 instructions per event; else one system call.
 */
SPMU_MEASURES int spmu_start(struct spmu_thread *t);
SPMU_MEASURES int spmu_read(struct spmu_thread *t, uint64_t *value);
SPMU_MEASURES int spmu_stop(struct spmu_thread *t, uint64_t *value);

/**
 * Find the region of this name; it is made when it does not exist. All threads share names and
 * numbers.
 *
 * name     the session keeps a copy.
 * Returns  the region's number, 1 or more; -SPMU_ENOMEM; -SPMU_EINVAL for NULL or "".
 * Cost     a lock and a search through all names: keep the number where regions are short.
 */
SPMU_MEASURES int spmu_region(struct spmu *s, const char *name);

/**
 * Measure a region: each spmu_end adds what was counted since its spmu_begin to the region.
 *
 * t        of the calling thread. Begin and end are of one thread; another thread's are its own.
 * region   of spmu_region(). Regions may lie in each other, and may overlap. Of one that is begun
 *          again in itself, the outermost begin and end count.
 * Returns  0; -SPMU_EINVAL for a number that no region has, or an end without beginning;
 *          -SPMU_ESYS if the counters could not be read; of spmu_begin() also -SPMU_ENOMEM. An end
 *          that returns -SPMU_ESYS has ended the region and adds nothing.
 * Cost     that of a reading (spmu_read()); an end takes a lock besides. The first begin of a
 *          region in a thread may allocate.
 */
SPMU_MEASURES int spmu_begin(struct spmu_thread *t, int region);
SPMU_MEASURES int spmu_end(struct spmu_thread *t, int region);

/* What a region counted in all threads. Counts are in the order of spmu_event_name(); those behind
 * the last event are 0. */
struct spmu_total {
	uint64_t entries;		  /* times that it was begun and ended */
	uint64_t sum[SPMU_MOST_EVENTS];	  /* of all entries */
	uint64_t least[SPMU_MOST_EVENTS]; /* of one entry; 0 without any */
	uint64_t most[SPMU_MOST_EVENTS];  /* of one entry */
};

/**
 * Tell what a region has counted so far, closed threads included. What is begun and not ended is
 * not in it.
 *
 * region   of spmu_region().
 * out      the caller's; unchanged after an error.
 * Returns  0; -SPMU_EINVAL for a number that no region has.
 */
SPMU_API int spmu_region_total(struct spmu *s, int region, struct spmu_total *out);

/**
 * Print the regions, of all threads together and, where several counted, of each. Other threads may
 * measure meanwhile.
 *
 * out      open for writing; it is flushed and stays open.
 * Returns  0; -SPMU_ESYS if not everything could be written.
 */
SPMU_API int spmu_print(struct spmu *s, enum spmu_format format, FILE *out);

/**
 * Print as the settings say (output, format), and close the session, also after an error.
 *
 * s        as for spmu_close(); NULL is allowed and prints nothing.
 * Returns  0; -SPMU_ESYS if the file could not be made, or not everything could be written.
 */
SPMU_API int spmu_finish(struct spmu *s);

/**
 * Have the session finished when the program ends by exit() or return from main: as by
 * spmu_finish(), but if not everything can be written it says so on standard error. In a child of
 * fork() that ends nothing happens.
 *
 * s        from now on not the caller's to close or finish.
 * Returns  0; -SPMU_ENOTSUP where the C library has no on_exit(); -SPMU_ENOMEM. After an error the
 *          session is still the caller's.
 */
SPMU_API int spmu_finish_at_exit(struct spmu *s);

#ifdef __cplusplus
}
#endif

#endif
