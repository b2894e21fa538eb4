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
#ifndef SOFTPMU_SESSION_FORMULA_H
#define SOFTPMU_SESSION_FORMULA_H

#include "session/events.h"

#define SES_FORMULA_OPS 64

enum ses_formula_kind { SES_F_NUMBER, SES_F_EVENT, SES_F_ADD, SES_F_SUB, SES_F_MUL, SES_F_DIV };

/* A formula in postfix order. */
struct ses_formula {
	struct ses_formula_op {
		enum ses_formula_kind kind;
		double number;
		const struct cat_event *event;
		uint8_t umask;
	} op[SES_FORMULA_OPS];
	unsigned n;
};

/* Read a formula for cpu. Returns 0; -SPMU_EINVAL with the place of the mistake, or when an event
 * is not one of cpu's. */
int ses_formula_parse(const struct cat_cpu *cpu, const char *text, struct ses_formula *out,
                      struct spmu_error *err);

/* Append to `list` the events of f that it does not have yet. */
int ses_formula_events(const struct ses_formula *f, struct ses_events *list,
                       struct spmu_error *err);

/* Result of one evaluation. */
struct ses_value {
	long double value;         /* valid when status == SES_COUNTED */
	enum ses_status status;    /* of the first event without a number; UNDEFINED: division by 0 */
	const char *why;           /* static */
	const struct cat_event *missing; /* the event without a number, or NULL */
};

/* Value of f when event list->event[i] counted count[i]. An event that is not in the list is
 * SES_NOT_MODELLED with why "not counted in this run". */
struct ses_value ses_formula_value(const struct ses_formula *f, const struct ses_events *list,
                                   const struct ses_count *count);

#endif
