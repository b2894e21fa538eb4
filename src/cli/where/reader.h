/* reader.h -- what the commands that read a record have in common. */
#ifndef SOFTPMU_CLI_READER_H
#define SOFTPMU_CLI_READER_H

#include <stdio.h>

#include "catalog/catalog.h"
#include "record/file.h"
#include "where/where.h"

#define CLI_TOP_DEFAULT 3u /* events side by side when nobody names them */

/* Number of an event that the record has, with a number, by its name there or else in any other
 * spelling: "instructions" of INST_RETIRED. Returns 0, or CLI_FAILED
 * after a message that names what was typed. option: for the message. */
int cli_record_event(const struct rec *r, const char *option, const char *name, uint32_t *out);

/* The event of the record that is what perf calls so on cpu, "instructions"; -1: it has none, or
 * without a number. */
int cli_record_generic(const struct rec *r, const struct cat_cpu *cpu, const char *name);

/* The first event that has a number. */
uint32_t cli_record_first(const struct rec *r);

/* The event that readers want first: clocks, where they were counted and would have no column,
 * as with --all; else the first one. */
uint32_t cli_record_chief(const struct rec *r);

/* That event and the first ones that have a number: as many as have columns when nobody names
 * events. Returns how many. */
unsigned cli_record_columns(const struct rec *r, uint32_t first, uint32_t *out);

/* A comma list of them. *n: how many, at most `most`. Returns as above. */
int cli_record_events(const struct rec *r, const char *text, uint32_t *out, unsigned *n,
		      unsigned most);

/* Say on standard error what readers of the numbers should know: a file that has changed since (or
 * NULL), and what names lack. */
void cli_record_notes(const char *changed, const struct nm *names);

/* Write which events are estimates (record --clocks sampled), and how far each may be off as a
 * whole, as a line; nothing where all are exact. */
void cli_record_note_estimates(const struct rec *r, FILE *out);

/* The command that was recorded, as one line. Buffer is the caller's. */
const char *cli_record_command(const struct rec *r, char *out, size_t room);

/* --process BIRTH: keep this process of r alone, or this thread of it. birth NULL: all. Returns 0,
 * or CLI_FAILED after a message. */
int cli_record_select(struct rec *r, const char *birth);

/* --by WORD. Returns 1, or -1 after a message. */
int cli_by_option(const char *value, enum whr_by *out);

#endif
