/* recordable.h -- which events can be counted at each instruction, and which of them a table is
 * sorted by. */
#ifndef SOFTPMU_CLI_RECORDABLE_H
#define SOFTPMU_CLI_RECORDABLE_H

#include "event/events.h"

/* Refuse events that no instruction can be named for. command: for the message. Returns 0 or an
 * exit code after it. */
int cli_recordable(const char *command, const struct cat_cpu *cpu, const struct evt_events *events);

/* The event that --sort names, NULL: the first. Returns 0 or an exit code after a message. */
int cli_recordable_sort(const char *name, const struct evt_events *events, uint32_t *out);

#endif
