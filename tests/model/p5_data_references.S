/* Reads, writes, and operands that a boundary cuts: 4 bytes for small ones, 8 for 8-byte ones. */
# expect p5: DATA_READ = 15*N
# expect p5: DATA_WRITE = 8*N
# expect p5: DATA_READ_OR_WRITE = 23*N
# expect p5: MISALIGNED_DATA_MEMORY_OR_I/O_REFERENCES = 6*N
# expect pentium-mmx: DATA_READ_OR_WRITE = 23*N
# expect pentium-mmx: MISALIGNED_DATA_MEMORY_OR_I/O_REFERENCES = 6*N
#include "model.inc"
_start:
	LOOP 1
	mov eax, [data]
	mov [data], eax
	add [data], eax
	push rax
	pop rax
	mov eax, [data + 1]		/* cut */
	mov ax, [data + 1]		/* inside a dword */
	mov ax, [data + 3]		/* cut */
	add [data + 1], eax		/* cut twice */
	fld qword ptr [data + 4]	/* cut */
	fstp st(0)
	fld tbyte ptr [data]		/* 8 and 2 bytes */
	fstp tbyte ptr [data + 6]	/* the 8 are cut, the 2 are not */
	mov rax, [data + 8]
	NEXT 1b
	EXIT
