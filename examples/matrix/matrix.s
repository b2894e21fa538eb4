# matrix.s -- adds up a matrix of 512 x 512 numbers, row by row or, with COLUMNS defined, column by column, and prints the sum.
#
# Both programs execute the same instructions, as often; the order of the memory that they read differs. There is no library,
# no loader and nothing that a compiler chooses, and the stack is the program's own, because where the system puts one depends on
# the environment: the counts are the same on every machine, to the digit. Written with what a Pentium has, as 64-bit code.
	.intel_syntax noprefix
	.equ N, 512
	.equ ROW, 4 * N			# bytes
	.ifdef COLUMNS
	.equ STEP, ROW			# to the next number
	.equ NEXT, 4			# to the next row or column
	.else
	.equ STEP, 4
	.equ NEXT, ROW
	.endif

	.bss
	.balign 4096
matrix:	.skip N * ROW
digits:	.skip 16
digits_end:
	.skip 48
stack_end:

	.text
	.globl _start
	.type _start, @function
_start:	mov esp, offset stack_end
	call fill
	call sum
	call print
	xor edi, edi
	mov eax, 60			# exit
	syscall
	.size _start, . - _start

# Each number follows from the one before it.
	.balign 16
	.type fill, @function
fill:	mov edi, offset matrix
	mov eax, 1
	mov ecx, N * N
1:	imul eax, eax, 1103515245
	add eax, 12345
	mov edx, eax
	shr edx, 24
	mov [rdi], edx
	add edi, 4
	dec ecx
	jnz 1b
	ret
	.size fill, . - fill

# The sum of all numbers, in eax.
	.balign 16
	.type sum, @function
sum:	mov ebx, STEP			# in registers: both programs have the same bytes elsewhere
	mov ebp, NEXT
	xor eax, eax
	mov edi, offset matrix
	mov edx, N
1:	mov esi, edi
	mov ecx, N
2:	add eax, [rsi]			# the line that this takes is 8 numbers of a row
	add esi, ebx			# STEP
	dec ecx
	jnz 2b
	add edi, ebp			# NEXT
	dec edx
	jnz 1b
	ret
	.size sum, . - sum

# Prints eax.
	.balign 16
	.type print, @function
print:	mov edi, offset digits_end
	mov ecx, 10
	dec edi
	mov byte ptr [rdi], 10		# a new line
1:	xor edx, edx
	div ecx
	add edx, '0'
	dec edi
	mov [rdi], dl
	test eax, eax
	jnz 1b
	mov esi, edi
	mov edx, offset digits_end
	sub edx, edi
	mov edi, 1
	mov eax, 1			# write
	syscall
	ret
	.size print, . - print
