/* trace_file.c -- writes the record stream with the code of its blocks, and feeds a model from such
 * a file. Rules: trace_file.h.
 *
 * When it reads, every byte is hostile: sizes are checked before use, block ids must ascend by one,
 * and each block is decoded anew from its code.
 */
#include "session/files/trace_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record.h"
#include "x86/build.h"

#define BUFFER_BYTES (1u << 20)
#define BLOCK_HEAD_BYTES 24u /* fixed part of the payload of TRC_BLOCK */
#define MAX_EVENT_BYTES 65536u

struct ses_trace {
	FILE *file;
	const struct x86_store *store;
	uint32_t n_block; /* blocks written so far */
};

int ses_trace_create(const char *path, const struct x86_store *store, uint32_t flags,
		     struct ses_trace **out, struct spmu_error *err)
{
	struct trc_file_head head = { TRC_FILE_MAGIC, TRC_VERSION, flags };
	struct ses_trace *t = calloc(1, sizeof(*t));

	if (!t)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	t->store = store;
	t->file = fopen(path, "wbe");
	if (!t->file || fwrite(&head, sizeof(head), 1, t->file) != 1) {
		spmu_fail(err, SPMU_ESYS, "cannot write the trace to '%s': %s", path,
			  strerror(errno));
		ses_trace_close(t);
		return -SPMU_ESYS;
	}
	*out = t;
	return 0;
}

static int write_block(struct ses_trace *t, const struct x86_block *b)
{
	uint32_t padded = (b->bytes + 3u) & ~3u;
	uint32_t head[2] = { TRC_SPECIAL + TRC_BLOCK, BLOCK_HEAD_BYTES + padded };
	uint32_t fixed[6] = { b->id, b->bytes, (uint32_t)b->pc, (uint32_t)(b->pc >> 32), b->n_insn,
			      b->mode };
	static const uint8_t zero[4];

	if (fwrite(head, sizeof(head), 1, t->file) != 1 ||
	    fwrite(fixed, sizeof(fixed), 1, t->file) != 1 ||
	    fwrite(b->code, 1, b->bytes, t->file) != b->bytes ||
	    fwrite(zero, 1, padded - b->bytes, t->file) != padded - b->bytes)
		return -SPMU_ESYS;
	return 0;
}

int ses_trace_write(struct ses_trace *t, const uint8_t *bytes, size_t n)
{
	while (t->n_block < x86_store_count(t->store))
		if (write_block(t, x86_store_get(t->store, t->n_block++)) != 0)
			return -SPMU_ESYS;
	return fwrite(bytes, 1, n, t->file) == n ? 0 : -SPMU_ESYS;
}

int ses_trace_forget_all(struct ses_trace *t)
{
	uint32_t head[2] = { TRC_SPECIAL + TRC_FORGET_ALL, 0 };

	t->n_block = 0;
	return fwrite(head, sizeof(head), 1, t->file) == 1 ? 0 : -SPMU_ESYS;
}

int ses_trace_close(struct ses_trace *t)
{
	int rc = 0;

	if (!t)
		return 0;
	if (t->file && fclose(t->file) != 0)
		rc = -SPMU_ESYS;
	free(t);
	return rc;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Code of one block, as a page source for the builder. */
struct block_code {
	uint64_t pc;
	const uint8_t *code;
	uint32_t bytes;
	uint8_t page[4096];
};

static const uint8_t *code_page(void *ctx, uint64_t page_addr)
{
	struct block_code *c = ctx;
	bool has_any = false;

	memset(c->page, 0xcc, sizeof(c->page));
	for (uint32_t i = 0; i < c->bytes; i++) {
		uint64_t at = c->pc + i - page_addr;

		if (at < sizeof(c->page)) {
			c->page[at] = c->code[i];
			has_any = true;
		}
	}
	return has_any ? c->page : NULL;
}

/* Add the block of a TRC_BLOCK payload to the store. */
static int take_block(struct x86_builder *b, struct x86_store *store, uint32_t flags,
		      const uint8_t *p, uint32_t size)
{
	struct block_code code = { .pc = 0 };
	struct x86_code_source src = { .page = code_page, .ctx = &code };
	struct x86_build_limits lim = { .has_slots = true, .has_assists = flags & TRC_FILE_CLASSES,
	                                .has_x87_operands = flags & TRC_FILE_X87_OPERANDS,
	                                .has_x87_control = flags & TRC_FILE_X87_CONTROL,
	                                .has_mmx_operands = flags & TRC_FILE_MMX_OPERANDS,
	                                .xsave_bytes = (uint16_t)(flags >> TRC_FILE_XSAVE_SHIFT) };
	uint32_t fixed[6], mode;

	if (size < BLOCK_HEAD_BYTES)
		return -SPMU_EPROTO;
	memcpy(fixed, p, sizeof(fixed));
	code.pc = fixed[2] | (uint64_t)fixed[3] << 32;
	code.code = p + BLOCK_HEAD_BYTES;
	code.bytes = fixed[1];
	lim.max_insns = fixed[4];
	if (fixed[0] != x86_store_count(store) || code.bytes == 0 ||
	    code.bytes > size - BLOCK_HEAD_BYTES || fixed[4] == 0 || fixed[4] > X86_MAX_INSNS)
		return -SPMU_EPROTO;
	mode = fixed[5];
	if (mode != X86_MODE_64 && mode != X86_MODE_32)
		return -SPMU_EPROTO;
	if (mode != b->mode)
		x86_builder_init(b, mode);
	if (x86_block_build(b, code.pc, &src, &lim) != 0 || b->block.bytes != code.bytes ||
	    b->block.n_insn != fixed[4])
		return -SPMU_EPROTO;
	return x86_store_add(store, &b->block) ? 0 : -SPMU_ENOMEM;
}

/* Feed what the buffer holds as whole records. Returns the bytes used, or a negative error. */
static int64_t feed_buffer(struct x86_builder *b, struct x86_store *store, uint32_t flags,
			   struct mdl *m, const uint8_t *p, size_t n)
{
	size_t from = 0, at = 0, bytes;

	while ((bytes = trc_record_bytes(p + at, n - at)) != 0) {
		uint32_t head;

		memcpy(&head, p + at, 4);
		if (head == TRC_SPECIAL + TRC_BLOCK || head == TRC_SPECIAL + TRC_FORGET_ALL) {
			int rc = mdl_feed(m, p + from, at - from);

			if (rc == 0 && head == TRC_SPECIAL + TRC_FORGET_ALL) {
				mdl_forget_blocks(m);
				x86_store_clear(store);
			} else if (rc == 0)
				rc = take_block(b, store, flags, p + at + 8, (uint32_t)(bytes - 8));
			if (rc != 0)
				return rc;
			from = at + bytes;
		}
		at += bytes;
	}
	return mdl_feed(m, p + from, at - from) != 0 ? -SPMU_EPROTO : (int64_t)at;
}

static int replay(FILE *f, const char *path, struct x86_builder *b, uint8_t *buffer,
		  struct x86_store *store, struct mdl *m, uint32_t *flags, struct spmu_error *err)
{
	struct trc_file_head head;
	size_t n = 0;

	x86_builder_init(b, X86_MODE_64);
	if (fread(&head, sizeof(head), 1, f) != 1 ||
	    memcmp(head.magic, TRC_FILE_MAGIC, sizeof(head.magic)) != 0)
		return spmu_fail(err, SPMU_EPROTO, "'%s' is not a trace of softpmu", path);
	if (head.version != TRC_VERSION)
		return spmu_fail(err, SPMU_EPROTO,
				 "'%s' is a trace of version %u, this softpmu reads version %u",
		                 path, head.version, TRC_VERSION);
	*flags = head.flags;
	for (;;) {
		size_t got = fread(buffer + n, 1, BUFFER_BYTES - n, f);
		int64_t used;

		n += got;
		used = feed_buffer(b, store, *flags, m, buffer, n);
		if (used < 0 || (used == 0 && n > MAX_EVENT_BYTES))
			return spmu_fail(err, SPMU_EPROTO,
					 "the trace '%s' is damaged; counting stopped there", path);
		memmove(buffer, buffer + used, n - (size_t)used);
		n -= (size_t)used;
		if (got == 0)
			break;
	}
	if (ferror(f))
		return spmu_fail(err, SPMU_ESYS, "cannot read '%s': %s", path, strerror(errno));
	if (n != 0)
		return spmu_fail(err, SPMU_EPROTO, "the trace '%s' ends inside a record", path);
	return 0;
}

int ses_trace_replay(const char *path, struct x86_store *store, struct mdl *m, uint32_t *flags,
                     struct spmu_error *err)
{
	FILE *f = fopen(path, "rbe");
	struct x86_builder *b = malloc(sizeof(*b));
	uint8_t *buffer = malloc(BUFFER_BYTES);
	int rc;

	*flags = 0;
	if (!f)
		rc = spmu_fail(err, errno == ENOENT ? SPMU_ENOENT : SPMU_ESYS,
			       "cannot read '%s': %s", path, strerror(errno));
	else if (!b || !buffer)
		rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
	else
		rc = replay(f, path, b, buffer, store, m, flags, err);
	if (f)
		fclose(f);
	free(b);
	free(buffer);
	return rc;
}
