#include "names/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "names/libdw.h"
#include "names/paths.h"

#define MOST_SEGMENTS 64u

struct segment {
	uint64_t off, bytes, vaddr;
};

/* A function, or a label without a size. */
struct symbol {
	GElf_Addr addr;
	uint64_t bytes;
	const char *name; /* libdw's */
	uint8_t rank;	  /* of several at one address the lowest is shown */
};

/* A file whose names were asked for. */
struct object {
	char *path;
	Dwfl *dwfl;
	Dwfl_Module *module; /* NULL: nothing is known of it */
	GElf_Addr bias;
	struct segment segment[MOST_SEGMENTS];
	unsigned n_segment;
	struct symbol *symbol; /* by address; owned */
	size_t n_symbol;
	bool is_distrusted, has_symbols;
};

struct nm {
	struct nm_libdw lib;
	bool has_lib;
	Dwfl_Callbacks callbacks; /* libdw keeps their address */
	char *debug_path;	  /* NULL: libdw's own */
	struct object **object;	  /* owned */
	size_t n, room;
	char **text; /* names that live as long as this; owned */
	size_t n_text, room_text;
	struct nm_paths paths;
};

struct nm *nm_open(void)
{
	struct nm *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	unsetenv("DEBUGINFOD_URLS"); /* libdw would ask servers */
	n->has_lib = nm_libdw_open(&n->lib);
	n->callbacks = (Dwfl_Callbacks){
	    .find_elf = n->lib.dwfl_build_id_find_elf,
	    .find_debuginfo = n->lib.dwfl_standard_find_debuginfo,
	    .section_address = n->lib.dwfl_offline_section_address,
	    .debuginfo_path = &n->debug_path,
	};
	return n;
}

void nm_close(struct nm *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->n; i++) {
		if (n->object[i]->dwfl)
			n->lib.dwfl_end(n->object[i]->dwfl);
		free(n->object[i]->symbol);
		free(n->object[i]->path);
		free(n->object[i]);
	}
	for (size_t i = 0; i < n->n_text; i++)
		free(n->text[i]);
	free(n->text);
	free(n->object);
	nm_paths_free(&n->paths);
	nm_libdw_close(&n->lib);
	free(n);
}

const char *nm_trouble(const struct nm *n)
{
	if (!n->has_lib)
		return "names of functions and lines need libdw, which is not installed (Debian: "
		       "libdw1)";
	return n->lib.demangle
		   ? NULL
		   : "names of C++ stay as the linker has them: libstdc++ is not installed";
}

/* ---- files ----------------------------------------------------------------------------------- */

static void read_segments(struct nm *n, struct object *o)
{
	Elf *elf = n->lib.dwfl_module_getelf(o->module, &o->bias);
	size_t count = 0;

	if (!elf || n->lib.elf_getphdrnum(elf, &count))
		return;
	for (size_t i = 0; i < count && o->n_segment < MOST_SEGMENTS; i++) {
		GElf_Phdr p;

		if (n->lib.gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD)
			o->segment[o->n_segment++] =
			    (struct segment){p.p_offset, p.p_filesz, p.p_vaddr};
	}
}

static void open_object(struct nm *n, struct object *o)
{
	o->dwfl = n->lib.dwfl_begin(&n->callbacks);
	o->module = o->dwfl ? n->lib.dwfl_report_offline(o->dwfl, o->path, o->path, -1) : NULL;
	if (o->dwfl)
		n->lib.dwfl_report_end(o->dwfl, NULL, NULL);
	if (o->module)
		read_segments(n, o);
}

static struct object *object_of(struct nm *n, const char *path)
{
	struct object *o;

	for (size_t i = 0; i < n->n; i++)
		if (!strcmp(n->object[i]->path, path))
			return n->object[i];
	if (n->n == n->room) {
		const size_t room = n->room ? 2 * n->room : 16;
		void *p = realloc(n->object, room * sizeof(*n->object));

		if (!p)
			return NULL;
		n->object = p;
		n->room = room;
	}
	o = calloc(1, sizeof(*o));
	if (!o || !(o->path = strdup(path))) {
		free(o);
		return NULL;
	}
	n->object[n->n++] = o;
	if (n->has_lib && *path == '/')
		open_object(n, o);
	return o;
}

struct nm_identity nm_identify(struct nm *n, const char *path)
{
	struct nm_identity id = {"", 0};
	const struct object *o = object_of(n, path);
	const unsigned char *bits = NULL;
	struct stat st;
	GElf_Addr at;
	int k;

	if (*path == '/' && stat(path, &st) == 0)
		id.bytes = (uint64_t)st.st_size;
	k = o && o->module ? n->lib.dwfl_module_build_id(o->module, &bits, &at) : 0;
	for (int i = 0; i < k && i < (int)sizeof(id.build_id) / 2 - 1; i++)
		snprintf(id.build_id + 2 * i, 3, "%02x", bits[i]);
	return id;
}

bool nm_prefix(struct nm *n, const char *text)
{
	const char *is = strchr(text, '=');

	if (!is || is == text || n->paths.n_prefix == NM_MOST_PREFIXES)
		return false;
	n->paths.prefix[n->paths.n_prefix++] = text;
	return true;
}

void nm_source_dir(struct nm *n, const char *directory)
{
	n->paths.source_dir = directory;
}

void nm_distrust(struct nm *n, const char *path)
{
	struct object *o = object_of(n, path);

	if (o)
		o->is_distrusted = true;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* A text that lives as long as n, which takes it; NULL without memory. */
static const char *keep(struct nm *n, char *text)
{
	if (text && n->n_text == n->room_text) {
		const size_t room = n->room_text ? 2 * n->room_text : 64;
		void *p = realloc(n->text, room * sizeof(*n->text));

		if (!p) {
			free(text);
			return NULL;
		}
		n->text = p;
		n->room_text = room;
	}
	if (text)
		n->text[n->n_text++] = text;
	return text;
}

/* libdw's address of an offset in the file. Returns false where no segment has it. */
static bool address_of(const struct object *o, uint64_t offset, GElf_Addr *out)
{
	for (unsigned i = 0; i < o->n_segment; i++) {
		const struct segment *s = &o->segment[i];

		if (offset < s->off || offset - s->off >= s->bytes)
			continue;
		*out = offset - s->off + s->vaddr + o->bias;
		return true;
	}
	return false;
}

#define RANK_LOCAL 64u
#define RANK_OLD   128u

/* Of several names for one address the one with the lowest rank is shown: global names before
 * weak and local ones, few underscores in front before many, and last an old version's
 * (cfree@GLIBC_2.2.5). */
static uint8_t rank_of(const char *name, const GElf_Sym *sym)
{
	const size_t dashes = strspn(name, "_");
	const unsigned few = dashes < RANK_LOCAL / 2 ? (unsigned)dashes : RANK_LOCAL / 2;
	const uint8_t rank = (uint8_t)(few + (strchr(name, '@') ? RANK_OLD : 0));

	if (GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		return (uint8_t)(RANK_LOCAL + rank);
	return GELF_ST_BIND(sym->st_info) == STB_WEAK ? (uint8_t)(rank + 1) : rank;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *s = a, *t = b;

	if (s->addr != t->addr)
		return s->addr < t->addr ? -1 : 1;
	if (s->rank != t->rank)
		return s->rank > t->rank ? -1 : 1; /* the best one last, where a search ends */
	return strcmp(t->name, s->name);
}

static bool is_code(const GElf_Sym *sym)
{
	const unsigned type = GELF_ST_TYPE(sym->st_info);

	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

/* libdw looks a name up by a walk over all symbols: here they are sorted once. */
static void read_symbols(struct nm *n, struct object *o)
{
	const int all = n->lib.dwfl_module_getsymtab(o->module);

	o->has_symbols = true;
	o->symbol = all > 0 ? calloc((size_t)all, sizeof(*o->symbol)) : NULL;
	for (int i = 1; i < all && o->symbol; i++) {
		GElf_Sym sym;
		GElf_Addr addr, bias;
		GElf_Word section;
		Elf *elf;
		const char *name = n->lib.dwfl_module_getsym_info(o->module, i, &sym, &addr,
								  &section, &elf, &bias);

		if (!name || !*name || section == SHN_UNDEF || section == SHN_ABS || !is_code(&sym))
			continue;
		o->symbol[o->n_symbol++] =
		    (struct symbol){addr, sym.st_size, name, rank_of(name, &sym)};
	}
	if (o->n_symbol)
		qsort(o->symbol, o->n_symbol, sizeof(*o->symbol), by_address);
}

#define MOST_INSIDE 64u /* symbols that may begin inside of a function before the address */

/* The function that has the address, or else the label in front of it. */
static const char *symbol_at(struct nm *n, struct object *o, GElf_Addr addr)
{
	size_t lo = 0, hi;

	if (!o->has_symbols)
		read_symbols(n, o);
	for (hi = o->n_symbol; lo < hi;) {
		const size_t mid = lo + (hi - lo) / 2;

		if (o->symbol[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i > 0 && lo - i < MOST_INSIDE; i--) {
		const struct symbol *s = &o->symbol[i - 1];

		if (s->bytes && addr - s->addr < s->bytes)
			return s->name;
	}
	return lo && !o->symbol[lo - 1].bytes ? o->symbol[lo - 1].name : NULL;
}

/* Where the compiler was told a name below the directory in which it ran. */
static const char *whole_path(struct nm *n, const char *file, const char *directory)
{
	char *path = NULL;

	if (*file == '/' || !directory)
		return file;
	if (asprintf(&path, "%s/%s", directory, file) < 0)
		return file;
	return keep(n, path);
}

/* Files of strangers name functions and files: control characters, which could end a line of a
 * report or move a terminal's cursor, become '?'. */
static const char *plain(struct nm *n, const char *text)
{
	const char *s = text;
	char *copy;

	while (*s && (unsigned char)*s >= ' ' && *s != 0x7f)
		s++;
	if (!*s)
		return text;
	copy = strdup(text);
	for (char *c = copy; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	text = keep(n, copy);
	return text ? text : "?";
}

struct nm_at nm_find(struct nm *n, const char *path, uint64_t offset, bool wants_line)
{
	struct object *o = object_of(n, path);
	struct nm_at at = {NULL, NULL, 0};
	GElf_Addr addr;
	Dwfl_Line *line;
	int number = 0;

	if (!o || !o->module || o->is_distrusted || !address_of(o, offset, &addr))
		return at;
	at.function = symbol_at(n, o, addr);
	if (at.function && n->lib.demangle && at.function[0] == '_' && at.function[1] == 'Z') {
		const char *whole = keep(n, n->lib.demangle(at.function, NULL, NULL, NULL));

		at.function = whole ? whole : at.function;
	}
	at.function = at.function ? plain(n, at.function) : NULL;
	line = wants_line ? n->lib.dwfl_module_getsrc(o->module, addr) : NULL;
	at.file = line ? n->lib.dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
	if (at.file) {
		at.file = whole_path(n, at.file, n->lib.dwfl_line_comp_dir(line));
		at.file = plain(n, nm_paths_here(&n->paths, at.file));
		at.line = number > 0 ? (unsigned)number : 0;
	}
	return at;
}
