#include "names/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "names/libdw.h"

#define MOST_SEGMENTS 64u

struct segment {
	uint64_t off, bytes, vaddr;
};

/* A file whose names were asked for. */
struct object {
	char *path;
	Dwfl *dwfl;
	Dwfl_Module *module; /* NULL: nothing is known of it */
	GElf_Addr bias;
	struct segment segment[MOST_SEGMENTS];
	unsigned n_segment;
	bool is_distrusted;
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
		free(n->object[i]->path);
		free(n->object[i]);
	}
	for (size_t i = 0; i < n->n_text; i++)
		free(n->text[i]);
	free(n->text);
	free(n->object);
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

struct nm_at nm_find(struct nm *n, const char *path, uint64_t offset, bool wants_line)
{
	struct object *o = object_of(n, path);
	struct nm_at at = {NULL, NULL, 0};
	GElf_Addr addr;
	GElf_Off into;
	GElf_Sym sym;
	Dwfl_Line *line;
	int number = 0;

	if (!o || !o->module || o->is_distrusted || !address_of(o, offset, &addr))
		return at;
	at.function = n->lib.dwfl_module_addrinfo(o->module, addr, &into, &sym, NULL, NULL, NULL);
	if (at.function && n->lib.demangle && at.function[0] == '_' && at.function[1] == 'Z') {
		const char *plain = keep(n, n->lib.demangle(at.function, NULL, NULL, NULL));

		at.function = plain ? plain : at.function;
	}
	line = wants_line ? n->lib.dwfl_module_getsrc(o->module, addr) : NULL;
	at.file = line ? n->lib.dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
	if (at.file) {
		at.file = whole_path(n, at.file, n->lib.dwfl_line_comp_dir(line));
		at.line = number > 0 ? (unsigned)number : 0;
	}
	return at;
}
