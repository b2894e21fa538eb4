/* A chain of loads from memory that is not cacheable: each takes a whole transaction, 14 bus clocks to its data, and a request
 * begins with a bus clock. */
# options pentiumpro: --uncached 0x30000000+4096
# between pentiumpro: cycles = 42*N .. 54*N
#include "model.inc"
_start:
	MAP 0x30000000, 8192
	mov ebx, 0x30000000
	LOOP 1
	mov eax, [rbx]
	and eax, 0
	add rbx, rax
	NEXT 1b
	EXIT
