/* elf.c -- map an ELF file as the kernel's exec does.
 *
 * MODELLED       ET_EXEC, ET_DYN with and without interpreter, bss, PT_GNU_STACK; x86-64, and i386
 *                in a 32-bit guest.
 * NOT MODELLED   other machines and classes (refused), PT_GNU_PROPERTY (no CET), segments with an
 *                alignment above 2 MiB (placed page aligned).
 * SOURCES        System V ABI, AMD64 and Intel386 supplements; elf(5).
 */
#include <linux/personality.h>

#include "guest/files/input.h"
#include "guest/start/elf_headers.h"
#include "guest/gst.h"

#define O_RDONLY_CLOEXEC 02000000

struct elf_file {
	const char *path;
	int fd;
	uint64_t bytes;
	struct gst_elf_headers h;
};

static void read_headers(struct gst *g, struct elf_file *f)
{
	const char *why;
	long ret = gst_elf_read_headers(f->fd, &f->h, &why);

	if (ret == -ENOEXEC || ret == -E2BIG)
		gst_refuse(g, f->path, why);
	if (ret)
		gst_refuse_error(g, "cannot read ", f->path, ret);
	if (gst_elf_is_32(&f->h) != g->layout.is_32)
		gst_refuse(g, f->path,
			   g->layout.is_32 ? ": not a program for i386"
					   : ": not a program for x86-64");
}

/* Every PT_LOAD must lie in the file and in the address space, in ascending order. */
static void check_segments(struct gst *g, const struct elf_file *f, uint64_t *low, uint64_t *high)
{
	uint64_t end = 0;

	*low = ~0ull;
	*high = 0;
	for (unsigned i = 0; i < f->h.head.e_phnum; i++) {
		const struct elf64_phdr *p = &f->h.phdr[i];

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
		must_map(g, f,
			 gst_map(g, start, map_end - start, prot_of(p->p_flags),
				 MAP_PRIVATE | MAP_FIXED_NOREPLACE, f->fd,
				 GST_PAGE_DOWN(p->p_offset), GST_VMA_PLAIN));
	if (p->p_filesz && p->p_memsz > p->p_filesz && (p->p_flags & PF_W))
		memset((void *)file_end, 0, map_end - file_end);
	if (GST_PAGE_UP(mem_end) > map_end)
		must_map(g, f,
			 gst_map(g, map_end, GST_PAGE_UP(mem_end) - map_end, prot_of(p->p_flags),
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0,
				 GST_VMA_PLAIN));
}

static void note_facts(struct gst *g, struct elf_file *f, struct gst_elf *e)
{
	uint64_t phoff = f->h.head.e_phoff;

	for (unsigned i = 0; i < f->h.head.e_phnum; i++) {
		const struct elf64_phdr *p = &f->h.phdr[i];

		if (p->p_type == PT_INTERP) {
			if (p->p_filesz < 2 || p->p_filesz > sizeof(e->interp))
				gst_refuse(g, f->path, ": the name of its interpreter is damaged");
			if (SYS4(pread64, f->fd, e->interp, p->p_filesz, p->p_offset) !=
			    (long)p->p_filesz)
				gst_refuse(g, f->path, ": the name of its interpreter is damaged");
			e->interp[p->p_filesz - 1] = 0;
		} else if (p->p_type == PT_GNU_STACK) {
			e->stack_prot = p->p_flags & PF_X ? PROT_EXEC : 0;
		} else if (p->p_type == PT_LOAD && phoff >= p->p_offset &&
			   phoff < p->p_offset + p->p_filesz) {
			e->phdr = e->base + p->p_vaddr + (phoff - p->p_offset);
		}
	}
}

/* A 32-bit program that says nothing of its stack is from before 2003: the kernel lets it
 * execute whatever it can read. */
static void note_age(struct gst *g, const struct elf_file *f)
{
	unsigned i = 0;

	while (i < f->h.head.e_phnum && f->h.phdr[i].p_type != PT_GNU_STACK)
		i++;
	if (g->layout.is_32 && i == f->h.head.e_phnum)
		g->personality |= READ_IMPLIES_EXEC;
}

void gst_elf_load(struct gst *g, const char *path, struct gst_elf *elf, uint64_t base)
{
	struct elf_file f = {.path = path};
	const struct gst_layout *l = &g->layout;
	uint64_t low, high;
	uint64_t st[18];
	long ret =
	    path == g->exe && g->exe_fd >= 0 ? g->exe_fd : SYS2(open, path, O_RDONLY_CLOEXEC);

	if (ret < 0)
		gst_refuse_error(g, "cannot open ", path, ret);
	f.fd = (int)ret;
	ret = SYS2(fstat, f.fd, st);
	if (ret < 0)
		gst_refuse_error(g, "cannot look at ", path, ret);
	f.bytes = st[6]; /* st_size */
	gst_input_file(g, f.fd, path, TRC_INPUT_PROGRAM);
	read_headers(g, &f);
	check_segments(g, &f, &low, &high);
	if (low == SHR_RT_BASE)
		gst_refuse(g,
			   "the program started another softpmu, which cannot run inside this "
			   "one; let softpmu count that "
			   "one's program, or leave the outer one away",
			   NULL);
	memset(elf, 0, sizeof(*elf));
	if (elf == &g->program)
		note_age(g, &f);
	elf->is_dyn = f.h.head.e_type == ET_DYN;
	if (elf->is_dyn) {
		if (!base || !gst_vma_is_free(&g->vmas, base, base + (high - low)))
			base = gst_vma_room_up(&g->vmas, l->file_low, l->file_high, high - low);
		if (!base)
			base = gst_vma_room_down(&g->vmas, l->mmap_low, l->mmap_high, high - low);
		if (!base)
			gst_refuse(g, path, ": too large");
		elf->base = base - low;
	} else if (!gst_vma_is_free(&g->vmas, low, high)) {
		gst_refuse(g, path,
			   ": is linked to an address that softpmu needs itself; link it "
			   "as position independent (gcc -pie)");
	}
	for (unsigned i = 0; i < f.h.head.e_phnum; i++) {
		if (f.h.phdr[i].p_type == PT_LOAD)
			map_segment(g, &f, &f.h.phdr[i], elf->base);
	}
	note_facts(g, &f, elf);
	elf->entry = elf->base + f.h.head.e_entry;
	elf->n_phdr = f.h.head.e_phnum;
	elf->end = elf->base + high;
	SYS1(close, f.fd);
}
