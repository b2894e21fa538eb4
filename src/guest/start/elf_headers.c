/* elf_headers.c -- reads and checks the headers of an ELF program. Rules: elf_headers.h. */
#include "guest/start/elf_headers.h"

#include "guest/gst.h"

/* All of [off, off + bytes). Returns 0 or -errno; -ENOEXEC when the file is shorter. */
static long read_exact(int fd, void *to, uint64_t bytes, uint64_t off)
{
	uint64_t got = 0;

	while (got < bytes) {
		long n = SYS4(pread64, fd, (char *)to + got, bytes - got, off + got);

		if (n == -EINTR)
			continue;
		if (n < 0)
			return n;
		if (n == 0)
			return -ENOEXEC;
		got += (uint64_t)n;
	}
	return 0;
}

static long read_head(int fd, struct elf64_hdr *h)
{
	struct elf32_hdr n;
	long ret;

	if (h->e_ident[EI_CLASS] != ELFCLASS32)
		return read_exact(fd, h, sizeof(*h), 0);
	ret = read_exact(fd, &n, sizeof(n), 0);
	if (ret)
		return ret;
	*h = (struct elf64_hdr){.e_type = n.e_type,
				.e_machine = n.e_machine,
				.e_entry = n.e_entry,
				.e_phoff = n.e_phoff,
				.e_phnum = n.e_phnum};
	memcpy(h->e_ident, n.e_ident, EI_NIDENT);
	if (n.e_phentsize == sizeof(struct elf32_phdr))
		h->e_phentsize = sizeof(struct elf64_phdr);
	return 0;
}

static long read_segments(int fd, struct gst_elf_headers *h)
{
	struct elf32_phdr n[GST_ELF_SEGMENTS];
	long ret;

	if (!gst_elf_is_32(h))
		return read_exact(fd, h->phdr, h->head.e_phnum * sizeof(h->phdr[0]),
				  h->head.e_phoff);
	ret = read_exact(fd, n, h->head.e_phnum * sizeof(n[0]), h->head.e_phoff);
	for (unsigned i = 0; i < h->head.e_phnum && !ret; i++)
		h->phdr[i] = (struct elf64_phdr){.p_type = n[i].p_type,
						 .p_flags = n[i].p_flags,
						 .p_offset = n[i].p_offset,
						 .p_vaddr = n[i].p_vaddr,
						 .p_filesz = n[i].p_filesz,
						 .p_memsz = n[i].p_memsz};
	return ret;
}

/* Returns what is wrong with the head, as the end of a sentence; NULL if nothing is. */
static const char *judge(const struct elf64_hdr *h)
{
	const int is_32 = h->e_ident[EI_CLASS] == ELFCLASS32;

	if ((!is_32 && h->e_ident[EI_CLASS] != ELFCLASS64) || h->e_ident[EI_DATA] != ELFDATA2LSB ||
	    h->e_machine != (is_32 ? EM_386 : EM_X86_64))
		return ": not a program for x86-64 or i386";
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
		return ": an ELF file, but not a program";
	if (h->e_phentsize != sizeof(struct elf64_phdr) || !h->e_phnum)
		return ": its program headers are damaged";
	return NULL;
}

long gst_elf_read_headers(int fd, struct gst_elf_headers *h, const char **why)
{
	long ret = read_exact(fd, &h->head, EI_NIDENT, 0);

	*why = ": not an ELF program";
	if (ret || memcmp(h->head.e_ident, ELFMAG, SELFMAG) != 0)
		return ret ? ret : -ENOEXEC;
	*why = ": the file is truncated or not an ELF program";
	ret = read_head(fd, &h->head);
	if (ret)
		return ret;
	*why = judge(&h->head);
	if (*why)
		return -ENOEXEC;
	*why = ": it has too many segments";
	if (h->head.e_phnum > GST_ELF_SEGMENTS)
		return -E2BIG;
	*why = ": the file is truncated or not an ELF program";
	return read_segments(fd, h);
}

void gst_elf_range(const struct gst_elf_headers *h, uint64_t *low, uint64_t *high)
{
	*low = *high = 0;
	for (unsigned i = 0; i < h->head.e_phnum; i++) {
		const struct elf64_phdr *p = &h->phdr[i];

		if (p->p_type != PT_LOAD || p->p_memsz > ~0ull - p->p_vaddr)
			continue;
		if (!*high || p->p_vaddr < *low)
			*low = p->p_vaddr;
		if (p->p_vaddr + p->p_memsz > *high)
			*high = p->p_vaddr + p->p_memsz;
	}
}
