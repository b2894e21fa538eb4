/* formula.h -- arithmetic over event counts, for metrics and relations.
 *
 *   sum     := product { ("+" | "-") product }
 *   product := factor { ("*" | "/") factor }
 *   factor  := number | event | "(" sum ")"
 *   event   := NAME [ ":" MASK [ ":" MASK ]... ]
 *
 * Operators stand between blanks or next to numbers and parentheses: "/", "-" and "&" directly
 * between two letters belong to a name (I/O_READ_OR_WRITE_CYCLE). Values are long double, which
 * holds 64-bit counts exactly, so sums can be compared for equality.
 */
#ifndef SOFTPMU_EVENT_FORMULA_H
#define SOFTPMU_EVENT_FORMULA_H

#include "event/events.h"

#define EVT_FORMULA_OPS 64

enum evt_formula_kind { EVT_F_NUMBER, EVT_F_EVENT, EVT_F_ADD, EVT_F_SUB, EVT_F_MUL, EVT_F_DIV };

/* A formula in postfix order. */
struct evt_formula {
	struct evt_formula_op {
		enum evt_formula_kind kind;
		double number;
		const struct cat_event *event;
		uint8_t umask;
	} op[EVT_FORMULA_OPS];
	unsigned n;
};

/* Read a formula for cpu. Returns 0; -SPMU_EINVAL with the place of the mistake, or when an event
 * is not one of cpu's. */
int evt_formula_parse(const struct cat_cpu *cpu, const char *text, struct evt_formula *out,
		      struct spmu_error *err);

/* Append to `list` the events of f that it does not have yet. */
int evt_formula_events(const struct evt_formula *f, struct evt_events *list,
		       struct spmu_error *err);

/* Result of one evaluation. */
struct evt_value {
	long double value;	/* valid when status == EVT_COUNTED */
	enum evt_status status; /* of the first event without a number; UNDEFINED: division by 0 */
	const char *why;	/* static */
	const struct cat_event *missing; /* the event without a number, or NULL */
	long double half; /* estimates are in it: half of its interval; 0: it is exact */
};

/* Value of f when event list->event[i] counted count[i]. An event that is not in the list is
 * EVT_NOT_MODELLED with why "not counted in this run". */
struct evt_value evt_formula_value(const struct evt_formula *f, const struct evt_events *list,
				   const struct evt_count *count);

#endif
