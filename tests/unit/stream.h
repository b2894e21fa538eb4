/* stream.h -- synthetic blocks and record streams for the tests of models. */
#ifndef SOFTPMU_TESTS_STREAM_H
#define SOFTPMU_TESTS_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "model/ask.h"
#include "model/model.h"
#include "x86/build.h"

struct stream {
	struct x86_store *store;
	uint8_t *bytes;
	size_t n, size;
};

/* A block under construction: instructions of `length` bytes each unless said otherwise. */
struct block_plan {
	struct x86_block block;
	struct x86_insn insn[X86_MAX_INSNS];
	struct x86_ref ref[128];
	struct x86_slot slot[X86_MAX_SLOTS];
	struct x86_rep rep[4];
	struct x86_parts parts[X86_MAX_INSNS];
	uint8_t code[X86_MAX_INSNS * 15];
};

void stream_open(struct stream *s);
void stream_close(struct stream *s);

void plan_begin(struct block_plan *p, uint64_t pc);
/* Append an instruction. mnemonic NULL: "nop". Returns it. */
struct x86_insn *plan_insn(struct block_plan *p, const char *mnemonic, unsigned length,
			   unsigned group, uint32_t flags);
/* Append a reference of the last instruction, addressed by a slot of its own. Returns it. */
struct x86_ref *plan_ref(struct block_plan *p, unsigned bytes, unsigned flags);
/* Add the block to the store. Returns its id. */
uint32_t plan_end(struct block_plan *p, struct stream *s, unsigned term, uint64_t target);

void stream_exec(struct stream *s, uint32_t id, const uint64_t *slots);
void stream_event(struct stream *s, uint32_t kind, const void *payload, uint32_t size);

/* Configuration of processor `cpu` with everything wanted, clocks among it. */
struct mdl_config stream_config(const struct stream *s, const char *cpu);

/* The same without what needs clocks: the loop and host code do the work. */
struct mdl_config stream_config_untimed(const struct stream *s, const char *cpu);

/* Run the whole stream in one piece; asserts success. */
void stream_run(const struct stream *s, const struct mdl_config *cfg, struct wires *w);

/* The stream with those blocks in pieces whose number among the records is a multiple of `each`, as
 * the session feeds them near an overflow. *out borrows the store; the caller frees its bytes. */
void stream_cut(const struct stream *s, unsigned each, struct stream *out);

/* Feeds the stream once as it is, and once with those blocks cut into pieces, as the session feeds
 * them near an overflow, whose number among the records is a multiple of `each`, with looks between
 * them: asserts the same totals, clocks among them. */
void stream_check_pieces(const struct stream *s, unsigned each, const struct mdl_config *cfg);

/* What e counts in these totals: all of its wires, each once. */
uint64_t stream_count_of(const struct cat_event *e, const uint64_t *total);

/* Deterministic random numbers. */
uint64_t stream_random(uint64_t *state);

/* Returns how many steps of a random stream are tried: `all` in make check-all, half of them in
 * make check. */
unsigned stream_steps(unsigned all);

#endif
