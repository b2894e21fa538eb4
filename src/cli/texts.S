/* texts.S -- files of text that softpmu carries inside: each symbol is the file's text and a 0 byte. */
	.section .rodata
	.macro text name, file
	.globl \name
\name:
	.incbin "\file"
	.byte 0
	.endm
	text cli_glossary, docs/GLOSSARY.md
	text cli_explanations, docs/EXPLANATIONS.md
	text cli_completion_bash, src/cli/completion.bash
	text cli_completion_zsh, src/cli/completion.zsh
	text cli_completion_fish, src/cli/completion.fish
	.section .note.GNU-stack,"",@progbits
