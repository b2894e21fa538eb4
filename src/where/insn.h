/* insn.h -- an instruction of a file as text, by Zydis in Intel's syntax. */
#ifndef SOFTPMU_WHERE_INSN_H
#define SOFTPMU_WHERE_INSN_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

/* The file whose instructions are asked for. All 0: none is open. */
struct whr_code {
	int fd;
	bool is_open, is_32;
};

/* Returns false when the file cannot be read or is no ELF file. */
bool whr_code_open(struct whr_code *c, const char *path);
void whr_code_close(struct whr_code *c);

/* The instruction at this offset, as one at `address`: its branches name their targets by that.
 * "?" where there is none. Buffer is the caller's; returns it. */
const char *whr_code_text(const struct whr_code *c, uint64_t offset, uint64_t address, char *out,
			  size_t room);

#endif
