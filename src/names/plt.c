/* plt.c -- names of the stubs by which code calls functions of other files: "name@plt".
 *
 * RULE           a stub is an entry of a section .plt, .plt.sec or .plt.got that has a jump through
 *                a slot; the slot's relocation names the function.
 * NOT MODELLED   stubs without such a section (another linker's); those of IFUNCs of the file
 *                itself, and the common part of .plt, which are "[plt]".
 * SOURCES        System V ABI, AMD64 supplement 1.0, 5.2 "Procedure Linkage Table"; Intel386
 *                supplement 1.0, the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/inside.h"

#define MOST_SLOTS 65536u
#define MOST_STUBS 65536u
#define RANK_STUB  255u /* any other name for the place is better */

/* Where the address of a function stands. */
struct slot {
	GElf_Addr addr;
	const char *name; /* of its relocation; libelf's */
};

struct slots {
	struct slot *slot; /* by address */
	size_t n, room;
};

/* ---- slots ----------------------------------------------------------------------------------- */

static void add_slot(struct slots *s, GElf_Addr addr, const char *name)
{
	if (!name || !*name || s->n == MOST_SLOTS)
		return;
	if (s->n == s->room) {
		const size_t room = s->room ? 2 * s->room : 256;
		void *p = realloc(s->slot, room * sizeof(*s->slot));

		if (!p)
			return;
		s->slot = p;
		s->room = room;
	}
	s->slot[s->n++] = (struct slot){addr, name};
}

/* The name of symbol `index` of the table that the section of relocations links to. */
static const char *name_of(const struct nm_libdw *l, Elf *elf, const GElf_Shdr *relocations,
			   size_t index)
{
	Elf_Scn *table = index ? l->elf_getscn(elf, relocations->sh_link) : NULL;
	Elf_Data *data = table ? l->elf_getdata(table, NULL) : NULL;
	GElf_Shdr header;
	GElf_Sym sym;

	if (!data || !l->gelf_getshdr(table, &header) || !l->gelf_getsym(data, (int)index, &sym))
		return NULL;
	return l->elf_strptr(elf, header.sh_link, sym.st_name);
}

static void read_slots(const struct nm_libdw *l, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header,
		       struct slots *s)
{
	const uint64_t each = header->sh_entsize ? header->sh_entsize : 1;
	Elf_Data *data = l->elf_getdata(scn, NULL);
	const size_t n = data ? data->d_size / each : 0;

	for (size_t i = 0; i < n && i < MOST_SLOTS; i++) {
		GElf_Rela a;
		GElf_Rel r;

		if (header->sh_type == SHT_RELA && l->gelf_getrela(data, (int)i, &a))
			add_slot(s, a.r_offset, name_of(l, elf, header, GELF_R_SYM(a.r_info)));
		else if (header->sh_type == SHT_REL && l->gelf_getrel(data, (int)i, &r))
			add_slot(s, r.r_offset, name_of(l, elf, header, GELF_R_SYM(r.r_info)));
	}
}

static int by_address(const void *a, const void *b)
{
	const struct slot *s = a, *t = b;

	return s->addr < t->addr ? -1 : s->addr > t->addr;
}

/* ---- stubs ----------------------------------------------------------------------------------- */

/* The slot that a jump of the stub reads; 0: it has none. got: what ebx holds in 32-bit code. */
static GElf_Addr slot_of(const uint8_t *code, size_t n, GElf_Addr at, bool is_32, GElf_Addr got)
{
	for (size_t i = 0; i + 6 <= n; i++) {
		int32_t disp;

		if (code[i] != 0xff || (code[i + 1] != 0x25 && code[i + 1] != 0xa3))
			continue;
		memcpy(&disp, code + i + 2, sizeof(disp));
		if (!is_32)
			return code[i + 1] == 0x25 ? at + i + 6 + (GElf_Addr)(int64_t)disp : 0;
		return code[i + 1] == 0x25 ? (uint32_t)disp : (uint32_t)(got + (uint32_t)disp);
	}
	return 0;
}

static void add_stub(struct nm *n, struct nm_object *o, GElf_Addr at, uint64_t bytes,
		     const struct slot *slot)
{
	const char *name = "[plt]";
	char *text = NULL;

	if (slot && asprintf(&text, "%s" NM_STUB, slot->name) >= 0)
		name = nm_keep(n, text);
	if (name)
		nm_add_symbol(
		    o, (struct nm_symbol){at + o->bias, bytes, name, RANK_STUB, false, false});
}

/* All stubs of a section. */
static void read_stubs(struct nm *n, struct nm_object *o, Elf_Scn *scn, const GElf_Shdr *header,
		       const struct slots *s, bool is_32, GElf_Addr got)
{
	Elf_Data *data = n->lib.elf_getdata(scn, NULL);
	const size_t each =
	    header->sh_entsize >= 8 && header->sh_entsize <= 64 ? (size_t)header->sh_entsize : 16;

	for (size_t i = 0; data && data->d_buf && i + each <= data->d_size && i / each < MOST_STUBS;
	     i += each) {
		const struct slot want = {slot_of((const uint8_t *)data->d_buf + i, each,
						  header->sh_addr + i, is_32, got),
					  NULL};
		const struct slot *slot =
		    s->n ? bsearch(&want, s->slot, s->n, sizeof(want), by_address) : NULL;

		add_stub(n, o, header->sh_addr + i, each, slot);
	}
}

void nm_add_stubs(struct nm *n, struct nm_object *o)
{
	const struct nm_libdw *l = &n->lib;
	GElf_Addr bias, got = 0;
	Elf *elf = l->dwfl_module_getelf(o->module, &bias);
	struct slots s = {NULL, 0, 0};
	Elf_Scn *scn = NULL;
	GElf_Ehdr ehdr;
	size_t names;

	if (!elf || !l->gelf_getehdr(elf, &ehdr) || l->elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = l->elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		const char *name;

		if (!l->gelf_getshdr(scn, &header) || !(header.sh_flags & SHF_ALLOC))
			continue;
		name = l->elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, ".got.plt"))
			got = header.sh_addr;
		if (header.sh_type == SHT_RELA || header.sh_type == SHT_REL)
			read_slots(l, elf, scn, &header, &s);
	}
	if (s.n)
		qsort(s.slot, s.n, sizeof(*s.slot), by_address);
	while ((scn = l->elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		const char *name = l->gelf_getshdr(scn, &header)
				       ? l->elf_strptr(elf, names, header.sh_name)
				       : NULL;

		if (name && header.sh_type == SHT_PROGBITS && !strncmp(name, ".plt", 4))
			read_stubs(n, o, scn, &header, &s, ehdr.e_machine == EM_386, got);
	}
	free(s.slot);
}
