/* Any bytes are either a program or one sentence, and nothing outside them is read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "session/program/elf_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1); /* exact size: the sanitizer sees the end */
	struct elf_source src = {.fd = -1, .bytes = copy, .size = n};
	struct spmu_error err = {0};
	struct elf_file elf;

	if (!copy)
		return 0;
	memcpy(copy, bytes, n);
	if (elf_file_read(&src, "fuzz", &elf, &err) && !err.text[0])
		abort();
	if (elf.isa_level < 1 || elf.isa_level > 4 ||
	    strlen(elf.interpreter) >= sizeof(elf.interpreter))
		abort();
	for (const char *s = elf.needed; s && *s; s += strlen(s) + 1)
		;
	elf_file_free(&elf);
	free(copy);
	return 0;
}
