# What every program of the laboratory begins with.
	.intel_syntax noprefix
	.text
	.balign 64
	.globl _start
_start:
