/* select.h -- what one counter is set to count, in the terms of its register.
 *
 * Used by the session to turn spellings into register values and back, and by count.h.
 */
#ifndef SOFTPMU_PMU_SELECT_H
#define SOFTPMU_PMU_SELECT_H

#include <stdbool.h>
#include <stdint.h>

struct cat_event;

struct pmu_select {
	const struct cat_event *event; /* NULL: a code outside the tables */
	uint16_t code;
	uint8_t umask, cmask;
	bool inv, edge;
	bool user, kernel;
	uint16_t watch; /* with cmask or edge: the wire that counts the comparison, + 1; else 0 */
	uint8_t clock_reading; /* P5: 0 as the catalog says, 1 occurrences, 2 clocks */
};

/* PerfEvtSel value of s, EN and INT clear. */
uint32_t pmu_p6_encode(const struct pmu_select *s);

/* Fill s (event apart) from a PerfEvtSel value; EN, INT, PC, USR and OS are ignored, as the Linux
 * kernel ignores them in a raw event; user and kernel stay as they are. */
void pmu_p6_decode(uint32_t value, struct pmu_select *s);

/* CESR bits of s on counter 0 or 1. is_duration: what the catalog says of the event. */
uint32_t pmu_p5_encode(const struct pmu_select *s, unsigned counter, bool is_duration);

#endif
