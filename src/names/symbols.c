/* symbols.c -- the functions of a file: those of its symbol tables, and what plt.c and bounds.c
 * add. */
#include <stdlib.h>
#include <string.h>

#include "names/inside.h"

#define FIRST_ROOM 256u

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
	const struct nm_symbol *s = a, *t = b;

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

static void sort(struct nm_object *o)
{
	if (o->n_symbol)
		qsort(o->symbol, o->n_symbol, sizeof(*o->symbol), by_address);
}

void nm_add_symbol(struct nm_object *o, struct nm_symbol s)
{
	if (o->n_symbol == o->room_symbol) {
		const size_t room = o->room_symbol ? 2 * o->room_symbol : FIRST_ROOM;
		void *p = realloc(o->symbol, room * sizeof(*o->symbol));

		if (!p)
			return;
		o->symbol = p;
		o->room_symbol = room;
	}
	o->symbol[o->n_symbol++] = s;
}

/* libdw looks a name up by a walk over all symbols: here they are sorted once. */
static void read_symbols(struct nm *n, struct nm_object *o)
{
	const int all = n->lib.dwfl_module_getsymtab(o->module);

	o->has_symbols = true;
	for (int i = 1; i < all; i++) {
		GElf_Sym sym;
		GElf_Addr addr, bias;
		GElf_Word section;
		Elf *elf;
		const char *name = n->lib.dwfl_module_getsym_info(o->module, i, &sym, &addr,
								  &section, &elf, &bias);

		if (!name || !*name || section == SHN_UNDEF || section == SHN_ABS || !is_code(&sym))
			continue;
		o->has_local |= GELF_ST_BIND(sym.st_info) == STB_LOCAL;
		nm_add_symbol(o, (struct nm_symbol){.addr = addr,
						    .bytes = sym.st_size,
						    .name = name,
						    .rank = rank_of(name, &sym),
						    .is_chooser = GELF_ST_TYPE(sym.st_info) ==
								  STT_GNU_IFUNC});
	}
	nm_add_stubs(n, o);
	sort(o);
	nm_add_bounds(n, o);
	sort(o);
}

#define MOST_INSIDE 64u /* symbols that may begin inside of a function before the address */

const struct nm_symbol *nm_search(const struct nm_object *o, GElf_Addr addr)
{
	size_t lo = 0, hi;

	for (hi = o->n_symbol; lo < hi;) {
		const size_t mid = lo + (hi - lo) / 2;

		if (o->symbol[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i > 0 && lo - i < MOST_INSIDE; i--) {
		const struct nm_symbol *s = &o->symbol[i - 1];

		if (s->bytes && addr - s->addr < s->bytes)
			return s;
	}
	return lo && !o->symbol[lo - 1].bytes ? &o->symbol[lo - 1] : NULL;
}

const struct nm_symbol *nm_symbol_at(struct nm *n, struct nm_object *o, GElf_Addr addr)
{
	if (!o->has_symbols)
		read_symbols(n, o);
	return nm_search(o, addr);
}
