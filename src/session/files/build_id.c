/* build_id.c -- finds the note with the build-id in an ELF file's segments. Rules: build_id.h. */
#include "session/files/build_id.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_PHDRS 4096u
#define MOST_NOTE  65536u

struct source {
	int fd;
	uint64_t size;
};

/* Returns n bytes at `at` in new memory; NULL if the file does not have them. */
static char *copy(const struct source *src, uint64_t at, size_t n)
{
	char *p = at <= src->size && n <= src->size - at ? malloc(n + 1) : NULL;
	size_t done = 0;

	while (p && done < n) {
		const ssize_t some = pread(src->fd, p + done, n - done, (off_t)(at + done));

		if (some <= 0) {
			free(p);
			return NULL;
		}
		done += (size_t)some;
	}
	return p;
}

/* The build-id among n bytes of notes. Returns true if it is there. */
static bool take(const char *bytes, size_t n, uint64_t align, char *out, size_t room)
{
	const size_t pad = align == 8 ? 7 : 3;

	for (size_t at = 0; at < n && n - at >= sizeof(Elf64_Nhdr);) {
		Elf64_Nhdr h;
		size_t name = at + sizeof(h), desc;

		memcpy(&h, bytes + at, sizeof(h));
		desc = (name + h.n_namesz + pad) & ~pad;
		if (h.n_namesz > n - name || desc > n || h.n_descsz > n - desc)
			return false;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 &&
		    !memcmp(bytes + name, "GNU", 4)) {
			for (uint32_t i = 0; i < h.n_descsz && 2 * i + 3 < room; i++)
				snprintf(out + 2 * (size_t)i, 3, "%02x",
					 (unsigned)(uint8_t)bytes[desc + i]);
			return true;
		}
		at = (desc + h.n_descsz + pad) & ~pad;
	}
	return false;
}

/* Segment i of the file, if it holds notes: where they lie. */
static bool notes_at(const char *phdrs, unsigned i, bool is_32, Elf64_Phdr *out)
{
	Elf32_Phdr narrow;

	if (!is_32) {
		memcpy(out, phdrs + i * sizeof(*out), sizeof(*out));
	} else {
		memcpy(&narrow, phdrs + i * sizeof(narrow), sizeof(narrow));
		*out = (Elf64_Phdr){.p_type = narrow.p_type,
				    .p_offset = narrow.p_offset,
				    .p_filesz = narrow.p_filesz,
				    .p_align = narrow.p_align};
	}
	return out->p_type == PT_NOTE;
}

void ses_build_id(int fd, uint64_t size, char *out, size_t room)
{
	const struct source src = {fd, size};
	char *head = copy(&src, 0, sizeof(Elf32_Ehdr)), *phdrs = NULL;
	const bool is_32 = head && head[EI_CLASS] == ELFCLASS32;
	uint64_t at = 0;
	unsigned n = 0;
	bool found = false;

	*out = 0;
	if (head && !memcmp(head, ELFMAG, SELFMAG) && is_32) {
		const Elf32_Ehdr *h = (const Elf32_Ehdr *)(const void *)head;

		at = h->e_phoff;
		n = h->e_phentsize == sizeof(Elf32_Phdr) ? h->e_phnum : 0;
	} else if (head && !memcmp(head, ELFMAG, SELFMAG)) {
		char *wide = copy(&src, 0, sizeof(Elf64_Ehdr));
		const Elf64_Ehdr *h = (const Elf64_Ehdr *)(const void *)wide;

		at = wide ? h->e_phoff : 0;
		n = wide && h->e_phentsize == sizeof(Elf64_Phdr) ? h->e_phnum : 0;
		free(wide);
	}
	if (n && n <= MOST_PHDRS)
		phdrs = copy(&src, at, n * (is_32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr)));
	for (unsigned i = 0; phdrs && i < n && !found; i++) {
		Elf64_Phdr p;
		size_t bytes;
		char *notes;

		if (!notes_at(phdrs, i, is_32, &p))
			continue;
		bytes = p.p_filesz < MOST_NOTE ? (size_t)p.p_filesz : MOST_NOTE;
		notes = copy(&src, p.p_offset, bytes);
		found = notes && take(notes, bytes, p.p_align, out, room);
		free(notes);
	}
	free(phdrs);
	free(head);
}
