/* inside.h -- what the files of this room share: the files whose names were asked for, and their
 * symbols. */
#ifndef SOFTPMU_NAMES_INSIDE_H
#define SOFTPMU_NAMES_INSIDE_H

#include "names/libdw.h"
#include "names/names.h"
#include "names/paths.h"

#define NM_MOST_SEGMENTS 64u
#define NM_MOST_SCOPES	 128 /* around an address */

struct nm_segment {
	uint64_t off, bytes, vaddr;
};

/* A function, or a label without a size. */
struct nm_symbol {
	GElf_Addr addr;
	uint64_t bytes;
	const char *name; /* libdw's, or a kept text */
	uint8_t rank;	  /* of several at one address the lowest is shown */
	bool is_bound;	  /* no name, but where a function without one lies */
	bool is_chooser;  /* it says at the start which function has that name */
};

/* A file whose names were asked for. */
struct nm_object {
	char *path;
	Dwfl *dwfl;
	Dwfl_Module *module; /* NULL: nothing is known of it */
	GElf_Addr bias;
	struct nm_segment segment[NM_MOST_SEGMENTS];
	unsigned n_segment;
	struct nm_symbol *symbol; /* by address; owned */
	size_t n_symbol, room_symbol;
	bool is_distrusted, has_symbols;
	bool has_local;	      /* symbols that only .symtab has */
	struct nm_unit *unit; /* that was asked about; owned by scopes.c */
	size_t n_unit;
};

struct nm {
	struct nm_libdw lib;
	bool has_lib;
	bool shows_inlined;
	const char *sites;	   /* nm_show_sites(); NULL: lines are the innermost ones */
	Dwfl_Callbacks callbacks;  /* libdw keeps their address */
	char *debug_path;	   /* NULL: libdw's own */
	struct nm_object **object; /* owned */
	size_t n, room;
	char **text; /* names that live as long as this; owned */
	size_t n_text, room_text;
	struct nm_paths paths;
};

#define NM_STUB "@plt" /* behind the name of a stub's function */

/* A text that lives as long as n, which takes it; NULL when it is NULL, or without memory. */
const char *nm_keep(struct nm *n, char *text);

/* The name as people write it: C++ and Rust demangled, without control characters. */
const char *nm_plain(struct nm *n, const char *name);

/* ---- symbols.c ------------------------------------------------------------------------------- */

/* The symbol whose range has the address, or else the label in front of it; NULL. */
const struct nm_symbol *nm_symbol_at(struct nm *n, struct nm_object *o, GElf_Addr addr);

/* Put one more behind the others. Does nothing without memory. */
void nm_add_symbol(struct nm_object *o, struct nm_symbol s);

/* The symbol of the list, sorted by address, that has this one; NULL. */
const struct nm_symbol *nm_search(const struct nm_object *o, GElf_Addr addr);

/* ---- plt.c, bounds.c: symbols that no table has ---------------------------------------------- */

/* Stubs of procedure linkage tables: "name@plt". */
void nm_add_stubs(struct nm *n, struct nm_object *o);
/* Functions of which .eh_frame_hdr alone says that they are there: "file+0x1234". The symbols are
 * sorted, and are not afterwards. */
void nm_add_bounds(struct nm *n, struct nm_object *o);

/* ---- scopes.c -------------------------------------------------------------------------------- */

/* The entries around an address up to its function, the innermost first, and those of the unit that
 * they are in. Returns how many. */
int nm_scopes_at(const struct nm_libdw *l, struct nm_object *o, GElf_Addr addr, Dwarf_Die *cu,
		 Dwarf_Die scope[NM_MOST_SCOPES]);
void nm_scopes_free(struct nm_object *o);

/* ---- inlined.c ------------------------------------------------------------------------------- */

/* Where the compiler was told a file below the directory in which it ran: both in one, and as it
 * is here. */
const char *nm_source(struct nm *n, const char *file, const char *directory);

/* The name of the innermost function that is inlined at the address, or NULL: none is. */
const char *nm_inlined(struct nm *n, struct nm_object *o, GElf_Addr addr);

/* Change *at, when it is a line of the system's, to the innermost other one that the address was
 * inlined from, if there is one. */
void nm_go_to_site(struct nm *n, struct nm_object *o, GElf_Addr addr, struct nm_at *at);

#endif
