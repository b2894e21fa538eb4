/* REP: one instruction, a reference per element, cut or not; the destination is never brought in. */
# expect p5: INSTRUCTIONS_EXECUTED = 12*N
# expect p5: DATA_READ = 100*N
# expect p5: DATA_WRITE = 123*N
# expect p5: DATA_WRITE_MISS = 123*N
# expect p5: MISALIGNED_DATA_MEMORY_OR_I/O_REFERENCES = 10*N
# expect pentium-mmx: DATA_WRITE_MISS = 123*N
#include "model.inc"
_start:
	LOOP 1
	lea rsi, [data]
	lea rdi, [data + 8192]
	mov ecx, 100
	rep movsd
	lea rdi, [data + 16385]
	mov ecx, 8
	rep stosd			/* each is cut */
	lea rdi, [data + 16385]
	mov ecx, 5
	rep stosw			/* of the offsets 1 3 5 7 9 those of 3 modulo 4 are cut: 2 */
	NEXT 1b
	EXIT
