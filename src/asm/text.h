/* text.h -- the statements of an assembly snippet, and how they are spelled for the system's
 * assembler.
 *
 * COUNTING RULES   on a command line ';' separates statements. In a file lines do: with Intel's
 *                  syntax ';' begins a comment (as in NASM), with AT&T's it separates and '#'
 *                  begins a comment.
 * MODELLED         spellings of NASM that the GNU assembler takes for something else: "dword
 *                  [x]" is "dword ptr [x]", "st0" is "st(0)", "10h" is "0x10", "name equ 5" is
 *                  ".set name, 5"; "bits 16|32|64".
 * NOT MODELLED     NASM's macros, local labels (.name), data directives (use .long and so on).
 */
#ifndef SOFTPMU_ASM_TEXT_H
#define SOFTPMU_ASM_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct asm_statement {
	char *labels;  /* "l: m:" or ""; owned */
	char *text;    /* as typed, without blanks at the ends; owned */
	char *code;    /* for the assembler; owned */
	unsigned line; /* 1.. where it stands */
	bool is_code;  /* an instruction, not a directive */
};

struct asm_text {
	struct asm_statement *statement; /* owned */
	size_t n;
	unsigned bits; /* what "bits" said last; 0: nothing */
	bool has_labels, has_mmx, has_x87;
};

/* Read the statements of `source`. is_file: lines separate, see above; is_att: AT&T's syntax, no
 * spelling is changed. Returns 0, -SPMU_EINVAL with a sentence (nothing to execute),
 * -SPMU_ENOMEM. asm_text_free() in every case. */
int asm_text_read(const char *source, bool is_file, bool is_att, struct asm_text *out,
		  struct spmu_error *err);
void asm_text_free(struct asm_text *t);

#endif
