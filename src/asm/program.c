/* program.c -- the assembly text around a snippet; assemble, link, find the instructions again. */
#include "asm/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "asm/crash.h"
#include "asm/names.h"
#include "asm/object.h"

#define TEXT_ADDRESS	0x08049000u
#define TEXT_ADDRESS_16 0x1100u /* room before it on its page */
#define DATA_ADDRESS_16 0x4000u
#define SECTION_BYTES	0x400u /* of the data, one per pointer */
#define CELLS_OFF	0x380u /* names that nobody defines: in a section */
#define SECTION_CELLS	4u     /* in each section */
#define CELL_BYTES	32u
#define N_CELLS		24u
#define STACK_OFF	0x1fc0u
/* What rounds and passes are left: far below the data, where no pointer of a snippet walks to, in a
 * line that has the cache set of the stack's last one. */
#define ROUNDS_ADDRESS (ASM_DATA_ADDRESS - 0xfd000u + 0xfe0u)
#define PASSES_ADDRESS (ROUNDS_ADDRESS + 4u)
#define MORE_BYTES     0x100000u /* behind the data, for pointers that walk on */
#define CRASH_STACK    (ASM_DATA_ADDRESS + ASM_DATA_BYTES + MORE_BYTES)
#define PAUSE_ROUNDS   256u /* between passes: stores leave the write buffers meanwhile */
#define MOST_TOOL_TEXT 4096u
#define TABLE_WORDS    (2u + 2u * ASM_RANGES) /* of the table, before the instructions */

/* A presets of a register: section of the data and byte in it. */
static const struct preset {
	const char *name;
	unsigned section, byte;
} presets[] = {
    {"si", 0, 0}, {"di", 1, 8},	 {"bx", 2, 16}, {"bp", 3, 24},
    {"ax", 4, 4}, {"cx", 5, 12}, {"dx", 6, 20},
};

static unsigned data_address(unsigned bits)
{
	return bits == 16 ? DATA_ADDRESS_16 : ASM_DATA_ADDRESS;
}

/* ---- the source ------------------------------------------------------------------------------ */

static void write_presets(const struct asm_text *t, const struct asm_settings *s, struct text *out)
{
	const char width = s->bits == 64 ? 'r' : 'e';

	text_printf(out, "mov %csp,%#x\n", width, ASM_DATA_ADDRESS + STACK_OFF);
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		const struct preset *p = &presets[i];
		const bool is_count = !strcmp(p->name, "cx") && t->has_labels;

		text_printf(out, "mov %c%s,%#x\n", width, p->name,
			    is_count ? s->n_loop
				     : ASM_DATA_ADDRESS + p->section * SECTION_BYTES + p->byte);
	}
	for (unsigned r = 8; r < 16 && s->bits == 64; r++)
		text_printf(out, "mov r%u,%#x\n", r,
			    ASM_DATA_ADDRESS + (r - 8) % 7 * SECTION_BYTES + SECTION_BYTES / 2 +
				(r - 8) * 8 % 32);
}

/* Read every line of the stack, and that of the rounds. With --read-data of all data, too: the 8
 * KiB, then the text's own, which is wanted most. */
static void write_touch(const struct asm_settings *s, struct text *out)
{
	const char *si = s->bits == 64 ? "rsi" : "esi";

	text_printf(out,
		    "mov %s,%#x\n.Lsoftpmu_touch:\nmov eax,[%s]\nadd %s,32\ncmp %s,%#x\njb "
		    ".Lsoftpmu_touch\n",
		    si, ASM_DATA_ADDRESS + (s->is_data_read ? 0 : ASM_STACK_OFF), si, si, si,
		    ASM_DATA_ADDRESS + ASM_DATA_BYTES);
	text_printf(out, "mov eax,[%#x]\n", ROUNDS_ADDRESS);
	for (unsigned i = 0; i < ASM_RANGES && s->is_data_read; i++)
		text_printf(out,
			    "mov %s,offset .Lsoftpmu_range_%u\nmov ecx,%u\njmp .Lsoftpmu_more_%u\n"
			    ".Lsoftpmu_line_%u:\ntest byte ptr [%s],1\nadd %s,32\ndec ecx\njz "
			    ".Lsoftpmu_enough_%u\n"
			    ".Lsoftpmu_more_%u:\ncmp %s,offset .Lsoftpmu_range_end_%u\njb "
			    ".Lsoftpmu_line_%u\n.Lsoftpmu_enough_%u:\n",
			    si, i, ASM_TOUCH_BYTES / 32, i, i, si, si, i, i, si, i, i, i);
}

/* What every pass begins with. */
static void write_begin(const struct asm_text *t, const struct asm_settings *s, struct text *out)
{
	text_printf(out,
		    ".Lsoftpmu_pass:\nmov ecx,%u\n.Lsoftpmu_pause:\ntest ebx,1\ndec ecx\njnz "
		    ".Lsoftpmu_pause\n",
		    PAUSE_ROUNDS);
	if (t->has_mmx && !t->has_x87)
		text_printf(out, "pxor mm0,mm0\n");
	else if (t->has_x87)
		text_printf(out, "fninit\nfld1\nfld1\nfld1\n");
	text_printf(out, "mov dword ptr [%#x],%u\n", ROUNDS_ADDRESS, t->has_labels ? 1 : s->n_loop);
	write_presets(t, s, out);
}

/* Instructions of one clock that do not pair and touch flags only, before the snippet, so that
 * it begins on a multiple of 32. */
static void write_fence(struct text *out)
{
	text_printf(
	    out, ".Lsoftpmu_round:\n.balign 32\njmp .Lsoftpmu_go\n.skip 6,0x90\n.Lsoftpmu_go:\n");
	for (unsigned i = 0; i < 4; i++)
		text_printf(out, "test ebx,1\n");
}

static void write_end(const struct asm_settings *s, struct text *out)
{
	text_printf(out, "test ebx,1\ndec dword ptr [%#x]\njnz .Lsoftpmu_round\n", ROUNDS_ADDRESS);
	text_printf(out, "dec dword ptr [%#x]\njnz .Lsoftpmu_pass\n", PASSES_ADDRESS);
	if (s->bits == 64)
		text_printf(out, "mov eax,60\nxor edi,edi\nsyscall\n");
	else
		text_printf(out, "mov eax,1\nxor ebx,ebx\nint 0x80\n");
}

/* Where the program starts, behind everything else. */
static void write_start(const struct asm_settings *s, const char *crash, struct text *out)
{
	text_printf(out, ".globl _start\n_start:\n");
	asm_crash_write_setup(s->bits, out);
	write_touch(s, out);
	text_printf(out, "jmp .Lsoftpmu_pass\n");
	asm_crash_write_handler(s->bits, CRASH_STACK, crash, out);
}

/* A label at the beginning or the end of each section of data that the text may fill. */
static void write_ranges(const char *label, struct text *out)
{
	static const char *const sections[ASM_RANGES] = {".data", ".bss", ".section .rodata"};

	for (unsigned i = 0; i < ASM_RANGES; i++)
		text_printf(out, "%s\n%s_%u:\n", sections[i], label, i);
	text_printf(out, ".text\n");
}

static void write_data(const struct asm_settings *s, struct text *out)
{
	const char *word = s->bits == 64 ? "quad" : "long";
	const unsigned bytes = s->bits == 64 ? 8 : 4;

	text_printf(out, ".section .asm_left,\"aw\",@progbits\n.long %u,%u\n", s->n_loop,
		    s->n_pass);
	text_printf(out, ".section .asm_data,\"aw\",@progbits\n.fill %u,%u,%#x\n",
		    ASM_DATA_BYTES / bytes, bytes, ASM_DATA_ADDRESS + SECTION_BYTES * 2);
	text_printf(out, ".section .asm_more,\"aw\",@nobits\n.%s 0\n.skip %u\n", word,
		    MORE_BYTES + ASM_CRASH_STACK_BYTES);
}

static void write_syntax(const struct asm_settings *s, bool is_of_user, struct text *out)
{
	text_printf(out,
		    s->is_att && is_of_user ? ".att_syntax prefix\n" : ".intel_syntax noprefix\n");
}

static void write_statements(const struct asm_text *t, const char *file, unsigned copy,
			     struct text *out)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct asm_statement *s = &t->statement[i];

		text_printf(out, "# %zu \"%s\"\n%s\n", i + 1, file, s->labels);
		if (s->is_code && strcmp(file, "init"))
			text_printf(out, ".Lsoftpmu_%u_%zu:\n", copy, i);
		text_printf(out, "# %zu \"%s\"\n%s\n", i + 1, file, s->code);
	}
}

static void write_table(const struct asm_text *t, const struct asm_settings *s, struct text *out)
{
	text_printf(
	    out, ".section .softpmu_lines,\"\",@progbits\n.long .Lsoftpmu_begin,.Lsoftpmu_end\n");
	for (unsigned i = 0; i < ASM_RANGES; i++)
		text_printf(out, ".long .Lsoftpmu_range_%u,.Lsoftpmu_range_end_%u\n", i, i);
	for (unsigned copy = 0; copy < s->n_unroll; copy++)
		for (size_t i = 0; i < t->n; i++)
			if (t->statement[i].is_code)
				text_printf(out, ".long .Lsoftpmu_%u_%zu\n", copy, i);
}

static void write_source(const struct asm_text *t, const struct asm_text *init,
			 const struct asm_settings *s, const char *crash, struct text *out)
{
	text_printf(out, ".intel_syntax noprefix\n.text\n.code%u\n", s->bits);
	write_ranges(".Lsoftpmu_range", out);
	if (s->bits != 16) {
		write_begin(t, s, out);
		write_syntax(s, true, out);
		write_statements(init, "init", 0, out);
		text_printf(out, "# 1 \"softpmu\"\n");
		write_syntax(s, false, out);
		write_fence(out);
	}
	text_printf(out, ".Lsoftpmu_begin:\n");
	write_syntax(s, true, out);
	for (unsigned copy = 0; copy < s->n_unroll; copy++)
		write_statements(t, "snippet", copy, out);
	text_printf(out, "# 1 \"softpmu\"\n");
	write_syntax(s, false, out);
	text_printf(out, ".text\n.Lsoftpmu_end:\n");
	write_ranges(".Lsoftpmu_range_end", out);
	if (s->bits != 16) {
		write_end(s, out);
		write_start(s, crash, out);
		write_data(s, out);
	}
	write_table(t, s, out);
}

/* ---- tools ----------------------------------------------------------------------------------- */

static int write_file(const char *dir, const struct text *source, struct spmu_error *err)
{
	char path[96];
	FILE *f;
	int rc = 0;

	if (source->has_failed)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	snprintf(path, sizeof(path), "%s/snippet.s", dir);
	f = fopen(path, "we");
	if (!f || fwrite(source->bytes, 1, source->n, f) != source->n)
		rc = spmu_fail(err, SPMU_ESYS, "%s: %s", path, strerror(errno));
	if (f && fclose(f) && !rc)
		rc = spmu_fail(err, SPMU_ESYS, "%s: %s", path, strerror(errno));
	return rc;
}

static int run_tool(const char *dir, char *const *argv, char *said, struct spmu_error *err)
{
	const int rc = asm_tool_run(dir, argv, said, MOST_TOOL_TEXT);

	if (rc == -SPMU_ENOENT)
		return spmu_fail(err, SPMU_EINVAL,
				 "%s: no such program; softpmu asm needs the system's assembler "
				 "and linker (package binutils)",
				 argv[0]);
	if (rc < 0)
		return spmu_fail(err, SPMU_ESYS, "%s could not be run", argv[0]);
	return rc ? 1 : 0;
}

/* The assembler's first complaint, in terms of the snippet. */
static int complain(const struct asm_text *t, const struct asm_text *init, const char *said,
		    struct spmu_error *err)
{
	const char *at = strstr(said, "Error: "), *file;
	unsigned number = 0;

	if (!at)
		return spmu_fail(err, SPMU_EINVAL, "the assembler failed: %.*s",
				 (int)strcspn(said, "\n"), said);
	for (file = at; file > said && file[-1] != '\n'; file--)
		;
	at += strlen("Error: ");
	if (sscanf(file, "snippet:%u:", &number) == 1)
		init = t;
	else if (sscanf(file, "init:%u:", &number) != 1)
		number = 0;
	if (!number || number > init->n)
		return spmu_fail(err, SPMU_EINVAL, "the assembler says: %.*s",
				 (int)strcspn(at, "\n"), at);
	return spmu_fail(err, SPMU_EINVAL, "line %u, '%s': the assembler says: %.*s",
			 init->statement[number - 1].line, init->statement[number - 1].text,
			 (int)strcspn(at, "\n"), at);
}

static int assemble(const struct asm_text *t, const struct asm_text *init,
		    const struct asm_settings *s, const char *dir, struct spmu_error *err)
{
	char *argv[] = {"as", s->bits == 64 ? "--64" : "--32", "-o", "snippet.o", "snippet.s",
			NULL};
	char said[MOST_TOOL_TEXT];
	const int rc = run_tool(dir, argv, said, err);

	return rc > 0 ? complain(t, init, said, err) : rc;
}

/* Arguments of the linker: "--defsym" and a cell for each name that nobody defines. */
static size_t define_cells(const struct asm_object *o, unsigned bits, char (*text)[160],
			   char **argv, size_t n)
{
	const unsigned data = data_address(bits);
	const char *name;

	for (size_t i = 0; i < N_CELLS && (name = asm_object_undefined(o, i)); i++) {
		if (!strcmp(name, "_start"))
			continue;
		snprintf(text[i], sizeof(text[i]), "--defsym=%s=%#x", name,
			 data + (unsigned)(i / SECTION_CELLS) * SECTION_BYTES + CELLS_OFF +
			     (unsigned)(i % SECTION_CELLS) * (CELL_BYTES + 8));
		argv[n++] = text[i];
	}
	return n;
}

/* The linker's complaint: a line that says where is followed by the one that says what. */
static int complain_of_linking(const char *said, struct spmu_error *err)
{
	const char *line = said, *next;

	while (strstr(line, ": in function") &&
	       strcspn(line, "\n") > (size_t)(strstr(line, ": in function") - line) &&
	       *(next = line + strcspn(line, "\n")))
		line = next + 1;
	if (!strncmp(line, "ld: ", 4))
		line += 4;
	return spmu_fail(err, SPMU_EINVAL, "the linker says: %.*s", (int)strcspn(line, "\n"), line);
}

static int link_program(const struct asm_text *t, const struct asm_text *init,
			const struct asm_settings *s, struct asm_program *p, struct spmu_error *err)
{
	char left[64], start[64], more[64], code[64], path[96], cell[N_CELLS][160],
	    said[MOST_TOOL_TEXT];
	char *argv[16 + N_CELLS] = {
	    "ld",	   "-m",       s->bits == 64 ? "elf_x86_64" : "elf_i386",
	    "-nostdlib",   "-static",  "-z",
	    "noexecstack", left,       start,
	    more,	   code,       "-o",
	    "program",	   "snippet.o"};
	struct text names = {0};
	struct asm_object o;
	size_t n = 14;
	int rc;

	snprintf(left, sizeof(left), "--section-start=.asm_left=%#x", ROUNDS_ADDRESS);
	snprintf(start, sizeof(start), "--section-start=.asm_data=%#x", ASM_DATA_ADDRESS);
	snprintf(more, sizeof(more), "--section-start=.asm_more=%#x",
		 ASM_DATA_ADDRESS + ASM_DATA_BYTES);
	snprintf(code, sizeof(code), "-Ttext=%#x", s->bits == 16 ? TEXT_ADDRESS_16 : TEXT_ADDRESS);
	snprintf(path, sizeof(path), "%s/snippet.o", p->dir);
	rc = asm_object_read(path, &o, err);
	if (!rc)
		rc = asm_names_check(t, init, s, &o, &names, err);
	if (!rc) {
		n = define_cells(&o, s->bits, cell, argv, n);
		if (s->bits == 16)
			argv[n++] = "--entry=0x1100";
		argv[n] = NULL;
		rc = run_tool(p->dir, argv, said, err);
	}
	asm_object_free(&o);
	p->names = strdup(text_get(&names));
	text_free(&names);
	if (!p->names)
		rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
	return rc > 0 ? complain_of_linking(said, err) : rc;
}

/* A row of the table: where data of the text begins and ends. */
static void read_range(struct asm_program *p, const uint8_t *row)
{
	uint32_t begin, end;

	memcpy(&begin, row, 4);
	memcpy(&end, row + 4, 4);
	if (end <= begin)
		return;
	p->range[p->n_range].begin = begin;
	p->range[p->n_range++].end = end - begin > ASM_TOUCH_BYTES ? begin + ASM_TOUCH_BYTES : end;
}

/* Read the table of instructions and the code back. */
static int find_instructions(struct asm_program *p, struct spmu_error *err)
{
	struct asm_section lines = {0}, code = {0};
	struct asm_object o;
	uint32_t word;
	int rc = asm_object_read(p->path, &o, err);

	if (!rc && (asm_object_section(&o, ".softpmu_lines", &lines) ||
		    asm_object_section(&o, ".text", &code) || !lines.bytes || !code.bytes ||
		    lines.size < 4 * TABLE_WORDS + 4))
		rc = spmu_fail(err, SPMU_EPROTO, "the linker left out a section");
	if (rc)
		goto done;
	memcpy(&word, lines.bytes, 4);
	p->begin = word;
	memcpy(&word, lines.bytes + 4, 4);
	p->end = word;
	for (unsigned i = 0; i < ASM_RANGES; i++)
		read_range(p, lines.bytes + 8 + 8 * i);
	p->n_pc = lines.size / 4 - TABLE_WORDS;
	p->pc = calloc(p->n_pc, sizeof(*p->pc));
	if (p->end <= p->begin || p->begin < code.address || p->end - code.address > code.size) {
		rc = spmu_fail(err, SPMU_EINVAL,
			       "the text holds no instruction in its code section");
		goto done;
	}
	p->code = malloc(p->end - p->begin);
	if (!p->pc || !p->code) {
		rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
		goto done;
	}
	memcpy(p->code, code.bytes + (p->begin - code.address), p->end - p->begin);
	for (size_t i = 0; i < p->n_pc; i++) {
		memcpy(&word, lines.bytes + 4 * (TABLE_WORDS + i), 4);
		p->pc[i] = word;
	}
done:
	asm_object_free(&o);
	return rc;
}

static int make_directory(struct asm_program *p, struct spmu_error *err)
{
	const char *tmp = getenv("TMPDIR");

	if (!tmp || !*tmp || strlen(tmp) > 32)
		tmp = "/tmp";
	snprintf(p->dir, sizeof(p->dir), "%s/softpmu-asm.XXXXXX", tmp);
	if (!mkdtemp(p->dir)) {
		p->dir[0] = 0;
		return spmu_fail(err, SPMU_ESYS, "%s: no directory for the program can be made: %s",
				 tmp, strerror(errno));
	}
	snprintf(p->path, sizeof(p->path), "%s/program", p->dir);
	snprintf(p->crash, sizeof(p->crash), "%s/crash", p->dir);
	return 0;
}

int asm_program_make(const struct asm_text *t, const struct asm_settings *s,
		     struct asm_program *out, struct spmu_error *err)
{
	struct asm_text init = {0};
	struct text source = {0};
	int rc;

	memset(out, 0, sizeof(*out));
	if (s->n_unroll > 1 && t->has_labels)
		return spmu_fail(
		    err, SPMU_EINVAL,
		    "-unroll_count %u: copies of code with labels would define them twice",
		    s->n_unroll);
	rc = s->init ? asm_text_read(s->init, false, s->is_att, &init, err) : 0;
	if (!rc)
		rc = asm_names_check_syntax(t, s->is_att, err);
	if (!rc)
		rc = asm_names_check_syntax(&init, s->is_att, err);
	if (!rc)
		rc = make_directory(out, err);
	if (!rc) {
		write_source(t, &init, s, out->crash, &source);
		rc = write_file(out->dir, &source, err);
	}
	text_free(&source);
	if (!rc)
		rc = assemble(t, &init, s, out->dir, err);
	if (!rc)
		rc = link_program(t, &init, s, out, err);
	asm_text_free(&init);
	if (!rc)
		rc = find_instructions(out, err);
	return rc;
}

void asm_program_free(struct asm_program *p)
{
	static const char *const names[] = {"snippet.s", "snippet.o", "program", "crash"};
	char path[96];

	for (size_t i = 0; p->dir[0] && i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", p->dir, names[i]);
		unlink(path);
	}
	if (p->dir[0])
		rmdir(p->dir);
	free(p->pc);
	free(p->code);
	free(p->names);
	memset(p, 0, sizeof(*p));
}
