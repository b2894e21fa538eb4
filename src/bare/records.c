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

int bare_hold_event(struct bare_convert *c, uint32_t kind, const void *payload, uint32_t bytes)
{
	const uint32_t head[2] = {TRC_SPECIAL + kind, 8 + bytes};
	const size_t n = sizeof(head) + 8 + bytes;

	if (c->room_held - c->n_held < n) {
		uint8_t *more = realloc(c->held, 2 * (c->room_held + n));

		if (!more)
			return -SPMU_ENOMEM;
		c->held = more;
		c->room_held = 2 * (c->room_held + n);
	}
	memcpy(c->held + c->n_held, head, sizeof(head));
	memcpy(c->held + c->n_held + sizeof(head) + 8, payload, bytes);
	c->n_held += n;
	return 0;
}

int bare_put_held(struct bare_convert *c, uint64_t pc)
{
	const uint64_t next = c->rep.block != BARE_NO_BLOCK ? c->rep.pc : pc;
	const size_t n = c->n_held;

	for (size_t at = 0; at < n; at += trc_record_bytes(c->held + at, n - at))
		memcpy(c->held + at + 8, &next, sizeof(next));
	c->n_held = 0;
	c->is_flushed = false;
	return n ? bare_put_bytes(c, c->held, n) : 0;
}

/* Tell the listener that the level becomes `ring`, if that is another one. */
static int announce(struct bare_convert *c, uint8_t ring, bool is_over)
{
	return ring == c->ring || !c->listener.ring
		   ? 0
		   : c->listener.ring(c->listener.ctx, ring, is_over);
}

int bare_put_delivery(struct bare_convert *c, uint64_t next)
{
	const struct {
		uint64_t pc;
		uint32_t kind, zero;
	} exception = {next, TRC_DELIVERY_EXCEPTION, 0};
	int rc = bare_put_go(c, next);

	if (rc || !c->has_deliveries || c->is_interrupted)
		return rc;
	rc = announce(c, c->next_ring, false);
	return rc ? rc : bare_put_event(c, TRC_INTERRUPT, &exception, sizeof(exception));
}

int bare_put_if_ring(struct bare_convert *c, uint8_t ring, uint64_t next)
{
	return ring == c->next_ring || c->is_interrupted ? 0 : bare_put_delivery(c, next);
}

/* The run that begins at pc, at this level, begins behind an interrupt. */
static int put_interrupt(struct bare_convert *c, uint64_t pc, uint8_t ring)
{
	const struct {
		uint64_t pc;
		uint32_t kind, zero;
	} interrupt = {pc, TRC_DELIVERY_INTERRUPT, 0};
	int rc;

	if (!c->is_interrupted)
		return 0;
	c->is_interrupted = false;
	rc = announce(c, ring, false);
	return rc ? rc : bare_put_event(c, TRC_INTERRUPT, &interrupt, sizeof(interrupt));
}

/* It runs at this privilege level. */
static int put_ring(struct bare_convert *c, uint64_t pc, uint8_t ring)
{
	const bool changes = ring != c->ring && c->ring != BARE_NO_RING && ring != BARE_NO_RING;
	int rc = announce(c, ring, false);

	if (!rc && changes)
		rc = bare_put_event(c, TRC_RING, &pc, sizeof(pc));
	rc = rc ? rc : announce(c, ring, true);
	c->ring = ring;
	return rc;
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
	rc = put_interrupt(c, pc, ring);
	rc = rc ? rc : put_ring(c, pc, ring);
	return rc ? rc : put_mask(c, pc);
}
