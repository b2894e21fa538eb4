/* program.h -- a snippet made into a program that runs it again and again.
 *
 * MODELLED         passes; each sets all registers and lets the snippet run from its beginning:
 *                  once, or, when it holds a loop, until it leaves it. Before and behind it
 *                  stand instructions of one clock that do not pair and touch nothing but flags.
 *                  A program of 16 bits is the snippet alone: it is never executed.
 *
 * WHAT A PASS FINDS
 *   registers      pointers into 8 KiB of data, 1 KiB apart, in banks (address bits 4:2):
 *                  0 esi, 1 eax, 2 edi, 3 ecx, 4 ebx, 5 edx, 6 ebp; esp is 4-byte aligned;
 *                  r8 to r15 lie in the middle of these KiB
 *   ecx            the number of iterations instead, when the snippet has labels
 *   8 KiB          every dword (64-bit: qword) is a pointer into the data; as a single it is
 *                  about 1
 *   names          that the snippet does not define, and that are neither registers nor targets
 *                  of branches (names.h), are cells of the data: 8-byte aligned, in banks 0, 2, 4,
 *                  6 in turn
 *   x87            three ones on the stack; MMX code without x87 finds the registers in MMX state
 *   caches         what the passes before it left there. The KiB of the stack is read before the
 *                  first pass, as calls and returns of a program do. With is_data_read so are
 *                  the 8 KiB, and what the text puts into .data, .bss and .rodata, at most
 *                  64 KiB of each. On a Pentium a store that misses brings no line in, so
 *                  passes that only write leave nothing in the data cache.
 *   a crash        a signal handler writes down where (crash.h)
 */
#ifndef SOFTPMU_ASM_PROGRAM_H
#define SOFTPMU_ASM_PROGRAM_H

#include "asm/text.h"
#include "session/session.h"

#define ASM_DATA_ADDRESS 0x3f800000u /* as a single it is 1 */
#define ASM_DATA_BYTES	 0x2000u
#define ASM_STACK_OFF	 0x1c00u  /* in the data: its last KiB is the stack */
#define ASM_RANGES	 3u	  /* .data, .bss, .rodata */
#define ASM_TOUCH_BYTES	 0x10000u /* of each of them, at most */

struct asm_settings {
	unsigned bits; /* 16, 32 or 64 */
	bool is_att;
	const char *init;  /* -asm_init, or NULL */
	unsigned n_unroll; /* copies */
	unsigned n_loop;   /* own loops: iterations; else rounds of a pass */
	unsigned n_pass;   /* with the one that is measured */
	bool is_data_read; /* all data are, before the first pass */
};

struct asm_program {
	char dir[64];	     /* temporary, "" when there is none */
	char path[96];	     /* the program */
	char crash[96];	     /* what its signal handler writes */
	char *names;	     /* taken as data, "" or with ", " between; owned */
	uint64_t begin, end; /* of the snippet, all copies */
	size_t n_pc;	     /* instructions: copies times those of the text */
	uint64_t *pc;	     /* where each begins; owned */
	size_t n_range;	     /* of the text's own data */
	struct {
		uint64_t begin, end;
	} range[ASM_RANGES];
	uint8_t *code; /* bytes from begin to end; owned */
};

/* Assemble and link. Returns 0; -SPMU_EINVAL with a sentence (the assembler's complaint; no
 * assembler); -SPMU_ESYS, -SPMU_ENOMEM. asm_program_free() in every case: it removes the files. */
int asm_program_make(const struct asm_text *t, const struct asm_settings *s,
		     struct asm_program *out, struct spmu_error *err);
void asm_program_free(struct asm_program *p);

/* Run `file` (looked for in PATH) with argv in directory dir; what it writes to standard error
 * goes into out[room]. Returns its exit status, or -SPMU_ENOENT when there is no such program,
 * or -SPMU_ESYS. */
int asm_tool_run(const char *dir, char *const *argv, char *out, size_t room);

#endif
