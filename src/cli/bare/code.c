/* code.c -- instructions as a disk. Rules: code.h. */
#include "cli/bare/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "asm/program.h"
#include "cli/cli.h"

#define DISK_BYTES (63u * 512u) /* what the boot sector loads with itself: one track */
#define STOP_AT	   0x1f8u	/* where the disk says the address behind the text */

/* The boot sector: it loads the rest of the track and goes to the mode. */
static const char boot[] = ".intel_syntax noprefix\n"
			   ".code16\n"
			   ".globl _start\n"
			   "_start: cli\n"
			   "cld\n"
			   "xor ax, ax\n"
			   "mov ds, ax\n"
			   "mov es, ax\n"
			   "mov ss, ax\n"
			   "mov sp, 0x7c00\n"
			   "mov ax, 0x023e\n"
			   "mov cx, 2\n"
			   "xor dh, dh\n"
			   "mov bx, 0x7e00\n"
			   "int 0x13\n"
			   "cli\n"
			   "xor eax, eax\n";

static const char to_real[] = ".att_syntax\n"
			      "ljmp $0, $softpmu_main\n";

/* Selectors: 8 code and 10H data of the mode; 1BH and 23H the same for ring 3; 28H a TSS in memory
 * that is 0, at 50000H: the map of ports begins with it and forbids none. */
static const char to_protected[] = "lgdt [softpmu_gdtr]\n"
				   "mov eax, cr0\n"
				   "or al, 1\n"
				   "mov cr0, eax\n"
				   ".att_syntax\n"
				   "ljmp $8, $softpmu_mode\n"
				   "%s\n"
				   "softpmu_mode: mov $0x10, %%ax\n"
				   "mov %%ax, %%ds\n"
				   "mov %%ax, %%es\n"
				   "mov %%ax, %%ss\n"
				   "mov $0x7c00, %%esp\n"
				   "xor %%eax, %%eax\n";

static const char to_main[] = "jmp softpmu_main\n";
static const char to_ring3[] = "mov $0x28, %ax\n"
			       "ltr %ax\n"
			       "mov $0x23, %ax\n"
			       "mov %ax, %ds\n"
			       "mov %ax, %es\n"
			       "push $0x23\n"
			       "push $0x7c00\n"
			       "push $0x3002\n" /* IOPL 3: the end of the text writes a port */
			       "push $0x1b\n"
			       "push $softpmu_main\n"
			       "xor %eax, %eax\n"
			       "iret\n";

static const char to_v86[] = "mov $0x28, %ax\n"
			     "ltr %ax\n"
			     "push $0\n" /* GS, FS, DS, ES */
			     "push $0\n"
			     "push $0\n"
			     "push $0\n"
			     "push $0\n" /* SS:ESP */
			     "push $0x7c00\n"
			     "push $0x23002\n" /* VM, IOPL 3 */
			     "push $0\n"
			     "push $softpmu_main\n"
			     "xor %eax, %eax\n"
			     "iret\n";

/* wide: D bit of the descriptors, 0xcf or 0x8f. */
static const char tables[] = ".balign 8\n"
			     "softpmu_gdt: .quad 0\n"
			     ".long 0xffff, 0x%x9a00\n"
			     ".long 0xffff, 0x%x9200\n"
			     ".long 0xffff, 0x%xfa00\n"
			     ".long 0xffff, 0x%xf200\n"
			     ".long 0x00002068, 0x8905\n"
			     "softpmu_gdtr: .word 47\n"
			     ".long softpmu_gdt\n";

static const char behind[] = "\n.att_syntax\n"
			     "softpmu_stop: xor %eax, %eax\n"
			     "outb %al, $0xf4\n"
			     "softpmu_end: jmp softpmu_end\n";

/* What leads from the protected mode to the text. */
static const char *way(const char *mode)
{
	return !strcmp(mode, "ring3") ? to_ring3 : !strcmp(mode, "v86") ? to_v86 : to_main;
}

static bool write_source(FILE *f, const char *text, const char *mode)
{
	static const char *const widths[] = {".code16", ".code32"};
	const bool is_real = !strcmp(mode, "real"), is_v86 = !strcmp(mode, "v86");
	const bool is_wide = !is_real && strcmp(mode, "protected16") != 0;
	const unsigned d = is_wide ? 0xcf : 0x8f;

	fputs(boot, f);
	if (is_real) {
		fputs(to_real, f);
	} else {
		fprintf(f, to_protected, widths[is_wide]);
		fputs(way(mode), f);
		fprintf(f, tables, d, d, d, d);
	}
	fprintf(f, ".org %u\n.long softpmu_stop\n.org 510\n.word 0xaa55\n.org %u\n", STOP_AT,
		CODE_START - 0x7c00);
	fprintf(f, "%s\n.intel_syntax noprefix\nsoftpmu_main:\n# 1 \"the code\"\n%s",
		widths[is_wide && !is_v86], text);
	fputs(behind, f);
	fprintf(f, ".org %u\n", DISK_BYTES);
	return !ferror(f);
}

/* The assembler's first complaint, without its own name. */
static int complain(const char *text, char *words)
{
	char *line = strstr(words, "Error: "), *end;

	line = line ? line + 7 : words;
	end = strchr(line, '\n');
	if (end)
		*end = 0;
	if (strstr(words, "attempt to move .org backwards"))
		return cli_fail("--code: the instructions take more than %u bytes",
				DISK_BYTES - (CODE_START - 0x7c00));
	return cli_fail("--code '%.80s': %s", text, *line ? line : "the assembler refuses it");
}

static int tool(const char *dir, char *const *argv, const char *text)
{
	char words[2000];
	const int rc = asm_tool_run(dir, argv, words, sizeof(words));

	if (rc == -SPMU_ENOENT)
		return cli_fail("--code: there is no '%s': install Debian's package binutils",
				argv[0]);
	return rc < 0 ? cli_fail("--code: '%s' did not run", argv[0])
	       : rc   ? complain(text, words)
		      : 0;
}

/* Read the disk into a file in memory. */
static int take_disk(const char *path, int *fd, uint32_t *stop)
{
	uint8_t disk[DISK_BYTES];
	FILE *f = fopen(path, "re");
	const size_t n = f ? fread(disk, 1, sizeof(disk), f) : 0;

	if (f)
		fclose(f);
	*fd = memfd_create("softpmu-code", MFD_CLOEXEC);
	if (n != sizeof(disk) || *fd < 0 || write(*fd, disk, n) != (ssize_t)n)
		return cli_fail("--code: the assembled code cannot be kept");
	memcpy(stop, disk + STOP_AT, sizeof(*stop));
	return 0;
}

int cli_bare_code(const char *text, const char *mode, int *fd, uint32_t *stop)
{
	static char *const assemble[] = {"as", "--32", "-o", "code.o", "code.s", NULL};
	static char *const link[] = {"ld",     "-m", "elf_i386", "-Ttext", "0x7c00", "--oformat",
				     "binary", "-o", "code.bin", "code.o", NULL};
	static const char *const names[] = {"code.s", "code.o", "code.bin"};
	const char *tmp = getenv("TMPDIR");
	char dir[300], path[3][320];
	FILE *f;
	int code;

	snprintf(dir, sizeof(dir), "%.250s/softpmu-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return cli_fail("--code: no folder can be made in '%.250s'",
				tmp && *tmp ? tmp : "/tmp");
	for (int i = 0; i < 3; i++)
		snprintf(path[i], sizeof(path[i]), "%s/%s", dir, names[i]);
	f = fopen(path[0], "we");
	code = f && write_source(f, text, mode) ? 0
						: cli_fail("--code: %s cannot be written", path[0]);
	if (f && fclose(f) != 0 && !code)
		code = cli_fail("--code: %s cannot be written", path[0]);
	code = code ? code : tool(dir, assemble, text);
	code = code ? code : tool(dir, link, text);
	code = code ? code : take_disk(path[2], fd, stop);
	for (int i = 0; i < 3; i++)
		unlink(path[i]);
	rmdir(dir);
	return code;
}
