/* elf_headers.h -- the headers of an ELF program, read and checked.
 *
 * Used by exec_file.c, before an exec, and by elf.c, which loads the program.
 *
 * RULE           32-bit headers are widened when they are read, so no other code knows the class.
 */
#ifndef SOFTPMU_GUEST_ELF_HEADERS_H
#define SOFTPMU_GUEST_ELF_HEADERS_H

#include <linux/elf.h>
#include <stdint.h>

#define GST_ELF_SEGMENTS 64u

struct gst_elf_headers {
	struct elf64_hdr head;
	struct elf64_phdr phdr[GST_ELF_SEGMENTS]; /* head.e_phnum */
};

/* Read the headers of the file fd. Returns 0; -ENOEXEC: no program for an x86 processor; -E2BIG: it
 * has more than GST_ELF_SEGMENTS segments; another -errno: it cannot be read. With the first two
 * *why receives the end of a sentence that begins with the file's name. */
long gst_elf_read_headers(int fd, struct gst_elf_headers *h, const char **why);

/* Where its loadable segments lie: [*low, *high); 0 and 0 when it has none. */
void gst_elf_range(const struct gst_elf_headers *h, uint64_t *low, uint64_t *high);

/* Returns 1 for a program of 32-bit mode. */
static inline int gst_elf_is_32(const struct gst_elf_headers *h)
{
	return h->head.e_ident[EI_CLASS] == ELFCLASS32;
}

#endif
