/* object.h -- sections and undefined names of an ELF file that the system's assembler or linker
 * wrote. */
#ifndef SOFTPMU_ASM_OBJECT_H
#define SOFTPMU_ASM_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct asm_object {
	uint8_t *bytes; /* the file; owned */
	size_t n;
};

struct asm_section {
	const uint8_t *bytes; /* in the object; NULL when it holds none */
	uint64_t address, size;
};

/* Read the file. Returns 0, -SPMU_ESYS or -SPMU_EPROTO with a sentence. asm_object_free() in every
 * case. */
int asm_object_read(const char *path, struct asm_object *out, struct spmu_error *err);
void asm_object_free(struct asm_object *o);

/* Section by name. Returns 0, or -SPMU_ENOENT. */
int asm_object_section(const struct asm_object *o, const char *name, struct asm_section *out);

/* Name of undefined symbol number `i`, or NULL when i is past the last. In the object. */
const char *asm_object_undefined(const struct asm_object *o, size_t i);

#endif
