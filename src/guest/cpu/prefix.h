/* prefix.h -- prefixes of an instruction, for the few that the runtime executes itself. No libc. */
#ifndef SOFTPMU_GUEST_PREFIX_H
#define SOFTPMU_GUEST_PREFIX_H

#include <stdint.h>

/* Returns 1 if b is a prefix in any mode: a segment, an operand or address size, LOCK, REP. */
static inline int gst_is_prefix(uint8_t b)
{
	switch (b) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3: return 1;
	default: return 0;
	}
}

/* Returns 1 if b is a REX prefix in 64-bit code. */
static inline int gst_is_rex(uint8_t b)
{
	return (b & 0xf0) == 0x40;
}

#endif
