/* elf.c -- map an ELF file as the kernel's exec does.
 *
 * MODELLED       ET_EXEC, ET_DYN with and without interpreter, bss, PT_GNU_STACK; x86-64, and i386
 *                in a 32-bit guest.
 * NOT MODELLED   other machines and classes (refused), PT_GNU_PROPERTY (no CET), segments with an
 *                alignment above 2 MiB (placed page aligned).
 * RULE           32-bit headers are widened when they are read; nothing behind that knows the class.
 * SOURCES        System V ABI, AMD64 and Intel386 supplements; elf(5).
 */
#include <linux/elf.h>

#include "guest/gst.h"

#define MAX_PHDR 64u
#define O_RDONLY_CLOEXEC 02000000

struct elf_file {
	const char *path;
	int fd;
	uint64_t bytes;
	struct elf64_hdr head;
	struct elf64_phdr phdr[MAX_PHDR];
};

static void read_exact(struct gst *g, struct elf_file *f, void *to, uint64_t bytes, uint64_t off)
{
	uint64_t got = 0;

	while (got < bytes) {
		long n = SYS4(pread64, f->fd, (char *)to + got, bytes - got, off + got);

		if (n == -EINTR)
			continue;
		if (n < 0)
			gst_refuse_error(g, "cannot read ", f->path, n);
		if (n == 0)
			gst_refuse(g, f->path, ": the file is truncated or not an ELF program");
		got += (uint64_t)n;
	}
}

/* The head of a 32-bit file, widened. */
static void read_head32(struct gst *g, struct elf_file *f)
{
	struct elf64_hdr *h = &f->head;
	struct elf32_hdr n;

	read_exact(g, f, &n, sizeof(n), 0);
	*h = (struct elf64_hdr){ .e_type = n.e_type, .e_machine = n.e_machine, .e_entry = n.e_entry,
		                 .e_phoff = n.e_phoff, .e_phnum = n.e_phnum };
	memcpy(h->e_ident, n.e_ident, EI_NIDENT);
	if (n.e_phentsize == sizeof(struct elf32_phdr))
		h->e_phentsize = sizeof(struct elf64_phdr);
}

static void read_head(struct gst *g, struct elf_file *f)
{
	const struct elf64_hdr *h = &f->head;
	int is_32 = g->layout.is_32;

	read_exact(g, f, &f->head, EI_NIDENT, 0);
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		gst_refuse(g, f->path, ": not an ELF program");
	if (h->e_ident[EI_CLASS] == ELFCLASS32)
		read_head32(g, f);
	else
		read_exact(g, f, &f->head, sizeof(f->head), 0);
	if (h->e_ident[EI_CLASS] != (is_32 ? ELFCLASS32 : ELFCLASS64) ||
	    h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != (is_32 ? EM_386 : EM_X86_64))
		gst_refuse(g, f->path, is_32 ? ": not a program for i386" : ": not a program for x86-64");
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
		gst_refuse(g, f->path, ": an ELF file, but not a program");
	if (h->e_phentsize != sizeof(struct elf64_phdr) || h->e_phnum == 0 || h->e_phnum > MAX_PHDR)
		gst_refuse(g, f->path, ": its program headers are damaged");
}

static void read_segments(struct gst *g, struct elf_file *f)
{
	struct elf32_phdr n[MAX_PHDR];

	if (!g->layout.is_32) {
		read_exact(g, f, f->phdr, f->head.e_phnum * sizeof(f->phdr[0]), f->head.e_phoff);
		return;
	}
	read_exact(g, f, n, f->head.e_phnum * sizeof(n[0]), f->head.e_phoff);
	for (unsigned i = 0; i < f->head.e_phnum; i++)
		f->phdr[i] = (struct elf64_phdr){ .p_type = n[i].p_type, .p_flags = n[i].p_flags,
			                          .p_offset = n[i].p_offset, .p_vaddr = n[i].p_vaddr,
			                          .p_filesz = n[i].p_filesz,
			                          .p_memsz = n[i].p_memsz };
}

/* Every PT_LOAD must lie in the file and in the address space, in ascending order. */
static void check_segments(struct gst *g, const struct elf_file *f, uint64_t *low, uint64_t *high)
{
	uint64_t end = 0;

	*low = ~0ull;
	*high = 0;
	for (unsigned i = 0; i < f->head.e_phnum; i++) {
		const struct elf64_phdr *p = &f->phdr[i];

		if (p->p_type != PT_LOAD)
			continue;
		if (p->p_filesz > p->p_memsz || p->p_memsz > g->layout.end ||
		    p->p_vaddr > g->layout.end - p->p_memsz || p->p_vaddr < GST_PAGE_DOWN(end) ||
		    ((p->p_vaddr ^ p->p_offset) & (GST_PAGE - 1)))
			gst_refuse(g, f->path, ": its segments are damaged");
		if (p->p_offset > f->bytes || p->p_filesz > f->bytes - p->p_offset)
			gst_refuse(g, f->path, ": the file is truncated");
		if (*low == ~0ull)
			*low = GST_PAGE_DOWN(p->p_vaddr);
		end = p->p_vaddr + p->p_memsz;
		*high = GST_PAGE_UP(end);
	}
	if (*high == 0)
		gst_refuse(g, f->path, ": nothing to load");
}

static uint32_t prot_of(uint32_t flags)
{
	return (flags & PF_R ? PROT_READ : 0u) | (flags & PF_W ? PROT_WRITE : 0u) |
	       (flags & PF_X ? PROT_EXEC : 0u);
}

static void must_map(struct gst *g, const struct elf_file *f, long ret)
{
	if (gst_is_error(ret))
		gst_refuse_error(g, "cannot map ", f->path, ret);
}

static void map_segment(struct gst *g, const struct elf_file *f, const struct elf64_phdr *p,
                        uint64_t base)
{
	uint64_t start = GST_PAGE_DOWN(base + p->p_vaddr);
	uint64_t file_end = base + p->p_vaddr + p->p_filesz;
	uint64_t mem_end = base + p->p_vaddr + p->p_memsz;
	uint64_t map_end = p->p_filesz ? GST_PAGE_UP(file_end) : start;

	if (p->p_filesz)
		must_map(g, f, gst_map(g, start, map_end - start, prot_of(p->p_flags),
		                       MAP_PRIVATE | MAP_FIXED_NOREPLACE, f->fd,
		                       GST_PAGE_DOWN(p->p_offset), GST_VMA_PLAIN));
	if (p->p_filesz && p->p_memsz > p->p_filesz && (p->p_flags & PF_W))
		memset((void *)file_end, 0, map_end - file_end);
	if (GST_PAGE_UP(mem_end) > map_end)
		must_map(g, f, gst_map(g, map_end, GST_PAGE_UP(mem_end) - map_end, prot_of(p->p_flags),
		                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0,
		                       GST_VMA_PLAIN));
}

static void note_facts(struct gst *g, struct elf_file *f, struct gst_elf *e)
{
	uint64_t phoff = f->head.e_phoff;

	for (unsigned i = 0; i < f->head.e_phnum; i++) {
		const struct elf64_phdr *p = &f->phdr[i];

		if (p->p_type == PT_INTERP) {
			if (p->p_filesz < 2 || p->p_filesz > sizeof(e->interp))
				gst_refuse(g, f->path, ": the name of its interpreter is damaged");
			read_exact(g, f, e->interp, p->p_filesz, p->p_offset);
			e->interp[p->p_filesz - 1] = 0;
		} else if (p->p_type == PT_GNU_STACK) {
			e->stack_prot = p->p_flags & PF_X ? PROT_EXEC : 0;
		} else if (p->p_type == PT_LOAD && phoff >= p->p_offset &&
		           phoff < p->p_offset + p->p_filesz) {
			e->phdr = e->base + p->p_vaddr + (phoff - p->p_offset);
		}
	}
}

void gst_elf_load(struct gst *g, const char *path, struct gst_elf *elf, uint64_t base)
{
	struct elf_file f = { .path = path };
	const struct gst_layout *l = &g->layout;
	uint64_t low, high;
	uint64_t st[18];
	long ret = path == g->exe && g->exe_fd >= 0 ? g->exe_fd : SYS2(open, path, O_RDONLY_CLOEXEC);

	if (ret < 0)
		gst_refuse_error(g, "cannot open ", path, ret);
	f.fd = (int)ret;
	ret = SYS2(fstat, f.fd, st);
	if (ret < 0)
		gst_refuse_error(g, "cannot look at ", path, ret);
	f.bytes = st[6]; /* st_size */
	read_head(g, &f);
	read_segments(g, &f);
	check_segments(g, &f, &low, &high);
	memset(elf, 0, sizeof(*elf));
	elf->is_dyn = f.head.e_type == ET_DYN;
	if (elf->is_dyn) {
		if (!base || !gst_vma_is_free(&g->vmas, base, base + (high - low)))
			base = gst_vma_room_up(&g->vmas, l->file_low, l->file_high, high - low);
		if (!base)
			base = gst_vma_room_down(&g->vmas, l->mmap_low, l->mmap_high, high - low);
		if (!base)
			gst_refuse(g, path, ": too large");
		elf->base = base - low;
	} else if (!gst_vma_is_free(&g->vmas, low, high)) {
		gst_refuse(g, path, ": is linked to an address that softpmu needs itself");
	}
	for (unsigned i = 0; i < f.head.e_phnum; i++) {
		if (f.phdr[i].p_type == PT_LOAD)
			map_segment(g, &f, &f.phdr[i], elf->base);
	}
	note_facts(g, &f, elf);
	elf->entry = elf->base + f.head.e_entry;
	elf->n_phdr = f.head.e_phnum;
	elf->end = elf->base + high;
	SYS1(close, f.fd);
}
