/* function.c -- looks a function up in the symbol tables of an ELF file. Rules: function.h. */
#include "where/function.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/function_name.h"

/* ---- a file in memory ------------------------------------------------------------------------ */

struct file {
	const char *path;
	const uint8_t *bytes;
	uint64_t n;
	bool is_32;
	uint16_t type, n_section;
	uint64_t sections, section_bytes; /* where headers are, and how long each is */
};

/* What both widths have, of a section. */
struct section {
	uint32_t type, link;
	uint64_t address, offset, bytes, entry_bytes;
};

static bool has(const struct file *f, uint64_t at, uint64_t n)
{
	return at <= f->n && n <= f->n - at;
}

static bool read_section(const struct file *f, unsigned i, struct section *out)
{
	const uint64_t at = f->sections + i * f->section_bytes;
	Elf64_Shdr wide;
	Elf32_Shdr narrow;

	if (i >= f->n_section || !has(f, at, f->is_32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr)))
		return false;
	if (f->is_32) {
		memcpy(&narrow, f->bytes + at, sizeof(narrow));
		*out = (struct section){narrow.sh_type,	  narrow.sh_link, narrow.sh_addr,
					narrow.sh_offset, narrow.sh_size, narrow.sh_entsize};
	} else {
		memcpy(&wide, f->bytes + at, sizeof(wide));
		*out = (struct section){wide.sh_type,	wide.sh_link, wide.sh_addr,
					wide.sh_offset, wide.sh_size, wide.sh_entsize};
	}
	return out->type == SHT_NOBITS || has(f, out->offset, out->bytes);
}

static Elf64_Sym read_symbol(const struct file *f, uint64_t at)
{
	Elf64_Sym wide;
	Elf32_Sym narrow;

	if (!f->is_32) {
		memcpy(&wide, f->bytes + at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, f->bytes + at, sizeof(narrow));
	wide = (Elf64_Sym){.st_name = narrow.st_name,
			   .st_info = narrow.st_info,
			   .st_shndx = narrow.st_shndx,
			   .st_value = narrow.st_value,
			   .st_size = narrow.st_size};
	return wide;
}

static int open_file(struct file *f, const char *path, struct spmu_error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	void *p;

	*f = (struct file){.path = path};
	if (fd < 0 || fstat(fd, &st)) {
		spmu_fail(err, SPMU_ESYS, "%s: cannot be read: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -SPMU_ESYS;
	}
	p = S_ISREG(st.st_mode) && st.st_size > (off_t)sizeof(Elf32_Ehdr)
		? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
		: MAP_FAILED;
	close(fd);
	if (p == MAP_FAILED)
		return spmu_fail(err, SPMU_EINVAL, "%s: it is no program or object file", path);
	f->bytes = p;
	f->n = (uint64_t)st.st_size;
	return 0;
}

/* The header. Returns false when it is none of x86. */
static bool read_head(struct file *f)
{
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	if (memcmp(f->bytes, ELFMAG, SELFMAG))
		return false;
	f->is_32 = f->bytes[EI_CLASS] == ELFCLASS32;
	if (f->is_32) {
		memcpy(&narrow, f->bytes, sizeof(narrow));
		f->type = narrow.e_type;
		f->n_section = narrow.e_shnum;
		f->sections = narrow.e_shoff;
		f->section_bytes = narrow.e_shentsize;
		return narrow.e_machine == EM_386 && f->section_bytes >= sizeof(Elf32_Shdr);
	}
	if (f->n < sizeof(wide))
		return false;
	memcpy(&wide, f->bytes, sizeof(wide));
	f->type = wide.e_type;
	f->n_section = wide.e_shnum;
	f->sections = wide.e_shoff;
	f->section_bytes = wide.e_shentsize;
	return wide.e_machine == EM_X86_64 && f->section_bytes >= sizeof(Elf64_Shdr);
}

/* ---- symbols --------------------------------------------------------------------------------- */

struct search {
	struct file *f;
	struct nm *names;
	const char *name;
	uint64_t offset, bytes; /* of what was found */
	unsigned n_found, n_functions;
};

static bool is_called(const char *symbol, const char *name)
{
	return symbol && function_name_is(symbol, name);
}

/* Where the symbol's code lies in the file. */
static bool place_of(const struct file *f, const Elf64_Sym *s, uint64_t *offset)
{
	struct section in;

	if (!read_section(f, s->st_shndx, &in) || in.type == SHT_NOBITS)
		return false;
	*offset =
	    f->type == ET_REL ? in.offset + s->st_value : in.offset + (s->st_value - in.address);
	return has(f, *offset, s->st_size);
}

static void look_at(struct search *x, const Elf64_Sym *s, const char *text)
{
	const unsigned kind = ELF64_ST_TYPE(s->st_info);
	uint64_t offset;

	if ((kind != STT_FUNC && kind != STT_GNU_IFUNC && kind != STT_NOTYPE) || !s->st_size ||
	    !place_of(x->f, s, &offset))
		return;
	x->n_functions++;
	if (strcmp(text, x->name) &&
	    !(text[0] == '_' && text[1] == 'Z' &&
	      is_called(nm_find(x->names, x->f->path, offset, false).function, x->name)))
		return;
	if (x->n_found && x->offset == offset)
		return;
	x->n_found++;
	if (x->n_found > 1)
		return;
	x->offset = offset;
	x->bytes = s->st_size;
}

static void look_in(struct search *x, const struct section *table)
{
	const uint64_t size = x->f->is_32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
	struct section text;

	if (table->entry_bytes < size || !read_section(x->f, table->link, &text) ||
	    text.type != SHT_STRTAB || !text.bytes || x->f->bytes[text.offset + text.bytes - 1])
		return;
	for (uint64_t at = 0; table->bytes - at >= table->entry_bytes; at += table->entry_bytes) {
		const Elf64_Sym s = read_symbol(x->f, table->offset + at);

		if (s.st_name && s.st_name < text.bytes)
			look_at(x, &s, (const char *)x->f->bytes + text.offset + s.st_name);
	}
}

/* The symbols of .symtab, else those of .dynsym. */
static void look(struct search *x)
{
	struct section s;

	for (unsigned i = 1; i < x->f->n_section; i++)
		if (read_section(x->f, i, &s) && s.type == SHT_SYMTAB)
			look_in(x, &s);
	for (unsigned i = 1; i < x->f->n_section && !x->n_functions; i++)
		if (read_section(x->f, i, &s) && s.type == SHT_DYNSYM)
			look_in(x, &s);
}

static int complain(const struct search *x, struct spmu_error *err)
{
	const char *path = x->f->path;

	if (!x->n_functions)
		return spmu_fail(err, SPMU_ENOENT,
				 "%s: it has no symbols (it is stripped), so no function is found",
				 path);
	if (!x->n_found)
		return spmu_fail(err, SPMU_ENOENT,
				 "%s: no function is called '%s'; nm -C %s lists those that it has",
				 path, x->name, path);
	if (x->n_found > 1)
		return spmu_fail(err, SPMU_EINVAL,
				 "%s: %u functions are called '%s'; write one with its parameters, "
				 "or as nm %s has it",
				 path, x->n_found, x->name, path);
	return spmu_fail(err, SPMU_EINVAL, "%s: '%s' has %llu bytes, more than %u", path, x->name,
			 (unsigned long long)x->bytes, WHR_MOST_FUNCTION);
}

int whr_function_find(const char *path, const char *name, struct nm *names,
		      struct whr_function_code *out, struct spmu_error *err)
{
	struct file f;
	struct search x = {.f = &f, .names = names, .name = name};
	int rc = open_file(&f, path, err);

	*out = (struct whr_function_code){.bytes = NULL};
	if (rc)
		return rc;
	if (!read_head(&f)) {
		rc =
		    spmu_fail(err, SPMU_EINVAL, "%s: it is no program or object file of x86", path);
	} else {
		look(&x);
		if (x.n_found != 1 || x.bytes > WHR_MOST_FUNCTION)
			rc = complain(&x, err);
	}
	if (!rc) {
		*out = (struct whr_function_code){x.offset, malloc(x.bytes), (uint32_t)x.bytes,
						  f.is_32};
		if (out->bytes)
			memcpy(out->bytes, f.bytes + x.offset, x.bytes);
		else
			rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
	}
	munmap((void *)f.bytes, f.n);
	return rc;
}

int whr_function_read(const char *path, uint64_t offset, uint32_t n, struct whr_function_code *out,
		      struct spmu_error *err)
{
	struct file f;
	int rc = open_file(&f, path, err);

	*out = (struct whr_function_code){.bytes = NULL};
	if (rc)
		return rc;
	if (!read_head(&f) || offset >= f.n || n > WHR_MOST_FUNCTION) {
		rc = spmu_fail(err, SPMU_EINVAL, "%s: there is no such code in it", path);
	} else {
		n = n < f.n - offset ? n : (uint32_t)(f.n - offset);
		*out = (struct whr_function_code){offset, malloc(n), n, f.is_32};
		if (out->bytes)
			memcpy(out->bytes, f.bytes + offset, n);
		else
			rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
	}
	munmap((void *)f.bytes, f.n);
	return rc;
}

void whr_function_free(struct whr_function_code *f)
{
	free(f->bytes);
	f->bytes = NULL;
}
