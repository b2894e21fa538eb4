/* crash.h -- where a snippet crashed: the program around it has a signal handler that writes it
 * down.
 *
 * MODELLED         SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, on a stack of their own. The
 *                  handler writes signal, code, address and pc into a file, and ends the
 *                  program.
 * SOURCES          Linux: struct siginfo, struct ucontext and sigreturn(2) of i386 and x86-64.
 */
#ifndef SOFTPMU_ASM_CRASH_H
#define SOFTPMU_ASM_CRASH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define ASM_CRASH_STACK_BYTES 0x10000u

struct asm_crash {
	int signal, code; /* si_code */
	uint64_t address; /* that was touched: SIGSEGV and SIGBUS with has_address */
	bool has_address; /* the kernel knows it */
	uint64_t pc;	  /* of the instruction; of SIGTRAP: behind it */
};

/* Append to `out`, in Intel's syntax: code that sets the handler up, changes all registers and
 * falls through. bits: 32 or 64. */
void asm_crash_write_setup(unsigned bits, struct text *out);

/* Append the handler and its data, to stand where nothing falls into it. It runs on
 * ASM_CRASH_STACK_BYTES from `stack` on, and writes into file `path`, of any characters. */
void asm_crash_write_handler(unsigned bits, uint32_t stack, const char *path, struct text *out);

/* Read what the handler wrote. Returns false when there is no such file, or it is not whole: no
 * crash. */
bool asm_crash_read(const char *path, unsigned bits, struct asm_crash *out);

#endif
