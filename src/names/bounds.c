/* bounds.c -- functions of stripped code: where .eh_frame_hdr says that one begins, it is one,
 * "libx.so+0x1234".
 *
 * RULE           a function reaches to the next begin, at most MOST_FUNCTION bytes; a begin that
 *                lies in a symbol is none of its own, and gives a label there its size.
 * NOT MODELLED   tables that are not of the one kind that linkers write (4 bytes, relative to the
 *                table); parts of one function that begin elsewhere (.cold) are their own.
 * SOURCES        Linux Standard Base Core 5.0, 10.6.2 "The .eh_frame_hdr section".
 */
#include <stdio.h>
#include <string.h>

#include "names/inside.h"

#define HEAD	      12u
#define UDATA4	      0x03
#define DATAREL_4     0x3b
#define MOST_BOUNDS   (1u << 20)
#define MOST_FUNCTION (1u << 20)
#define RANK_BOUND    255u

static int32_t number_at(const uint8_t *bytes)
{
	int32_t n;

	memcpy(&n, bytes, sizeof(n));
	return n;
}

static void add(struct nm *n, struct nm_object *o, GElf_Addr begin, uint64_t bytes)
{
	const char *slash = strrchr(o->path, '/'), *name;
	char *text = NULL;

	if (asprintf(&text, "%s+0x%llx", slash ? slash + 1 : o->path, (unsigned long long)begin) <
	    0)
		return;
	name = nm_keep(n, text);
	if (name)
		nm_add_symbol(
		    o, (struct nm_symbol){begin + o->bias, bytes, name, RANK_BOUND, true, false});
}

/* Has one of the first n symbols, which are sorted, the address? A label without a size that lies
 * right there gets this one. */
static bool is_known(struct nm_object *o, size_t n, GElf_Addr addr, uint64_t bytes)
{
	struct nm_object known = *o;
	const struct nm_symbol *s;

	known.n_symbol = n;
	s = nm_search(&known, addr);
	if (!s || s->bytes)
		return s != NULL;
	if (s->addr != addr)
		return false;
	o->symbol[s - known.symbol].bytes = bytes;
	return true;
}

/* The entries of a table: pairs of where a function begins and where its frame is told. */
static void read_table(struct nm *n, struct nm_object *o, const uint8_t *bytes, size_t size,
		       GElf_Addr at)
{
	const size_t there = o->n_symbol;
	uint32_t count;

	if (size < HEAD || bytes[0] != 1 || bytes[2] != UDATA4 || bytes[3] != DATAREL_4)
		return;
	count = (uint32_t)number_at(bytes + 8);
	if (count > (size - HEAD) / 8 || count > MOST_BOUNDS)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *entry = bytes + HEAD + 8 * (size_t)i;
		const int64_t begin = number_at(entry);
		const int64_t next = i + 1 < count ? number_at(entry + 8) : begin + MOST_FUNCTION;
		const uint64_t reach =
		    (uint64_t)(next - begin < MOST_FUNCTION ? next - begin : MOST_FUNCTION);
		const GElf_Addr addr = at + (GElf_Addr)begin;

		if (next > begin && !is_known(o, there, addr + o->bias, reach))
			add(n, o, addr, reach);
	}
}

void nm_add_bounds(struct nm *n, struct nm_object *o)
{
	const struct nm_libdw *l = &n->lib;
	GElf_Addr bias;
	Elf *elf = l->dwfl_module_getelf(o->module, &bias);
	Elf_Scn *scn = NULL;
	size_t names;

	if (!elf || l->elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = l->elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		Elf_Data *data;
		const char *name = l->gelf_getshdr(scn, &header)
				       ? l->elf_strptr(elf, names, header.sh_name)
				       : NULL;

		if (!name || strcmp(name, ".eh_frame_hdr"))
			continue;
		data = l->elf_getdata(scn, NULL);
		if (data && data->d_buf)
			read_table(n, o, data->d_buf, data->d_size, header.sh_addr);
		return;
	}
}
