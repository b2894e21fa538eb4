/* records.c -- records at the end of bare_convert.out. Rules: records.h. */
#include "bare/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/record.h"

uint8_t *bare_put_room(struct bare_convert *c, size_t n)
{
	if (c->room_out - c->n_out < n) {
		const size_t bytes = 2 * c->room_out + n;
		uint8_t *more = realloc(c->out, bytes);

		if (!more)
			return NULL;
		c->out = more;
		c->room_out = bytes;
	}
	return c->out + c->n_out;
}

int bare_put_event(struct bare_convert *c, uint32_t kind, const void *payload, uint32_t bytes)
{
	uint8_t *to = bare_put_room(c, 8 + (size_t)bytes);
	const uint32_t head = TRC_SPECIAL + kind;

	if (!to)
		return -SPMU_ENOMEM;
	memcpy(to, &head, 4);
	memcpy(to + 4, &bytes, 4);
	memcpy(to + 8, payload, bytes);
	c->n_out += 8 + (size_t)bytes;
	return 0;
}

int bare_put_go(struct bare_convert *c, uint64_t pc)
{
	return bare_put_event(c, TRC_GO, &pc, sizeof(pc));
}

int bare_put_bytes(struct bare_convert *c, const void *bytes, size_t n)
{
	uint8_t *to = bare_put_room(c, n);

	if (!to)
		return -SPMU_ENOMEM;
	memcpy(to, bytes, n);
	c->n_out += n;
	return 0;
}

int bare_put_delivery(struct bare_convert *c, uint64_t next)
{
	const struct {
		uint64_t pc;
		uint32_t kind, zero;
	} exception = {next, TRC_DELIVERY_EXCEPTION, 0};
	const int rc = bare_put_go(c, next);

	if (rc || !c->has_deliveries || c->is_interrupted)
		return rc;
	return bare_put_event(c, TRC_INTERRUPT, &exception, sizeof(exception));
}

int bare_put_if_ring(struct bare_convert *c, uint8_t ring, uint64_t next)
{
	return ring == c->next_ring || c->is_interrupted ? 0 : bare_put_delivery(c, next);
}

/* The run that begins at pc begins behind an interrupt. */
static int put_interrupt(struct bare_convert *c, uint64_t pc)
{
	const struct {
		uint64_t pc;
		uint32_t kind, zero;
	} interrupt = {pc, TRC_DELIVERY_INTERRUPT, 0};

	if (!c->is_interrupted)
		return 0;
	c->is_interrupted = false;
	return bare_put_event(c, TRC_INTERRUPT, &interrupt, sizeof(interrupt));
}

/* It runs at this privilege level. */
static int put_ring(struct bare_convert *c, uint64_t pc, uint8_t ring)
{
	const bool changes = ring != c->ring && c->ring != BARE_NO_RING && ring != BARE_NO_RING;

	c->ring = ring;
	return changes ? bare_put_event(c, TRC_RING, &pc, sizeof(pc)) : 0;
}

/* IF has changed, or an interrupt waits. */
static int put_mask(struct bare_convert *c, uint64_t pc)
{
	const struct {
		uint64_t pc;
		uint32_t mask, zero;
	} now = {pc, c->mask, 0};

	if (c->mask == c->mask_put)
		return 0;
	c->mask_put = c->mask;
	return bare_put_event(c, TRC_MASK, &now, sizeof(now));
}

int bare_put_state(struct bare_convert *c, uint64_t pc, uint8_t ring)
{
	int rc;

	if (c->rep.block != BARE_NO_BLOCK)
		return 0;
	rc = put_interrupt(c, pc);
	rc = rc ? rc : put_ring(c, pc, ring);
	return rc ? rc : put_mask(c, pc);
}
