/* kallsyms.c -- names of a kernel's code. Rules: kallsyms.h. */
#include "cli/where/kallsyms.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#define MOST_SYMBOLS (1u << 22)
#define MOST_NAME    512u
#define TOP	     UINT64_C(0x100000000) /* behind the last address */

struct symbol {
	uint64_t addr;
	bool is_code;
	char *name; /* owned */
};

struct symbols {
	struct symbol *at; /* owned */
	size_t n, room;
};

static void free_symbols(struct symbols *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->at[i].name);
	free(s->at);
}

/* Take a symbol, if there is room. Returns false without memory. */
static bool take(struct symbols *s, uint64_t addr, bool is_code, const char *name)
{
	struct symbol *more;

	if (!addr || addr >= TOP || s->n == MOST_SYMBOLS)
		return true;
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 4096;
		more = realloc(s->at, s->room * sizeof(*more));
		if (!more)
			return false;
		s->at = more;
	}
	s->at[s->n] = (struct symbol){addr, is_code, strdup(name)};
	return s->at[s->n++].name != NULL;
}

/* Take a line. Returns false without memory. */
static bool take_line(struct symbols *s, const char *line)
{
	char *end, name[MOST_NAME];
	const uint64_t addr = strtoull(line, &end, 16);
	const char kind = *end == ' ' ? end[1] : 0;

	if (!isxdigit((unsigned char)*line) || !isalpha((unsigned char)kind) || end[2] != ' ' ||
	    sscanf(end + 3, "%511s", name) != 1)
		return true;
	return take(s, addr, strchr("TtWw", kind) != NULL, name);
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *s = a, *t = b;

	return s->addr != t->addr	  ? (s->addr < t->addr ? -1 : 1)
	       : s->is_code != t->is_code ? (s->is_code ? -1 : 1)
					  : strcmp(s->name, t->name);
}

/* The names as lines of a map (session/files/jit_names.h), or NULL. Of several names of one address
 * the first one holds. */
static char *as_map(struct symbols *s)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	qsort(s->at, s->n, sizeof(*s->at), by_address);
	for (size_t i = 0, next; i < s->n; i = next) {
		for (next = i + 1; next < s->n && s->at[next].addr == s->at[i].addr;)
			next++;
		if (s->at[i].is_code && next < s->n)
			fprintf(out, "%llx %llx %s\n", (unsigned long long)s->at[i].addr,
				(unsigned long long)(s->at[next].addr - s->at[i].addr),
				s->at[i].name);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* The symbols become the names of *out, and are freed. Returns false without memory. */
static bool keep(struct symbols *s, bool has_memory, struct ses_jit_names *out)
{
	char *map = has_memory ? as_map(s) : NULL;

	if (map)
		ses_jit_parse(out, map);
	free_symbols(s);
	return map != NULL;
}

int cli_kallsyms_read(const char *path, struct ses_jit_names *out)
{
	FILE *in = fopen(path, "r");
	struct symbols s = {NULL, 0, 0};
	bool has_memory = true;
	char *line = NULL;
	size_t room = 0;

	if (!in)
		return cli_fail("--kallsyms %s: %s", path, strerror(errno));
	while (has_memory && getline(&line, &room, in) > 0)
		has_memory = take_line(&s, line);
	fclose(in);
	free(line);
	if (!keep(&s, has_memory, out))
		return cli_fail("out of memory");
	return out->n ? 0
		      : cli_fail("--kallsyms %s: no line has an address, a letter and a name, as "
				 "/proc/kallsyms and System.map have; a kernel shows its own by "
				 "cat /proc/kallsyms",
				 path);
}

/* ---- vmlinux --------------------------------------------------------------------------------- */

/* A file in memory. */
struct image {
	const uint8_t *at;
	size_t n;
};

static bool is_inside(const struct image *f, uint64_t off, uint64_t bytes)
{
	return off <= f->n && bytes <= f->n - off;
}

/* Section number i; all 0 where the file has none. */
static Elf32_Shdr section(const struct image *f, const Elf32_Ehdr *e, unsigned i)
{
	const uint64_t off = e->e_shoff + (uint64_t)i * sizeof(Elf32_Shdr);
	Elf32_Shdr s = {.sh_type = SHT_NULL};

	if (i < e->e_shnum && is_inside(f, off, sizeof(s)))
		memcpy(&s, f->at + off, sizeof(s));
	return is_inside(f, s.sh_offset, s.sh_size) || s.sh_type == SHT_NOBITS
		   ? s
		   : (Elf32_Shdr){.sh_type = SHT_NULL};
}

/* Take the symbols of table t, whose names are in `names`. Returns false without memory. */
static bool take_table(struct symbols *s, const struct image *f, const Elf32_Ehdr *e,
		       const Elf32_Shdr *t, const Elf32_Shdr *names)
{
	for (uint32_t i = 0; i < t->sh_size / sizeof(Elf32_Sym); i++) {
		Elf32_Sym one;
		const char *name;

		memcpy(&one, f->at + t->sh_offset + i * sizeof(one), sizeof(one));
		name = (const char *)f->at + names->sh_offset + one.st_name;
		if (one.st_name >= names->sh_size || !*name ||
		    !memchr(name, 0, names->sh_size - one.st_name) ||
		    ELF32_ST_TYPE(one.st_info) > STT_FUNC || one.st_shndx >= e->e_shnum)
			continue;
		if (!take(s, one.st_value, section(f, e, one.st_shndx).sh_flags & SHF_EXECINSTR,
			  name))
			return false;
	}
	return true;
}

/* Take the symbols of an i386 ELF file. Returns false without memory. */
static bool take_elf(struct symbols *s, const struct image *f, const Elf32_Ehdr *e)
{
	for (unsigned i = 0; i < e->e_shnum; i++) {
		const Elf32_Shdr t = section(f, e, i), names = section(f, e, t.sh_link);

		if (t.sh_type == SHT_SYMTAB && names.sh_type == SHT_STRTAB &&
		    !take_table(s, f, e, &t, &names))
			return false;
	}
	return true;
}

/* Is the file one for i386? Sets *e to its head. */
static bool is_i386(const struct image *f, Elf32_Ehdr *e)
{
	if (f->n < sizeof(*e))
		return false;
	memcpy(e, f->at, sizeof(*e));
	return !memcmp(e->e_ident, ELFMAG, SELFMAG) && e->e_ident[EI_CLASS] == ELFCLASS32 &&
	       e->e_machine == EM_386 && e->e_shentsize == sizeof(Elf32_Shdr);
}

int cli_vmlinux_read(const char *path, struct ses_jit_names *out)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct image f = {NULL, 0};
	struct symbols s = {NULL, 0, 0};
	struct stat st;
	Elf32_Ehdr e;
	void *at;
	bool is_elf, has_memory = true;

	if (fd < 0)
		return cli_fail("--vmlinux %s: %s", path, strerror(errno));
	f.n = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
	at = f.n ? mmap(NULL, f.n, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	close(fd);
	f.at = at;
	is_elf = at != MAP_FAILED && is_i386(&f, &e);
	if (is_elf)
		has_memory = take_elf(&s, &f, &e);
	if (at != MAP_FAILED)
		munmap(at, f.n);
	if (!keep(&s, has_memory, out))
		return cli_fail("out of memory");
	if (!is_elf)
		return cli_fail("--vmlinux %s: it is no ELF file for i386; vmlinux is what a build "
				"of the kernel makes before bzImage and vmlinuz",
				path);
	return out->n ? 0
		      : cli_fail("--vmlinux %s: it has no symbols of code; was it stripped? "
				 "--kallsyms takes a list of names",
				 path);
}
