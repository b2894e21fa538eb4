/* inlined.c -- functions that a compiler inlined: which one an address belongs to, and from where
 * they were called. By the tree of DWARF's debugging information entries.
 *
 * TRUST   debug information may lie: chains have MOST_DEPTH members at most, and a file that is not
 *         in the unit's list is none.
 */
#include <dwarf.h>
#include <string.h>

#include "names/inside.h"

static const char *name_of(struct nm *n, Dwarf_Die *die)
{
	const struct nm_libdw *l = &n->lib;
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (l->dwarf_attr_integrate(die, DW_AT_linkage_name, &attr))
		name = l->dwarf_formstring(&attr);
	name = name ? name : l->dwarf_diename(die);
	return name ? nm_plain(n, name) : NULL;
}

const char *nm_inlined(struct nm *n, struct nm_object *o, GElf_Addr addr)
{
	const char *name = NULL;
	Dwarf_Die cu, scopes[NM_MOST_SCOPES];
	const int count = nm_scopes_at(&n->lib, o, addr, &cu, scopes);

	for (int i = 0; i < count && !name; i++) {
		const int tag = n->lib.dwarf_tag(&scopes[i]);

		if (tag == DW_TAG_subprogram)
			break;
		if (tag == DW_TAG_inlined_subroutine)
			name = name_of(n, &scopes[i]);
	}
	return name;
}

/* GCC, Clang and Go install below /usr or /opt; rustc says /rustc. */
bool nm_is_of_system(const char *file, const char *own)
{
	static const char *const system[] = {"/usr/", "/opt/", "/rustc/", "/lib/"};
	const size_t n = strlen(own);

	if (n && !strncmp(file, own, n) && file[n] == '/')
		return false;
	for (size_t i = 0; i < sizeof(system) / sizeof(system[0]); i++)
		if (!strncmp(file, system[i], strlen(system[i])))
			return true;
	return false;
}

static Dwarf_Word number_of(const struct nm_libdw *l, Dwarf_Die *die, unsigned what)
{
	Dwarf_Attribute attr;
	Dwarf_Word n = 0;

	return l->dwarf_attr(die, what, &attr) && !l->dwarf_formudata(&attr, &n) ? n : 0;
}

/* The file from which an inlined function was called, as it is here; NULL. */
static const char *calling_file(struct nm *n, Dwarf_Die *cu, Dwarf_Die *die)
{
	const struct nm_libdw *l = &n->lib;
	const Dwarf_Word index = number_of(l, die, DW_AT_call_file);
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	const char *file, *directory = NULL;
	size_t count;

	if (l->dwarf_getsrcfiles(cu, &files, &count) || index >= count)
		return NULL;
	file = l->dwarf_filesrc(files, index, NULL, NULL);
	if (l->dwarf_attr(cu, DW_AT_comp_dir, &attr))
		directory = l->dwarf_formstring(&attr);
	return file ? nm_source(n, file, directory) : NULL;
}

void nm_go_to_site(struct nm *n, struct nm_object *o, GElf_Addr addr, struct nm_at *at)
{
	Dwarf_Die cu, scopes[NM_MOST_SCOPES];
	int count;

	if (!nm_is_of_system(at->file, n->sites))
		return;
	count = nm_scopes_at(&n->lib, o, addr, &cu, scopes);
	for (int i = 0; i < count; i++) {
		const int tag = n->lib.dwarf_tag(&scopes[i]);
		const char *file;

		if (tag == DW_TAG_subprogram)
			break;
		file = tag == DW_TAG_inlined_subroutine ? calling_file(n, &cu, &scopes[i]) : NULL;
		if (!file || nm_is_of_system(file, n->sites))
			continue;
		at->file = file;
		at->line = (unsigned)number_of(&n->lib, &scopes[i], DW_AT_call_line);
		break;
	}
}
