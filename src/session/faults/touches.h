/* touches.h -- which pages of its memory a program has touched, and so where it faults.
 *
 * COUNTING RULES   an instruction faults once for each page that it is the first to touch, by
 *                  reading, writing or being fetched. A page of memory without a file that was
 *                  first read faults once more when it is written: until then it is the page of
 *                  zeros. A private page of a file does so, too. A fault of reading or fetching
 *                  brings the pages of the file around it, 16 in 64 KiB, as far as they are
 *                  mapped. After fork both processes fault when they write a page that was
 *                  theirs; the child faults anew on pages of files and on shared pages.
 * MODELLED         Linux with its defaults, and with every file in memory: all faults are minor.
 *                  Pages that the kernel writes before the program begins (arguments and
 *                  environment) are there.
 * NOT MODELLED     what system calls touch: the program faults there later, when it touches the
 *                  page itself. The sum is about that of the kernel, which counts its own faults,
 *                  too. Huge pages; memory that the kernel takes back; faults that end in a
 *                  signal (except a write to read-only memory where the guest is stopped for
 *                  faults: touches_ahead.h). For gathers and masked moves the operand's address
 *                  stands for all elements. References by GS, and by FS until its base is known.
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

#define SES_MOST_TOUCHES 128u /* entries for one block; the last one takes all further faults */

/* n faults of one instruction, the first at `lin`. */
struct ses_touch {
	uint64_t lin;
	uint32_t insn, n;
};

/* Begin with the mappings and present pages of process pid, as the host's kernel shows them. Pages
 * that it does not show are taken as absent. Returns NULL without memory. Cost: reads two files of
 * /proc, 8 bytes a page. */
struct ses_touches *ses_touches_open(pid_t pid);
void ses_touches_close(struct ses_touches *t);

/* Take an event of the stream (enum trc_kind) with its payload: mappings, exec, FS base and
 * direction flag. Others are ignored. */
void ses_touches_event(struct ses_touches *t, uint32_t kind, const uint8_t *payload, size_t bytes);

/* The first `insns` instructions of a block were executed; `room` bytes of slot values are at
 * `slots`. out[SES_MOST_TOUCHES] receives the faults. Returns the number of entries used, nearly
 * always 0. Cost: one access to a small table per reference. */
unsigned ses_touches_block(struct ses_touches *t, const struct ses_server *s, uint32_t block,
			   uint32_t insns, const uint8_t *slots, size_t room,
			   struct ses_touch *out);

/* Returns the size of the records at the beginning of [bytes, bytes + n) for which
 * ses_touches_block() would find no fault. It may return less than that, also 0. Cost: a few ns a
 * block. */
size_t ses_touches_pass(const struct ses_touches *t, const struct ses_server *s,
			const uint8_t *bytes, size_t n);

/* Set *lin to the linear address of reference r of b, whose slot values are at `slots`. Returns
 * false for a reference that touches nothing here: a prefetch, by GS, or by FS until its base is
 * known. */
bool ses_touches_address(const struct ses_touches *t, const struct x86_block *b,
			 const struct x86_ref *r, const uint8_t *slots, uint64_t *lin);

/* Returns true if the direction flag is set: repeated string instructions go downwards. */
bool ses_touches_is_down(const struct ses_touches *t);

/* Returns what an access to the page of lin would do. Changes nothing. */
enum ses_page { SES_PAGE_THERE, SES_PAGE_FAULTS, SES_PAGE_NOT_MAPPED };
enum ses_page ses_touches_page(const struct ses_touches *t, uint64_t lin, bool is_write);

/* ses_touches_fork: the process forks. ses_touches_born: afterwards, in the child's server, on its
 * copy. */
void ses_touches_fork(struct ses_touches *t);
void ses_touches_born(struct ses_touches *t);

#endif
