/* crash.c -- a signal handler in assembly, and its file. */
#include "asm/crash.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define INFO_BYTES     32u /* of siginfo that are written, then of ucontext */
#define CONTEXT_BYTES  192u
#define ADDRESS_OFF_32 12u /* in siginfo */
#define ADDRESS_OFF_64 16u
#define PC_OFF_32      76u /* in ucontext */
#define PC_OFF_64      168u
#define FLAGS	       0x0c000004u /* SA_SIGINFO, SA_RESTORER, SA_ONSTACK */

static const int signals[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV};

void asm_crash_write_setup(unsigned bits, struct text *out)
{
	const bool is_64 = bits == 64;

	if (is_64)
		text_printf(
		    out, "mov eax,131\nmov edi,offset .Lsoftpmu_altstack\nxor esi,esi\nsyscall\n");
	else
		text_printf(
		    out, "mov eax,186\nmov ebx,offset .Lsoftpmu_altstack\nxor ecx,ecx\nint 0x80\n");
	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (is_64)
			text_printf(out,
				    "mov eax,13\nmov edi,%d\nmov esi,offset .Lsoftpmu_action\n"
				    "xor edx,edx\nmov r10d,8\nsyscall\n",
				    signals[i]);
		else
			text_printf(out,
				    "mov eax,174\nmov ebx,%d\nmov ecx,offset .Lsoftpmu_action\n"
				    "xor edx,edx\nmov esi,8\nint 0x80\n",
				    signals[i]);
	}
}

/* open(path, O_WRONLY | O_CREAT, 0600), write(siginfo), write(ucontext), exit(1) */
static void write_code(bool is_64, struct text *out)
{
	if (is_64)
		text_printf(
		    out,
		    "mov r12,rsi\nmov r13,rdx\nmov eax,2\n"
		    "mov edi,offset .Lsoftpmu_crash_file\nmov esi,0x41\nmov edx,0x180\n"
		    "syscall\nmov ebx,eax\nmov eax,1\nmov edi,ebx\nmov rsi,r12\nmov edx,%u\n"
		    "syscall\nmov eax,1\nmov edi,ebx\nmov rsi,r13\nmov edx,%u\nsyscall\n"
		    "mov eax,60\nmov edi,1\nsyscall\n",
		    INFO_BYTES, CONTEXT_BYTES);
	else
		text_printf(out,
			    "mov eax,5\nmov ebx,offset .Lsoftpmu_crash_file\nmov ecx,0x41\n"
			    "mov edx,0x180\nint 0x80\nmov ebx,eax\nmov eax,4\nmov ecx,[esp+8]\n"
			    "mov edx,%u\nint 0x80\nmov eax,4\nmov ecx,[esp+12]\nmov edx,%u\n"
			    "int 0x80\nmov eax,1\nmov ebx,1\nint 0x80\n",
			    INFO_BYTES, CONTEXT_BYTES);
}

void asm_crash_write_handler(unsigned bits, uint32_t stack, const char *path, struct text *out)
{
	const char *word = bits == 64 ? "quad" : "long";

	text_printf(out, ".Lsoftpmu_crash:\n");
	write_code(bits == 64, out);
	text_printf(out,
		    ".balign 8\n.Lsoftpmu_action:\n.%s .Lsoftpmu_crash\n.%s %#x\n"
		    ".%s .Lsoftpmu_crash\n.quad 0\n",
		    word, word, FLAGS, word);
	text_printf(out, ".Lsoftpmu_altstack:\n.%s %#x\n.%s 0\n.%s %u\n.Lsoftpmu_crash_file:\n",
		    word, stack, word, word, ASM_CRASH_STACK_BYTES);
	for (const char *at = path; *at; at++)
		text_printf(out, ".byte %u\n", (unsigned char)*at);
	text_printf(out, ".byte 0\n");
}

static uint64_t word_at(const uint8_t *bytes, bool is_64)
{
	uint64_t word = 0;

	memcpy(&word, bytes, is_64 ? 8 : 4);
	return word;
}

bool asm_crash_read(const char *path, unsigned bits, struct asm_crash *out)
{
	uint8_t bytes[INFO_BYTES + CONTEXT_BYTES] = {0};
	const bool is_64 = bits == 64;
	FILE *f = fopen(path, "rbe");
	const bool is_whole = f && fread(bytes, 1, sizeof(bytes), f) == sizeof(bytes);
	int32_t word;

	if (f)
		fclose(f);
	if (!is_whole)
		return false;
	*out = (struct asm_crash){
	    .address = word_at(bytes + (is_64 ? ADDRESS_OFF_64 : ADDRESS_OFF_32), is_64),
	    .pc = word_at(bytes + INFO_BYTES + (is_64 ? PC_OFF_64 : PC_OFF_32), is_64)};
	memcpy(&word, bytes, 4);
	out->signal = word;
	memcpy(&word, bytes + 8, 4);
	out->code = word;
	out->has_address = (out->signal == SIGSEGV || out->signal == SIGBUS) && out->code > 0 &&
			   out->code < SI_KERNEL;
	return true;
}
