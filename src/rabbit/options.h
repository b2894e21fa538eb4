/* options.h -- the command line of softpmu rabbit: options.def, and switches that belong to a
 * pair of events.
 *
 * An option has one dash, a switch of a pair two and a value for each counter: --os 0,1. Longer
 * names are taken with one dash more or less, too, and a value may follow "=".
 */
#ifndef SOFTPMU_RABBIT_OPTIONS_H
#define SOFTPMU_RABBIT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

enum rbt_option {
	RBT_NONE,
#define RABBIT_HEADING(text)
#define RABBIT_OPTION(id, kind, name, other, argument, text) RBT_##id,
#include "rabbit/options.def"
#undef RABBIT_HEADING
#undef RABBIT_OPTION
};

/* A value for each counter. */
struct rbt_two {
	bool is_given;
	uint8_t value[2];
};

/* Switches of a pair. Start with all zero: every default. */
struct rbt_switches {
	struct rbt_two os, usr, mesi, bus_agent, mmx, duration;
	struct {
		bool is_given;
		uint8_t least[2]; /* counter mask */
		bool is_below[2]; /* inverted */
	} compare;
};

#define RBT_MOST_PAIRS_TYPED 64u
#define RBT_MOST_HOST	     8u
#define RBT_MOST_NAMED	     64u

/* What the command line said. Texts are argv's. */
struct rbt_options {
	const char *pair[RBT_MOST_PAIRS_TYPED]; /* --e, in order */
	unsigned n_pair;
	const char *group, *input, *output;
	struct rbt_switches switches;
	double rate;	 /* samples per second; 0: one for the run */
	uint64_t rotate; /* samples, at least 1 */
	uint64_t flush;	 /* rounds; 0: never */
	uint32_t trim;	 /* samples */
	int level;
	uint32_t mhz; /* of seconds; 0: the processor's own */
	bool wants_names, wants_descriptions, wants_registers, wants_processor, wants_mhz,
	    wants_help;
	const char *named[RBT_MOST_NAMED]; /* -d EVENT ... */
	unsigned n_named;
	struct {
		enum rbt_option option;
		const char *value;
	} host[RBT_MOST_HOST]; /* options of softpmu stat, in order */
	unsigned n_host;
	int first; /* index of the program in argv; argc: there is none */
};

/* Read the command line. Returns 0, or -SPMU_EINVAL with a sentence. */
int rbt_options_read(int argc, char **argv, struct rbt_options *out, struct spmu_error *err);

/* As rbt_options_read(), for a program that counts itself (pmc_lib.h): reading ends at the first
 * word that is no option of rabbit's, and options of the run are refused. */
int rbt_options_of_program(int argc, char **argv, struct rbt_options *out, struct spmu_error *err);

/* Is `word` a switch of a pair, alone or with "=VALUE"? *value: behind "=", or NULL. Returns the
 * option, or RBT_NONE. For input files. */
enum rbt_option rbt_switch_of(const char *word, const char **value);

/* Set one switch. Returns 0, or -SPMU_EINVAL with a sentence. */
int rbt_switch_set(struct rbt_switches *s, enum rbt_option option, const char *value,
		   struct spmu_error *err);

/* The switches of a pair of an input file: its own before those of the command line; masks are what
 * both have. */
struct rbt_switches rbt_switches_merge(const struct rbt_switches *own,
				       const struct rbt_switches *all);

/* Print the options, at most 80 columns wide. */
void rbt_options_help(FILE *out);

/* Option number i, 0.., as typed, its argument (NULL: none) and its line; false behind the last. */
bool rbt_option_at(size_t i, const char **name, const char **argument, const char **text);

#endif
