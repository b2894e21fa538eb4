/* scopes.c -- which functions, inlined ones too, lie around an address: by the tree of DWARF's
 * debugging information entries, of which each unit is walked once.
 *
 * RULE    the ranges of a unit's functions are kept, sorted by address. From the function that has
 *         an address the way goes down along the entries that have it, so that an address costs
 *         what its own function has in it, and not what the unit has.
 * TRUST   debug information may lie: a unit has MOST_ENTRIES at most, and what lies deeper than
 *         NM_MOST_SCOPES is left out.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "names/inside.h"

#define MOST_ENTRIES  (1u << 22)
#define MOST_CHILDREN (1u << 16) /* of an entry, that are asked for an address */
#define MOST_INSIDE   16u	 /* functions that may lie inside of one before the address */
#define FIRST_ROOM    64u

/* The ranges of functions of a unit. */
struct range {
	Dwarf_Addr low, high;
	Dwarf_Die function;
};

struct nm_unit {
	const void *at; /* libdw's address of the unit's entry */
	struct range *range;
	size_t n, room;
	unsigned n_entry; /* that were walked */
};

static void add_range(struct nm_unit *u, const Dwarf_Die *function, Dwarf_Addr low, Dwarf_Addr high)
{
	if (u->n == u->room) {
		const size_t room = u->room ? 2 * u->room : FIRST_ROOM;
		void *p = realloc(u->range, room * sizeof(*u->range));

		if (!p)
			return;
		u->range = p;
		u->room = room;
	}
	u->range[u->n++] = (struct range){low, high, *function};
}

/* Collect the functions below an entry. */
static void collect(const struct nm_libdw *l, struct nm_unit *u, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth == NM_MOST_SCOPES || l->dwarf_child(parent, &die))
		return;
	do {
		Dwarf_Addr base, low, high;
		ptrdiff_t at = 0;

		if (u->n_entry++ == MOST_ENTRIES)
			return;
		if (l->dwarf_tag(&die) == DW_TAG_subprogram)
			while ((at = l->dwarf_ranges(&die, at, &base, &low, &high)) > 0)
				add_range(u, &die, low, high);
		collect(l, u, &die, depth + 1);
	} while (u->n_entry < MOST_ENTRIES && !l->dwarf_siblingof(&die, &die));
}

static int by_address(const void *a, const void *b)
{
	const struct range *s = a, *t = b;

	if (s->low != t->low)
		return s->low < t->low ? -1 : 1;
	return s->high > t->high ? -1 : s->high < t->high; /* the inner one last */
}

/* The unit's functions, read when they are asked for first; NULL without memory. */
static const struct nm_unit *unit_of(const struct nm_libdw *l, struct nm_object *o, Dwarf_Die *cu)
{
	struct nm_unit *u;
	void *p;

	for (size_t i = 0; i < o->n_unit; i++)
		if (o->unit[i].at == cu->addr)
			return &o->unit[i];
	p = realloc(o->unit, (o->n_unit + 1) * sizeof(*o->unit));
	if (!p)
		return NULL;
	o->unit = p;
	u = &o->unit[o->n_unit++];
	*u = (struct nm_unit){.at = cu->addr};
	collect(l, u, cu, 0);
	if (u->n)
		qsort(u->range, u->n, sizeof(*u->range), by_address);
	return u;
}

/* The function that has the address; NULL. */
static const Dwarf_Die *function_at(const struct nm_unit *u, Dwarf_Addr addr)
{
	size_t lo = 0, hi = u->n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (u->range[mid].low <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i > 0 && lo - i < MOST_INSIDE; i--)
		if (addr < u->range[i - 1].high)
			return &u->range[i - 1].function;
	return NULL;
}

/* The child of an entry that has the address. */
static bool go_down(const struct nm_libdw *l, const Dwarf_Die *parent, Dwarf_Addr addr,
		    Dwarf_Die *out)
{
	Dwarf_Die above = *parent;
	unsigned n = 0;

	if (l->dwarf_child(&above, out))
		return false;
	do {
		if (l->dwarf_haspc(out, addr) > 0)
			return true;
	} while (n++ < MOST_CHILDREN && !l->dwarf_siblingof(out, out));
	return false;
}

int nm_scopes_at(const struct nm_libdw *l, struct nm_object *o, GElf_Addr addr, Dwarf_Die *cu,
		 Dwarf_Die scope[NM_MOST_SCOPES])
{
	const struct nm_unit *unit;
	const Dwarf_Die *function;
	GElf_Addr bias;
	int n = 0;
	Dwarf_Die *die = l->dwfl_module_addrdie(o->module, addr, &bias);

	if (!die)
		return 0;
	*cu = *die;
	unit = unit_of(l, o, cu);
	function = unit ? function_at(unit, addr - bias) : NULL;
	if (!function)
		return 0;
	scope[n++] = *function;
	while (n < NM_MOST_SCOPES && go_down(l, &scope[n - 1], addr - bias, &scope[n]))
		n++;
	for (int i = 0; i < n / 2; i++) { /* the innermost first */
		const Dwarf_Die one = scope[i];

		scope[i] = scope[n - 1 - i];
		scope[n - 1 - i] = one;
	}
	return n;
}

void nm_scopes_free(struct nm_object *o)
{
	for (size_t i = 0; i < o->n_unit; i++)
		free(o->unit[i].range);
	free(o->unit);
}
