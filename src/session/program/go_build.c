/* go_build.c -- finds GOAMD64 in the build information of a Go program. Rules: go_build.h. */
#include "session/program/go_build.h"

#include <stdlib.h>
#include <string.h>

#define SECTION_NAME  ".go.buildinfo"
#define MOST_SECTIONS 4096u
#define MOST_NAMES    (1u << 20) /* bytes of section names that are looked at */
#define MOST_BLOB     (1u << 20) /* of build information: some hundred modules take 30 KiB */
#define MOST_SEARCHED 65536u	 /* of a segment, for a file without section headers */
#define BLOB_ALIGN    16u

/* Build information: 0 magic, 14 pointer size, 15 flags, 32 version and settings, each a length
 * (LEB128) and bytes. Before Go 1.18 there were pointers to them. */
#define FLAGS_AT    15
#define FLAG_INLINE 2
#define STRINGS_AT  32

static const char magic[] = "\xff Go buildinf:";
static const char setting[] = "\nbuild\tGOAMD64=v";

/* A length at *at; false when it does not end. */
static bool read_length(const uint8_t *bytes, size_t n, size_t *at, uint64_t *length)
{
	*length = 0;
	for (unsigned shift = 0; shift < 63 && *at < n; shift += 7) {
		const uint8_t byte = bytes[(*at)++];

		*length |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Level in the build information of n bytes, which begins with the magic. A NUL stands behind
 * it. */
static int blob_level(const char *blob, size_t n)
{
	const uint8_t *bytes = (const uint8_t *)blob;
	size_t at = STRINGS_AT;
	uint64_t length;

	if (n < STRINGS_AT || !(bytes[FLAGS_AT] & FLAG_INLINE) ||
	    !read_length(bytes, n, &at, &length) || length > n - at)
		return 1;
	at += length;
	if (!read_length(bytes, n, &at, &length))
		return 1;
	if (length > n - at)
		length = n - at;
	for (const size_t size = sizeof(setting) - 1; length > size; at++, length--) {
		const char digit = blob[at + size];

		if (!memcmp(blob + at, setting, size))
			return digit >= '1' && digit <= '4' ? digit - '0' : 1;
	}
	return 1;
}

/* Level in the file's bytes [at, at + n): the first build information among the first `most` of
 * them. */
static int level_in(const struct elf_source *src, uint64_t at, uint64_t n, size_t most)
{
	char *bytes;
	int level = 1;

	if (at > src->size)
		return 1;
	n = n > src->size - at ? src->size - at : n;
	n = n > MOST_BLOB ? MOST_BLOB : n;
	bytes = elf_source_copy(src, at, n);
	for (size_t i = 0; bytes && i < most && n - i >= STRINGS_AT; i += BLOB_ALIGN)
		if (!memcmp(bytes + i, magic, sizeof(magic) - 1)) {
			level = blob_level(bytes + i, n - i);
			break;
		}
	free(bytes);
	return level;
}

/* The section's level, 1 without it. names: of n_names bytes, a NUL behind them. */
static int sections_level(const struct elf_source *src, const Elf64_Shdr *sh, unsigned n,
			  const char *names, size_t n_names)
{
	for (unsigned i = 0; i < n; i++)
		if (sh[i].sh_type != SHT_NOBITS && sh[i].sh_name < n_names &&
		    !strcmp(names + sh[i].sh_name, SECTION_NAME))
			return level_in(src, sh[i].sh_offset, sh[i].sh_size, 1);
	return 1;
}

static bool has_sections(const Elf64_Ehdr *h)
{
	return h->e_shoff && h->e_shnum && h->e_shnum <= MOST_SECTIONS &&
	       h->e_shstrndx < h->e_shnum && h->e_shentsize == sizeof(Elf64_Shdr);
}

int go_build_level(const struct elf_source *src, const Elf64_Ehdr *h, const Elf64_Phdr *ph)
{
	Elf64_Shdr *sh;
	char *names = NULL;
	size_t n_names = 0;
	int level = 1;

	if (!has_sections(h)) {
		for (unsigned i = 0; i < h->e_phnum; i++)
			if (ph[i].p_type == PT_LOAD && (ph[i].p_flags & (PF_W | PF_X)) == PF_W)
				return level_in(src, ph[i].p_offset, ph[i].p_filesz, MOST_SEARCHED);
		return 1;
	}
	sh = (Elf64_Shdr *)elf_source_copy(src, h->e_shoff, h->e_shnum * sizeof(*sh));
	if (sh) {
		n_names =
		    sh[h->e_shstrndx].sh_size < MOST_NAMES ? sh[h->e_shstrndx].sh_size : MOST_NAMES;
		names = elf_source_copy(src, sh[h->e_shstrndx].sh_offset, n_names);
	}
	if (names)
		level = sections_level(src, sh, h->e_shnum, names, n_names);
	free(names);
	free(sh);
	return level;
}
