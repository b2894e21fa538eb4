/* draw.h -- numbers that look random and are the same for the same seed, for programs that try what
 * nobody thought of. */
#ifndef DRAW_H
#define DRAW_H

#include <stdint.h>

static uint64_t draw_state;

/* Begin the sequence of this seed. */
static void draw_from(uint64_t seed)
{
	draw_state = (seed + 1) * 0x9e3779b97f4a7c15ull;
}

static uint64_t draw(void)
{
	draw_state ^= draw_state << 13;
	draw_state ^= draw_state >> 7;
	draw_state ^= draw_state << 17;
	return draw_state;
}

#endif
