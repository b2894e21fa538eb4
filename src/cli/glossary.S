/* glossary.S -- docs/GLOSSARY.md, carried inside softpmu: list and explain look words up there. */
	.section .rodata
	.globl cli_glossary, cli_glossary_end
cli_glossary:
	.incbin "docs/GLOSSARY.md"
cli_glossary_end:
	.section .note.GNU-stack,"",@progbits
