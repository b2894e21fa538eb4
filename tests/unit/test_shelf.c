/* test_shelf.c -- a block taken from the shelf is what emitting it in that place would have given,
 * byte by byte; and nothing is taken that was made of other bytes. The code is the C library's,
 * entered anywhere, so that all kinds of instructions and of nonsense come up. */
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/error.h"
#include "translate/internal.h"

#define N_PAGES 24u
#define STEP	61u /* bytes between entries */
#define LOW	0x18000000ull
#define FAR	0x7f1234500000ull

struct space {
	uint8_t *code;
	struct shr_tables *tables;
	struct x86_store *store;
	struct xlt *x;
};

static void *memory(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_true(p != MAP_FAILED);
	return p;
}

static void open_space(struct space *s, struct xlt_config cfg, struct xlt_shelf *shelf)
{
	s->code = memory(SHR_CODE_BYTES);
	s->tables = memory(SHR_TAB_BYTES);
	assert_int_equal(x86_store_open(&s->store), 0);
	cfg.code = s->code;
	cfg.tables = s->tables;
	cfg.store = s->store;
	cfg.shelf = shelf;
	assert_int_equal(xlt_open(&cfg, &s->x), 0);
}

static void close_space(struct space *s)
{
	xlt_close(s->x);
	x86_store_close(s->store);
	munmap(s->code, SHR_CODE_BYTES);
	munmap(s->tables, SHR_TAB_BYTES);
}

/* The executable pages of the C library. */
static int find_text(struct dl_phdr_info *info, size_t size, void *out)
{
	const uint8_t **text = out;

	if (!strstr(info->dlpi_name, "libc.so"))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
			*text = (const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return 1;
}

/* Page number i of what is translated: spread over the library. */
static const uint8_t *page_bytes(unsigned i)
{
	const uint8_t *text = NULL;

	dl_iterate_phdr(find_text, &text);
	assert_non_null(text);
	return text + (size_t)(i / 2 * 12 + i % 2) * XLT_PAGE_BYTES;
}

static void add_pages(struct xlt *x, uint64_t base)
{
	for (unsigned i = 0; i < N_PAGES; i++)
		assert_int_equal(xlt_add_page(x, base + i * XLT_PAGE_BYTES, 0, page_bytes(i)), 0);
}

static const uint8_t *source(void *ctx, uint64_t page_addr)
{
	struct xlt_page *p = xlt_find_page(ctx, page_addr);

	return p ? p->bytes : NULL;
}

/* Emit the block at pc as translate.c would. */
static int emit(struct xlt *x, uint64_t pc, enum xlt_entry entry, uint32_t *id)
{
	struct x86_code_source src = {.page = source, .ctx = x};
	struct x86_build_limits lim = {.max_insns = X86_MAX_INSNS,
				       .has_slots = x->cfg.tier == SHR_TIER_STREAM,
				       .has_assists = x->cfg.has_assists};
	int rc;

	x->open_fall = XLT_NONE;
	do {
		rc = x86_block_build(x->builder, pc, &src, &lim);
		if (rc)
			return rc;
		rc = xlt_emit_block(x, false, entry, id);
		lim.max_insns = x->builder->block.n_insn / 2u;
	} while (rc == -SPMU_EINVAL && lim.max_insns);
	return rc;
}

/* Put everything that may be different for a good reason out of the way: jumps that are linked or
 * not. */
static void unlink_all(struct xlt *x, uint32_t first_exit)
{
	for (uint32_t i = first_exit; i < x->n_exit; i++)
		if (x->exit[i].patch_off != XLT_NONE)
			emit_patch(x->out.base, x->exit[i].patch_off, x->exit[i].stub_off);
}

/* The block at pc, from the shelf into `got` and by emission at the same place into `want`. */
static void compare(struct xlt *got, struct xlt *want, uint64_t pc)
{
	const uint32_t hot = got->out.off, cold = got->cold.off, exit = got->n_exit,
		       recover = got->n_recover;
	const struct shr_block *a, *b;
	uint32_t id, id2;

	got->open_fall = XLT_NONE;
	assert_int_equal(xlt_take_from_shelf(got, pc, &id), 1);
	a = &got->cfg.tables->block[id];
	want->out.off = hot;
	want->cold.off = cold;
	want->n_exit = exit;
	want->n_recover = recover;
	want->n_block = id;
	assert_int_equal(
	    emit(want, pc, xlt_map_find(got, pc)->main_off == hot ? XLT_ENTRY_COLD : XLT_ENTRY_HOT,
		 &id2),
	    0);
	b = &want->cfg.tables->block[id];
	assert_int_equal(id, id2);
	assert_memory_equal(a, b, sizeof(*a));
	assert_int_equal(got->out.off, want->out.off);
	assert_int_equal(got->cold.off, want->cold.off);
	assert_int_equal(got->n_exit, want->n_exit);
	assert_int_equal(got->n_recover, want->n_recover);
	assert_int_equal(got->counted_at[id], want->counted_at[id]);
	assert_int_equal(got->open_fall, want->open_fall);
	unlink_all(got, exit);
	unlink_all(want, exit);
	assert_memory_equal(got->out.base + hot, want->out.base + hot, want->out.off - hot);
	assert_memory_equal(got->out.base + cold, want->out.base + cold, want->cold.off - cold);
	assert_memory_equal(&got->cfg.tables->exit[exit], &want->cfg.tables->exit[exit],
			    (want->n_exit - exit) * sizeof(struct shr_exit));
	assert_memory_equal(&got->cfg.tables->recover[recover], &want->cfg.tables->recover[recover],
			    (want->n_recover - recover) * sizeof(struct shr_recover));
	for (uint32_t i = exit; i < want->n_exit; i++) {
		assert_int_equal(got->exit[i].target, want->exit[i].target);
		assert_int_equal(got->exit[i].patch_off, want->exit[i].patch_off);
		if (want->exit[i].patch_off != XLT_NONE)
			assert_int_equal(got->exit[i].stub_off, want->exit[i].stub_off);
	}
}

/* Two address spaces that share a shelf, and one that has none. */
static unsigned compare_all(const struct xlt_config *cfg, uint64_t base, bool has_quantum)
{
	struct space from, got, want;
	struct xlt_shelf *shelf;
	unsigned n = 0;
	uint32_t id;

	assert_int_equal(xlt_shelf_open(&shelf), 0);
	open_space(&from, *cfg, shelf);
	open_space(&got, *cfg, shelf);
	open_space(&want, *cfg, NULL);
	from.x->has_quantum = got.x->has_quantum = want.x->has_quantum = has_quantum;
	add_pages(got.x, base); /* before there is anything to take */
	for (uint64_t pc = base + N_PAGES * XLT_PAGE_BYTES / 2;
	     pc < base + N_PAGES * XLT_PAGE_BYTES; pc += 997)
		emit(got.x, pc + 1, XLT_ENTRY_HOT, &id); /* so that nothing lies where it lay */
	xlt_start_sharing(from.x);
	add_pages(from.x, base);
	add_pages(from.x, base); /* met again: now they are kept */
	for (uint64_t pc = base; pc < base + N_PAGES * XLT_PAGE_BYTES; pc += STEP) {
		n += emit(from.x, pc, pc / STEP % 2 ? XLT_ENTRY_HOT : XLT_ENTRY_COLD, &id) == 0;
	}
	xlt_start_sharing(got.x);
	for (unsigned i = 0; i < N_PAGES; i++) { /* sent before there was anything to take */
		struct xlt_page *p = xlt_find_page(got.x, base + i * XLT_PAGE_BYTES);

		p->shelf = xlt_shelf_page(shelf, p->addr, xlt_shelf_kind(got.x), p->bytes);
	}
	add_pages(want.x, base);
	for (uint32_t i = 0; i < from.x->n_block; i++)
		if (!xlt_map_find(got.x, from.tables->block[i].pc))
			compare(got.x, want.x, from.tables->block[i].pc);
	close_space(&want);
	close_space(&got);
	close_space(&from);
	xlt_shelf_close(shelf);
	return n;
}

static void test_counts(void **state)
{
	const struct xlt_config cfg = {.tier = SHR_TIER_COUNT, .has_taken = true};

	assert_true(compare_all(&cfg, LOW, false) > 500);
	assert_true(compare_all(&cfg, FAR, true) > 500);
}

static void test_stream(void **state)
{
	const struct xlt_config cfg = {.tier = SHR_TIER_STREAM};

	assert_true(compare_all(&cfg, LOW, true) > 500);
	assert_true(compare_all(&cfg, FAR, false) > 500);
}

static void test_assists(void **state)
{
	const struct xlt_config cfg = {.tier = SHR_TIER_STREAM, .has_assists = true};

	assert_true(compare_all(&cfg, LOW, false) > 500);
}

static void test_32_bits(void **state)
{
	struct xlt_config cfg = {.tier = SHR_TIER_STREAM, .has_assists = true, .mode = X86_MODE_32};

	assert_true(compare_all(&cfg, LOW, true) > 500);
	cfg = (struct xlt_config){.tier = SHR_TIER_COUNT, .mode = X86_MODE_32};
	assert_true(compare_all(&cfg, LOW, false) > 500);
	assert_true(compare_all(&cfg, LOW, true) > 500);
}

static void send(struct space *s, uint8_t (*page)[XLT_PAGE_BYTES], uint32_t flags)
{
	for (unsigned i = 0; i < 2;
	     i++) /* the second first: what begins in the other may go on there */
		assert_int_equal(
		    xlt_add_page(s->x, LOW + (1 - i) * XLT_PAGE_BYTES, flags, page[1 - i]), 0);
}

/* A block that goes on in a second page: it is taken where all of its bytes are the same, and
 * nowhere else. */
static void test_other_bytes(void **state)
{
	static const uint8_t code[] = {0xb8, 1, 0, 0, 0, 0xc3}; /* mov eax, 1; ret */
	const uint64_t pc = LOW + XLT_PAGE_BYTES - 2;
	const struct xlt_config cfg = {.tier = SHR_TIER_COUNT};
	uint8_t page[2][XLT_PAGE_BYTES] = {{0}}, *bytes = (uint8_t *)page + XLT_PAGE_BYTES - 2;
	struct xlt_shelf *shelf;
	struct space from, got;
	uint32_t id;

	assert_int_equal(xlt_shelf_open(&shelf), 0);
	open_space(&from, cfg, shelf);
	open_space(&got, cfg, shelf);
	xlt_start_sharing(from.x);
	xlt_start_sharing(got.x);
	memcpy(bytes, code, sizeof(code));
	send(&from, page, 0);
	assert_null(xlt_find_page(from.x, LOW)->shelf); /* met for the first time */
	send(&from, page, 0);
	assert_int_equal(emit(from.x, pc, XLT_ENTRY_HOT, &id), 0);
	assert_int_equal(xlt_find_page(from.x, LOW)->shelf->n, 1);
	for (unsigned i = 0; i < 2; i++) {
		page[i][100]++; /* a byte that is not the block's */
		send(&got, page, 0);
		assert_int_equal(xlt_take_from_shelf(got.x, pc, &id),
				 i); /* 0: the page where it begins is another */
		assert_int_equal(xlt_map_find(got.x, pc) != NULL, i);
		page[i][100]--;
		xlt_invalidate(got.x, LOW, 2 * XLT_PAGE_BYTES);
	}
	bytes[2]++; /* the block's, in its second page */
	send(&got, page, 0);
	assert_int_equal(xlt_take_from_shelf(got.x, pc, &id), 0);
	bytes[2]--;
	xlt_invalidate(got.x, LOW, 2 * XLT_PAGE_BYTES);
	send(&got, page, REQ_PAGE_WRITABLE); /* nothing to do with the shelf */
	assert_int_equal(xlt_take_from_shelf(got.x, pc, &id), 0);
	xlt_invalidate(got.x, LOW, 2 * XLT_PAGE_BYTES);
	send(&got, page, 0);
	assert_int_equal(xlt_take_from_shelf(got.x, pc, &id), 1);
	close_space(&got);
	close_space(&from);
	xlt_shelf_close(shelf);
}

/* A full shelf takes nothing more, and what is there stays. */
static void test_full(void **state)
{
	static const uint8_t one[XLT_PAGE_BYTES] = {1}, two[XLT_PAGE_BYTES] = {2};
	struct xlt_shelf_page *page;
	struct xlt_shelved *thing;
	struct xlt_shelf *shelf;

	assert_int_equal(xlt_shelf_open(&shelf), 0);
	assert_null(xlt_shelf_page(shelf, LOW, 0, one));
	page = xlt_shelf_page(shelf, LOW, 0, one);
	thing = xlt_shelf_room(shelf, 64);
	assert_non_null(page);
	assert_non_null(thing);
	xlt_shelf_put(page, 3, thing);
	while (xlt_shelf_room(shelf, 1u << 20))
		;
	while (xlt_shelf_room(shelf, 16))
		;
	for (unsigned i = 0; i < 2; i++) {
		assert_null(xlt_shelf_page(shelf, LOW, 0, two));
		assert_null(xlt_shelf_page(shelf, LOW, 1, one));
	}
	assert_ptr_equal(xlt_shelf_page(shelf, LOW, 0, one), page);
	assert_ptr_equal(xlt_shelf_first(page, 3), thing);
	assert_null(xlt_shelf_first(page, 2));
	xlt_shelf_close(shelf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_counts),	cmocka_unit_test(test_stream),
	    cmocka_unit_test(test_assists),	cmocka_unit_test(test_32_bits),
	    cmocka_unit_test(test_other_bytes), cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
