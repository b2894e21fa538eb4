/* function.h -- the bytes of a function of an ELF file, found by its name: of a program, a library
 * or an object file.
 *
 * RULE     a name is a symbol's as the linker has it, or as people write it (C++ demangled), with
 *          or without its parameters. Files come from strangers: no offset is believed.
 * NOT MODELLED  separate debug files: whr_function_find() does not find a function that only these
 *          name.
 */
#ifndef SOFTPMU_WHERE_FUNCTION_H
#define SOFTPMU_WHERE_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "names/names.h"

#define WHR_MOST_FUNCTION 65536u /* bytes of one */

struct whr_function_code {
	uint64_t offset; /* in the file */
	uint8_t *bytes;	 /* n of them; owned */
	uint32_t n;
	bool is_32;
};

/* Find the function of this name. names: what demangles. Returns 0; -SPMU_ENOENT (no function of
 * that name, or the file has no symbols), -SPMU_EINVAL (no ELF file of x86; several functions of
 * that name; a function longer than WHR_MOST_FUNCTION), -SPMU_ESYS, -SPMU_ENOMEM; with a sentence.
 * Call whr_function_free() in every case. */
int whr_function_find(const char *path, const char *name, struct nm *names,
		      struct whr_function_code *out, struct spmu_error *err);

/* Read n bytes at `offset` of the file: of a function whose symbol is in a separate file. Fewer
 * bytes where the file ends. Returns 0; -SPMU_EINVAL (no ELF file of x86; the offset is behind the
 * end of the file), -SPMU_ESYS, -SPMU_ENOMEM; with a sentence. Call whr_function_free() in every
 * case. */
int whr_function_read(const char *path, uint64_t offset, uint32_t n, struct whr_function_code *out,
		      struct spmu_error *err);
void whr_function_free(struct whr_function_code *f);

#endif
