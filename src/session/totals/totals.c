/* totals.c -- addition and subtraction of totals as arrays of 64-bit numbers. So every member
 * must be a uint64_t, or an array or structure of them. */
#include "session/totals/totals.h"

#include <stddef.h>

#define N_OF(type) (sizeof(type) / sizeof(uint64_t))

void ses_totals_add(struct ses_totals *sum, const struct ses_totals *t)
{
	uint64_t *to = (uint64_t *)(void *)sum;
	const uint64_t *from = (const uint64_t *)(const void *)t;

	for (size_t i = 0; i < N_OF(*sum); i++)
		to[i] += from[i];
}

static void subtract(void *sum, const void *t, size_t n)
{
	uint64_t *to = sum;
	const uint64_t *from = t;

	for (size_t i = 0; i < n; i++)
		to[i] -= from[i];
}

void ses_totals_subtract(struct ses_totals *sum, const struct ses_totals *t)
{
	subtract(sum, t, N_OF(*sum));
}

void ses_guest_totals_subtract(struct ses_guest_totals *sum, const struct ses_guest_totals *t)
{
	subtract(sum, t, N_OF(*sum));
}
