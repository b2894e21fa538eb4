/* object.c -- ELF sections of both widths; headers are widened when they are read. */
#include "asm/object.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header {
	uint32_t name, type, link;
	uint64_t address, offset, size;
};

static bool is_64(const struct asm_object *o)
{
	return o->bytes[EI_CLASS] == ELFCLASS64;
}

static size_t n_headers(const struct asm_object *o)
{
	Elf64_Ehdr h64;
	Elf32_Ehdr h32;

	memcpy(&h64, o->bytes, sizeof(h64));
	memcpy(&h32, o->bytes, sizeof(h32));
	return is_64(o) ? h64.e_shnum : h32.e_shnum;
}

/* Section header i; false when it does not lie in the file. */
static bool header(const struct asm_object *o, size_t i, struct header *out)
{
	Elf64_Ehdr h64;
	Elf32_Ehdr h32;
	Elf64_Shdr s64;
	Elf32_Shdr s32;
	uint64_t at;

	memcpy(&h64, o->bytes, sizeof(h64));
	memcpy(&h32, o->bytes, sizeof(h32));
	at = is_64(o) ? h64.e_shoff + i * sizeof(s64) : h32.e_shoff + i * sizeof(s32);
	if (at > o->n || o->n - at < sizeof(s64))
		return false;
	memcpy(&s64, o->bytes + at, sizeof(s64));
	memcpy(&s32, o->bytes + at, sizeof(s32));
	if (is_64(o))
		*out = (struct header){s64.sh_name, s64.sh_type,   s64.sh_link,
				       s64.sh_addr, s64.sh_offset, s64.sh_size};
	else
		*out = (struct header){s32.sh_name, s32.sh_type,   s32.sh_link,
				       s32.sh_addr, s32.sh_offset, s32.sh_size};
	return out->type == SHT_NOBITS || (out->offset <= o->n && out->size <= o->n - out->offset);
}

/* Text at `at` of string section `link`, or "". */
static const char *string(const struct asm_object *o, uint32_t link, uint32_t at)
{
	struct header h;

	if (!header(o, link, &h) || h.type != SHT_STRTAB || at >= h.size ||
	    !memchr(o->bytes + h.offset + at, 0, h.size - at))
		return "";
	return (const char *)o->bytes + h.offset + at;
}

int asm_object_read(const char *path, struct asm_object *out, struct spmu_error *err)
{
	FILE *f = fopen(path, "rbe");
	long n;

	memset(out, 0, sizeof(*out));
	if (!f)
		return spmu_fail(err, SPMU_ESYS, "%s: %s", path, strerror(errno));
	if (!fseek(f, 0, SEEK_END) && (n = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET)) {
		/* room behind the end: a header of either width is read whole */
		out->bytes = calloc(1, (size_t)n + sizeof(Elf64_Shdr));
		if (out->bytes && fread(out->bytes, 1, (size_t)n, f) == (size_t)n)
			out->n = (size_t)n + sizeof(Elf64_Shdr);
	}
	fclose(f);
	if (out->n < sizeof(Elf64_Ehdr) || memcmp(out->bytes, ELFMAG, SELFMAG))
		return spmu_fail(err, SPMU_EPROTO,
				 "%s: not the ELF file that the assembler should have written",
				 path);
	return 0;
}

void asm_object_free(struct asm_object *o)
{
	free(o->bytes);
	memset(o, 0, sizeof(*o));
}

int asm_object_section(const struct asm_object *o, const char *name, struct asm_section *out)
{
	Elf64_Ehdr h64;
	Elf32_Ehdr h32;
	struct header h;

	memcpy(&h64, o->bytes, sizeof(h64));
	memcpy(&h32, o->bytes, sizeof(h32));
	for (size_t i = 0; i < n_headers(o) && header(o, i, &h); i++) {
		if (strcmp(string(o, is_64(o) ? h64.e_shstrndx : h32.e_shstrndx, h.name), name))
			continue;
		*out = (struct asm_section){h.type == SHT_NOBITS ? NULL : o->bytes + h.offset,
					    h.address, h.size};
		return 0;
	}
	return -SPMU_ENOENT;
}

const char *asm_object_undefined(const struct asm_object *o, size_t i)
{
	const size_t entry = is_64(o) ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct header h;

	for (size_t k = 0; k < n_headers(o) && header(o, k, &h); k++) {
		if (h.type != SHT_SYMTAB)
			continue;
		for (uint64_t at = entry; at + entry <= h.size;
		     at += entry) { /* the first is none */
			Elf64_Sym s64 = {0};
			Elf32_Sym s32;

			memcpy(&s64, o->bytes + h.offset + at, entry);
			memcpy(&s32, o->bytes + h.offset + at, sizeof(s32));
			if ((is_64(o) ? s64.st_shndx : s32.st_shndx) == SHN_UNDEF && !i--)
				return string(o, h.link, is_64(o) ? s64.st_name : s32.st_name);
		}
	}
	return NULL;
}
