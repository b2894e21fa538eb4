/* touches.h -- which pages of its memory a program has touched: where a page fault would be.
 *
 * COUNTING RULES   an instruction faults once per page that it is the first to touch, by
 *                  reading, writing or being fetched. Memory without a file that was read first
 *                  faults once more when it is written (until then it is the page of zeros), and
 *                  so does a private page of a file; a fault of reading or fetching brings the
 *                  pages of the file around it, 16 in 64 KiB, as far as they are mapped. After
 *                  fork both processes fault when they write a page that was theirs, and the
 *                  child anew on pages that can be had from a file or are shared.
 * MODELLED         as Linux does it by default, with every file in memory: all faults are minor
 *                  ones. What it writes for a program before that begins, arguments and
 *                  environment, is there.
 * NOT MODELLED     what system calls touch: the program faults there later, if it comes there
 *                  (the sum is about that of the kernel, which counts its own faults, too). Huge
 *                  pages, memory that the kernel takes back, faults that end in a signal (but a
 *                  write to what may not be written, where the guest is stopped for faults:
 *                  touches_ahead.h). Of gathers and masked moves their operand's address stands
 *                  for all. References by GS, and by FS until its base is known.
 * SOURCES          mm/memory.c of Linux: do_anonymous_page, do_fault_around, do_wp_page;
 *                  kernel/fork.c: dup_mmap.
 */
#ifndef SOFTPMU_SESSION_TOUCHES_H
#define SOFTPMU_SESSION_TOUCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ses_server;
struct ses_touches;
struct x86_block;
struct x86_ref;

#define SES_MOST_TOUCHES 128u /* of one block that are told apart */

/* n faults of one instruction, the first at `lin`. */
struct ses_touch {
	uint64_t lin;
	uint32_t insn, n;
};

/* Begin with what process pid has now, as the host's kernel tells: its mappings and the pages
 * that are there. Where the kernel does not say, no page is. Returns NULL without memory. Cost:
 * two files of /proc are read, 8 bytes a page. */
struct ses_touches *ses_touches_open(pid_t pid);
void ses_touches_close(struct ses_touches *t);

/* An event of the stream (enum trc_kind) with its payload: mappings, exec, what addresses need.
 * Others are ignored. */
void ses_touches_event(struct ses_touches *t, uint32_t kind, const uint8_t *payload, size_t bytes);

/* The first `insns` instructions of a block were executed; `room` bytes of values are at
 * `slots`. out[SES_MOST_TOUCHES] receives where that faulted. Returns how many of them are used,
 * nearly always 0. Cost: a look at a small table per reference. */
unsigned ses_touches_block(struct ses_touches *t, const struct ses_server *s, uint32_t block,
			   uint32_t insns, const uint8_t *slots, size_t room,
			   struct ses_touch *out);

/* Bytes of the records at the begin of [bytes, bytes + n) that ses_touches_block() would find
 * nothing for, as far as that is seen at once: 0 says nothing. Cost: a few ns a block. */
size_t ses_touches_pass(const struct ses_touches *t, const struct ses_server *s,
			const uint8_t *bytes, size_t n);

/* Linear address of a reference of b, whose values are at `slots`. Returns false where none is
 * touched: prefetches, GS, and FS until its base is known. */
bool ses_touches_address(const struct ses_touches *t, const struct x86_block *b,
			 const struct x86_ref *r, const uint8_t *slots, uint64_t *lin);

/* Does a REP write downwards? */
bool ses_touches_is_down(const struct ses_touches *t);

/* What an access to the page of lin would do: nothing happens to it. */
enum ses_page { SES_PAGE_THERE, SES_PAGE_FAULTS, SES_PAGE_NOT_MAPPED };
enum ses_page ses_touches_page(const struct ses_touches *t, uint64_t lin, bool is_write);

/* The process forks; then in the child's server, which has a copy. */
void ses_touches_fork(struct ses_touches *t);
void ses_touches_born(struct ses_touches *t);

#endif
