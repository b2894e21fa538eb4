/* layout.h -- where a program's memory goes, by the width of its addresses.
 *
 * One struct per guest process, set before anything of the program is mapped (and again when exec
 * changes the width). docs/ARCHITECTURE.md has the same numbers as a table.
 */
#ifndef SOFTPMU_GUEST_LAYOUT_H
#define SOFTPMU_GUEST_LAYOUT_H

#include <stdint.h>

struct gst_layout {
	int is_32;		      /* a 32-bit program */
	unsigned word;		      /* bytes of a pointer: 8 or 4 */
	uint64_t end;		      /* end of what the program may map */
	uint64_t file_low, file_high; /* file mappings and executable memory, upwards */
	uint64_t mmap_low, mmap_high; /* other mappings, downwards */
	uint64_t more_low, more_high; /* where those go when that is full, upwards */
	uint64_t brk_base;	      /* heap of position-independent programs */
	uint64_t stack_high;	      /* end of the stack */
	uint64_t stack_most;	      /* largest stack that is mapped, in bytes */
	uint32_t strided_most;	      /* strings with a place of their own (stack.c) */
};

/* A 32-bit program that was promised addresses below 3 GiB (personality ADDR_LIMIT_3GB). */
void gst_layout_lower(struct gst_layout *l);

/* The layout for 32-bit (is_32 not 0) or 64-bit programs, whose code area is shifted. */
void gst_layout_set(struct gst_layout *l, int is_32, uint64_t shift);

#endif
