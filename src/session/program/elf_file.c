/* elf_file.c -- reads the headers of an ELF file. Rules: elf_file.h. All reads of the file go
 * through has_bytes() and elf_source_copy(), which check offset and size. */
#include "session/program/elf_file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/program/go_build.h"

#define MOST_PHDRS   4096u
#define MOST_DYNAMIC 65536u
#define MOST_STRINGS (1u << 20) /* bytes of a dynamic string table that are looked at */
#define MOST_NOTE    65536u

#define PROPERTY_ISA_NEEDED 0xc0008002u

/* All n bytes at `at`, or false. */
static bool has_bytes(const struct elf_source *src, uint64_t at, void *out, size_t n)
{
	if (at > src->size || n > src->size - at)
		return false;
	if (src->fd < 0) {
		memcpy(out, src->bytes + at, n);
		return true;
	}
	for (uint8_t *p = out; n;) {
		ssize_t got = pread(src->fd, p, n, (off_t)at);

		if (got <= 0)
			return false;
		p += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

char *elf_source_copy(const struct elf_source *src, uint64_t at, size_t n)
{
	char *p = malloc(n + 1);

	if (!p || !has_bytes(src, at, p, n)) {
		free(p);
		return NULL;
	}
	p[n] = 0;
	return p;
}

static const char *machine_name(unsigned machine)
{
	switch (machine) {
	case EM_ARM: return "ARM";
	case EM_AARCH64: return "AArch64";
	case EM_RISCV: return "RISC-V";
	case EM_PPC64: return "PowerPC";
	case EM_S390: return "S/390";
	case EM_386: return "i386 with 64-bit headers";
	default: return "another processor";
	}
}

static bool is_i386(const Elf64_Ehdr *h)
{
	return h->e_machine == EM_386 && h->e_ident[EI_CLASS] == ELFCLASS32;
}

/* A 32-bit header in the first bytes of *h: widen it. */
static void widen_header(Elf64_Ehdr *h)
{
	Elf32_Ehdr n;

	memcpy(&n, h, sizeof(n));
	h->e_entry = n.e_entry;
	h->e_phoff = n.e_phoff;
	h->e_phentsize = n.e_phentsize == sizeof(Elf32_Phdr) ? sizeof(Elf64_Phdr) : 0;
	h->e_phnum = n.e_phnum;
}

/* The program headers in new memory, widened when they are of 32 bits; NULL when they are not
 * there. */
static Elf64_Phdr *copy_phdrs(const struct elf_source *src, const Elf64_Ehdr *h)
{
	Elf64_Phdr *wide;
	Elf32_Phdr *n;

	if (!is_i386(h))
		return (Elf64_Phdr *)elf_source_copy(src, h->e_phoff, h->e_phnum * sizeof(*wide));
	wide = calloc(h->e_phnum, sizeof(*wide));
	n = (Elf32_Phdr *)elf_source_copy(src, h->e_phoff, h->e_phnum * sizeof(*n));
	for (unsigned i = 0; wide && n && i < h->e_phnum; i++)
		wide[i] = (Elf64_Phdr){.p_type = n[i].p_type,
				       .p_flags = n[i].p_flags,
				       .p_offset = n[i].p_offset,
				       .p_vaddr = n[i].p_vaddr,
				       .p_filesz = n[i].p_filesz,
				       .p_memsz = n[i].p_memsz,
				       .p_align = n[i].p_align};
	if (!n) {
		free(wide);
		wide = NULL;
	}
	free(n);
	return wide;
}

static int check_header(const Elf64_Ehdr *h, const char *name, struct spmu_error *err)
{
	if (memcmp(h->e_ident, ELFMAG, SELFMAG))
		return spmu_fail(err, SPMU_EEXEC,
				 "%s: neither an ELF program nor a #! script; a shell script "
				 "without #! runs as sh %s",
				 name, name);
	if ((h->e_machine != EM_X86_64 && !is_i386(h)) || h->e_ident[EI_DATA] != ELFDATA2LSB)
		return spmu_fail(err, SPMU_EEXEC,
				 "%s: a program for %s; softpmu runs x86-64 and i386 programs",
				 name,
				 machine_name(h->e_ident[EI_DATA] == ELFDATA2LSB
						  ? h->e_machine
						  : __builtin_bswap16(h->e_machine)));
	if (h->e_machine == EM_X86_64 && h->e_ident[EI_CLASS] != ELFCLASS64)
		return spmu_fail(err, SPMU_EEXEC,
				 "%s: an x32 program; softpmu runs x86-64 and i386 programs", name);
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
		return spmu_fail(err, SPMU_EEXEC, "%s: an ELF %s, not a program", name,
				 h->e_type == ET_REL	? "object file; link it first"
				 : h->e_type == ET_CORE ? "core dump"
							: "file of unknown type");
	if (h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phnum == 0 || h->e_phnum > MOST_PHDRS)
		return spmu_fail(err, SPMU_EEXEC, "%s: a damaged ELF file (program headers)", name);
	return 0;
}

static int cut_off(const char *name, struct spmu_error *err)
{
	return spmu_fail(err, SPMU_EEXEC, "%s: the ELF file is cut off; copy or build it again",
			 name);
}

/* Level of a GNU property note's descriptor, 1 when it does not say. */
static int property_level(const uint8_t *desc, size_t n)
{
	while (n >= 8) {
		uint32_t type, size, bits;
		size_t step;

		memcpy(&type, desc, 4);
		memcpy(&size, desc + 4, 4);
		if (size > n - 8)
			return 1;
		if (type == PROPERTY_ISA_NEEDED && size >= 4) {
			memcpy(&bits, desc + 8, 4);
			return bits & 8 ? 4 : bits & 4 ? 3 : bits & 2 ? 2 : 1;
		}
		step = 8 + (((size_t)size + 7) & ~(size_t)7);
		if (step > n)
			return 1;
		desc += step;
		n -= step;
	}
	return 1;
}

/* Level in the notes of one segment. */
static int notes_level(const struct elf_source *src, const Elf64_Phdr *ph)
{
	size_t n = ph->p_filesz < MOST_NOTE ? ph->p_filesz : MOST_NOTE, at = 0;
	size_t align = ph->p_align == 8 ? 7 : 3;
	uint8_t *bytes = (uint8_t *)elf_source_copy(src, ph->p_offset, n);
	int level = 1;

	while (bytes && n - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr h;
		size_t name, desc;

		memcpy(&h, bytes + at, sizeof(h));
		name = at + sizeof(h);
		if (h.n_namesz > n - name)
			break;
		desc = (name + h.n_namesz + align) & ~align;
		if (desc > n || h.n_descsz > n - desc)
			break;
		if (h.n_type == NT_GNU_PROPERTY_TYPE_0 && h.n_namesz == 4 &&
		    !memcmp(bytes + name, "GNU", 4)) {
			int found = property_level(bytes + desc, h.n_descsz);

			level = found > level ? found : level;
		}
		at = (desc + h.n_descsz + align) & ~align;
		if (at > n)
			break;
	}
	free(bytes);
	return level;
}

/* File offset of a virtual address, by the loadable segments; false when no file bytes are
 * there. */
static bool has_offset(const Elf64_Phdr *ph, unsigned n, uint64_t addr, uint64_t *at)
{
	for (unsigned i = 0; i < n; i++)
		if (ph[i].p_type == PT_LOAD && addr >= ph[i].p_vaddr &&
		    addr - ph[i].p_vaddr < ph[i].p_filesz) {
			*at = ph[i].p_offset + (addr - ph[i].p_vaddr);
			return true;
		}
	return false;
}

struct dynamic {
	Elf64_Dyn *entry;
	size_t n;
	char *strings;
	size_t n_strings;
};

static const char *string_at(const struct dynamic *d, uint64_t at)
{
	return at < d->n_strings ? d->strings + at : "";
}

/* The entries of the dynamic section, widened when they are of 32 bits. Returns false when they
 * are not there. */
static bool copy_entries(const struct elf_source *src, const Elf64_Phdr *dynamic, bool is_32,
			 struct dynamic *d)
{
	Elf32_Dyn *narrow;
	bool has_all;

	d->n = dynamic->p_filesz / (is_32 ? sizeof(Elf32_Dyn) : sizeof(Elf64_Dyn));
	if (d->n > MOST_DYNAMIC)
		d->n = MOST_DYNAMIC;
	if (!is_32) {
		d->entry =
		    (Elf64_Dyn *)elf_source_copy(src, dynamic->p_offset, d->n * sizeof(Elf64_Dyn));
		return d->entry != NULL;
	}
	d->entry = calloc(d->n + 1, sizeof(Elf64_Dyn));
	narrow = (Elf32_Dyn *)elf_source_copy(src, dynamic->p_offset, d->n * sizeof(Elf32_Dyn));
	for (size_t i = 0; d->entry && narrow && i < d->n; i++) {
		d->entry[i].d_tag = narrow[i].d_tag;
		d->entry[i].d_un.d_val = narrow[i].d_un.d_val;
	}
	has_all = d->entry && narrow;
	free(narrow);
	return has_all;
}

static bool is_read(const struct elf_source *src, const Elf64_Phdr *ph, unsigned n_ph,
		    const Elf64_Phdr *dynamic, bool is_32, struct dynamic *d)
{
	uint64_t strtab = 0, strsz = 0, at;

	if (!copy_entries(src, dynamic, is_32, d))
		return false;
	for (size_t i = 0; i < d->n; i++) {
		if (d->entry[i].d_tag == DT_NULL)
			d->n = i;
		else if (d->entry[i].d_tag == DT_STRTAB)
			strtab = d->entry[i].d_un.d_ptr;
		else if (d->entry[i].d_tag == DT_STRSZ)
			strsz = d->entry[i].d_un.d_val;
	}
	if (!has_offset(ph, n_ph, strtab, &at) || at > src->size)
		return false;
	if (strsz > MOST_STRINGS)
		strsz = MOST_STRINGS;
	if (strsz > src->size - at)
		strsz = src->size - at;
	d->strings = elf_source_copy(src, at, strsz);
	d->n_strings = strsz;
	return d->strings != NULL;
}

/* Libraries and search paths out of the dynamic section. A damaged section gives none: ld.so will
 * have its own say. */
static int read_dynamic(const struct elf_source *src, const Elf64_Phdr *ph, unsigned n_ph,
			const Elf64_Phdr *dynamic, struct elf_file *out)
{
	struct dynamic d = {0};
	size_t room = 1, n = 0;
	int rc = -SPMU_ENOMEM;

	if (!is_read(src, ph, n_ph, dynamic, out->is_32, &d)) {
		rc = 0;
		goto done;
	}
	for (size_t i = 0; i < d.n; i++)
		if (d.entry[i].d_tag == DT_NEEDED && room < MOST_STRINGS)
			room += strlen(string_at(&d, d.entry[i].d_un.d_val)) + 1;
	out->needed = calloc(room + 1, 1);
	if (!out->needed)
		goto done;
	for (size_t i = 0; i < d.n; i++) {
		const char *s = string_at(&d, d.entry[i].d_un.d_val);
		size_t length = strlen(s);

		if (d.entry[i].d_tag == DT_NEEDED && *s && n + length + 1 < room) {
			memcpy(out->needed + n, s, length + 1);
			n += length + 1;
		} else if (d.entry[i].d_tag == DT_RUNPATH && !out->runpath) {
			out->runpath = strdup(s);
		} else if (d.entry[i].d_tag == DT_RPATH && !out->rpath) {
			out->rpath = strdup(s);
		}
	}
	rc = 0;
done:
	free(d.entry);
	free(d.strings);
	return rc;
}

static int read_segments(const struct elf_source *src, const char *name, const Elf64_Phdr *ph,
			 unsigned n, struct elf_file *out, struct spmu_error *err)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t length = ph[i].p_filesz;
		int level;

		if (ph[i].p_type == PT_LOAD &&
		    (ph[i].p_offset > src->size || length > src->size - ph[i].p_offset))
			return cut_off(name, err);
		if (ph[i].p_type == PT_INTERP && !out->interpreter[0]) {
			if (length < 2 || length > sizeof(out->interpreter) ||
			    !has_bytes(src, ph[i].p_offset, out->interpreter, length) ||
			    out->interpreter[length - 1]) {
				out->interpreter[0] = 0;
				return spmu_fail(err, SPMU_EEXEC,
						 "%s: a damaged ELF file (interpreter)", name);
			}
		}
		if (ph[i].p_type == PT_LOAD && out->type == ET_EXEC &&
		    ph[i].p_memsz <= UINT64_MAX - ph[i].p_vaddr) {
			if (!out->high || ph[i].p_vaddr < out->low)
				out->low = ph[i].p_vaddr;
			if (ph[i].p_vaddr + ph[i].p_memsz > out->high)
				out->high = ph[i].p_vaddr + ph[i].p_memsz;
		}
		if (!out->is_32 && (ph[i].p_type == PT_NOTE || ph[i].p_type == PT_GNU_PROPERTY)) {
			/* they speak of x86-64 levels */
			level = notes_level(src, &ph[i]);
			out->isa_level = level > out->isa_level ? level : out->isa_level;
		}
		if (ph[i].p_type == PT_DYNAMIC && !out->has_dynamic) {
			out->has_dynamic = true;
			if (read_dynamic(src, ph, n, &ph[i], out))
				return spmu_fail(err, SPMU_ENOMEM,
						 "%s: out of memory for its headers", name);
		}
	}
	return 0;
}

int elf_file_read(const struct elf_source *src, const char *name, struct elf_file *out,
		  struct spmu_error *err)
{
	Elf64_Ehdr h = {0};
	Elf64_Phdr *ph;
	int rc;

	*out = (struct elf_file){.isa_level = 1};
	if (src->size == 0)
		return spmu_fail(err, SPMU_EEXEC, "%s: the file is empty", name);
	if (!has_bytes(src, 0, &h, src->size < sizeof(h) ? (size_t)src->size : sizeof(h)))
		return spmu_fail(err, SPMU_EEXEC, "%s: cannot be read", name);
	if (src->size < sizeof(h) && !memcmp(h.e_ident, ELFMAG, SELFMAG))
		return cut_off(name, err);
	if (is_i386(&h))
		widen_header(&h);
	rc = check_header(&h, name, err);
	if (rc)
		return rc;
	out->type = h.e_type;
	out->is_32 = is_i386(&h);
	ph = copy_phdrs(src, &h);
	if (!ph)
		return cut_off(name, err);
	rc = read_segments(src, name, ph, h.e_phnum, out, err);
	if (!rc && !out->is_32) {
		const int level = go_build_level(src, &h, ph);

		out->isa_level = level > out->isa_level ? level : out->isa_level;
	}
	free(ph);
	return rc;
}

void elf_file_free(struct elf_file *f)
{
	free(f->needed);
	free(f->runpath);
	free(f->rpath);
	f->needed = f->runpath = f->rpath = NULL;
}
