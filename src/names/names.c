/* names.c -- opens a file once, and asks its symbols and its DWARF for names. Rules: names.h. */
#include "names/names.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "names/inside.h"

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
		nm_scopes_free(n->object[i]);
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

static void read_segments(struct nm *n, struct nm_object *o)
{
	Elf *elf = n->lib.dwfl_module_getelf(o->module, &o->bias);
	size_t count = 0;

	if (!elf || n->lib.elf_getphdrnum(elf, &count))
		return;
	for (size_t i = 0; i < count && o->n_segment < NM_MOST_SEGMENTS; i++) {
		GElf_Phdr p;

		if (n->lib.gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD)
			o->segment[o->n_segment++] =
			    (struct nm_segment){p.p_offset, p.p_filesz, p.p_vaddr};
	}
}

static void open_object(struct nm *n, struct nm_object *o)
{
	char here[PATH_MAX];
	const char *path;

	o->dwfl = n->lib.dwfl_begin(&n->callbacks);
	path = nm_paths_object(&n->paths, o->path, here, sizeof(here));
	o->module = o->dwfl ? n->lib.dwfl_report_offline(o->dwfl, path, path, -1) : NULL;
	if (o->dwfl)
		n->lib.dwfl_report_end(o->dwfl, NULL, NULL);
	if (o->module)
		read_segments(n, o);
}

static struct nm_object *object_of(struct nm *n, const char *path)
{
	struct nm_object *o;

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
	const struct nm_object *o = object_of(n, path);
	const unsigned char *bits = NULL;
	char here[PATH_MAX];
	struct stat st;
	GElf_Addr at;
	int k;

	if (*path == '/' && stat(nm_paths_object(&n->paths, path, here, sizeof(here)), &st) == 0)
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

void nm_show_inlined(struct nm *n)
{
	n->shows_inlined = true;
}

void nm_show_sites(struct nm *n, const char *own)
{
	n->sites = own;
}

void nm_source_dir(struct nm *n, const char *directory)
{
	n->paths.source_dir = directory;
}

bool nm_is_stripped(struct nm *n, const char *path)
{
	struct nm_object *o = object_of(n, path);

	if (!o || !o->module)
		return false;
	nm_symbol_at(n, o, 0); /* reads them */
	return !o->has_local;
}

void nm_distrust(struct nm *n, const char *path)
{
	struct nm_object *o = object_of(n, path);

	if (o)
		o->is_distrusted = true;
}

/* ---- names ----------------------------------------------------------------------------------- */

const char *nm_keep(struct nm *n, char *text)
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
static bool address_of(const struct nm_object *o, uint64_t offset, GElf_Addr *out)
{
	for (unsigned i = 0; i < o->n_segment; i++) {
		const struct nm_segment *s = &o->segment[i];

		if (offset < s->off || offset - s->off >= s->bytes)
			continue;
		*out = offset - s->off + s->vaddr + o->bias;
		return true;
	}
	return false;
}

/* The offset in the file of libdw's address. Returns false where no segment has it. */
static bool offset_of(const struct nm_object *o, GElf_Addr addr, uint64_t *out)
{
	for (unsigned i = 0; i < o->n_segment; i++) {
		const struct nm_segment *s = &o->segment[i];

		*out = addr - o->bias - s->vaddr;
		if (*out < s->bytes) {
			*out += s->off;
			return true;
		}
	}
	return false;
}

/* Files of strangers name functions and files: control characters, which could end a line of a
 * report or move a terminal's cursor, become '?'. */
static const char *without_control(struct nm *n, const char *text)
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
	text = nm_keep(n, copy);
	return text ? text : "?";
}

/* The name of a function, or of the stub that calls it. */
static char *demangled(const struct nm *n, const char *name)
{
	const char *stub = strstr(name, NM_STUB);
	char *linker = stub ? strndup(name, (size_t)(stub - name)) : NULL, *plain, *text = NULL;

	if (!stub)
		return n->lib.demangle(name, NULL, NULL, NULL);
	plain = linker ? n->lib.demangle(linker, NULL, NULL, NULL) : NULL;
	if (plain && asprintf(&text, "%s%s", plain, stub) < 0)
		text = NULL;
	free(plain);
	free(linker);
	return text;
}

const char *nm_plain(struct nm *n, const char *name)
{
	const char *whole = NULL;

	if (n->lib.demangle && name[0] == '_' && name[1] == 'Z')
		whole = nm_keep(n, demangled(n, name));
	return without_control(n, whole ? whole : name);
}

const char *nm_source(struct nm *n, const char *file, const char *directory)
{
	char *path = NULL;

	if (*file != '/' && directory && asprintf(&path, "%s/%s", directory, file) >= 0) {
		const char *kept = nm_keep(n, path);

		file = kept ? kept : file;
	}
	return without_control(n, nm_paths_here(&n->paths, file));
}

/* The name of the innermost inlined function, with that it is one behind it; or NULL. */
static const char *inlined_name(struct nm *n, struct nm_object *o, GElf_Addr addr)
{
	const char *name = n->shows_inlined ? nm_inlined(n, o, addr) : NULL;
	char *text = NULL;

	return name && asprintf(&text, "%s (inlined)", name) >= 0 ? nm_keep(n, text) : NULL;
}

struct nm_at nm_find(struct nm *n, const char *path, uint64_t offset, bool wants_line)
{
	struct nm_object *o = object_of(n, path);
	struct nm_at at = {.function = NULL, .begin = offset, .address = offset};
	const struct nm_symbol *symbol;
	GElf_Addr addr;
	Dwfl_Line *line;
	int number = 0;

	if (!o || !o->module || o->is_distrusted || !address_of(o, offset, &addr))
		return at;
	at.address = addr - o->bias;
	symbol = nm_symbol_at(n, o, addr);
	at.symbol = symbol ? nm_plain(n, symbol->name) : NULL;
	if (symbol)
		at.begin = offset - (addr - symbol->addr);
	at.function = inlined_name(n, o, addr);
	at.function = at.function ? at.function : at.symbol;
	line = wants_line ? n->lib.dwfl_module_getsrc(o->module, addr) : NULL;
	at.file = line ? n->lib.dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
	if (at.file) {
		at.file = nm_source(n, at.file, n->lib.dwfl_line_comp_dir(line));
		at.line = number > 0 ? (unsigned)number : 0;
	}
	if (at.file && n->sites)
		nm_go_to_site(n, o, addr, &at);
	return at;
}

void nm_functions(struct nm *n, const char *path,
		  void (*take)(void *ctx, const char *plain, const char *linker, uint64_t offset),
		  void *ctx)
{
	struct nm_object *o = object_of(n, path);
	uint64_t offset;

	if (!o || !o->module)
		return;
	nm_symbol_at(n, o, 0); /* reads them */
	for (size_t i = 0; i < o->n_symbol; i++)
		if (!o->symbol[i].is_chooser && offset_of(o, o->symbol[i].addr, &offset))
			take(ctx, nm_plain(n, o->symbol[i].name), o->symbol[i].name, offset);
}
