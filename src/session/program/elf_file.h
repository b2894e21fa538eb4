/* elf_file.h -- the facts of an ELF file that starting a program needs. Reads headers only.
 *
 * TRUST   every byte is hostile: offsets, sizes and counts are checked before use, nothing is
 *         read outside the file, work is bounded (4096 program headers, 65536 dynamic entries).
 * RULE    32-bit headers are widened when they are read; no later code knows the class.
 * SOURCES System V gABI "Object Files"; x86-64 psABI "Program Property" (ISA level notes);
 *         go_build.h.
 */
#ifndef SOFTPMU_SESSION_ELF_FILE_H
#define SOFTPMU_SESSION_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Where the bytes come from: a descriptor, or memory if fd is -1. */
struct elf_source {
	int fd;
	const uint8_t *bytes;
	uint64_t size; /* of the file */
};

#define ELF_PATH_BYTES 4096

struct elf_file {
	uint16_t type; /* ET_EXEC or ET_DYN */
	bool is_32;    /* i386: no ISA level is looked for */
	bool has_dynamic;
	/* ET_EXEC: its loadable segments lie in [low, high); 0, 0: none */
	uint64_t low, high;
	char interpreter[ELF_PATH_BYTES]; /* PT_INTERP, "" when none */
	/* 1..4 from the GNU property note or Go's build information, 1 without */
	int isa_level;
	char *needed; /* DT_NEEDED names, each NUL terminated, an empty one at the end; owned */
	char *runpath, *rpath; /* DT_RUNPATH, DT_RPATH; owned, NULL when absent */
};

/* Returns n bytes at offset `at` and a NUL after them, in new memory that the caller frees; NULL if
 * the file does not have them. */
char *elf_source_copy(const struct elf_source *src, uint64_t at, size_t n);

/* Read the facts of an x86-64 or i386 executable or library. `name` is for messages. Returns 0;
 * -SPMU_EEXEC with a sentence when it is no ELF file, is cut off, is for another machine or is
 * neither executable nor library; -SPMU_ENOMEM. The caller calls elf_file_free() in either case. */
int elf_file_read(const struct elf_source *src, const char *name, struct elf_file *out,
		  struct spmu_error *err);
void elf_file_free(struct elf_file *f);

#endif
