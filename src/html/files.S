/* files.S -- style and script of the page, as texts with a 0 byte behind them. */
	.section .rodata
	.macro text name, file
	.globl \name
\name:
	.incbin "\file"
	.byte 0
	.endm
	text htm_style, src/html/page.css
	text htm_script, src/html/page.js
	.section .note.GNU-stack,"",@progbits
