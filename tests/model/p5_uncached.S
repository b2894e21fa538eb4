/* Memory marked as not cacheable: each access is a miss and a bus cycle of its own. */
# options pentium-60: --uncached 0x30000000+4096
# options pentium-mmx: --uncached 0x30000000-0x30001000
# options pentium: --uncached 0x30000000-0x30000020
# expect pentium-60: NONCACHEABLE_MEMORY_READS = 2*N
# expect pentium-60: DATA_READ_MISS = 2*N
# expect pentium-60: DATA_WRITE_MISS = N
# expect pentium-60: WRITE_HIT_TO_M-_OR_E-STATE_LINES = 0
# expect pentium-60: DATA_READ = 2*N
# expect pentium-mmx: NONCACHEABLE_MEMORY_READS = 2*N
# expect pentium-mmx: WRITES_TO_NONCACHEABLE_MEMORY = N
# expect pentium-mmx: DATA_WRITE_MISS = N
# expect pentium: NONCACHEABLE_MEMORY_READS = N
# expect pentium: DATA_WRITE_MISS = N
# expect pentium: DATA_READ_MISS = N
#include "model.inc"
_start:
	MAP 0x30000000, 8192
	mov ebx, 0x30000000
	LOOP 1
	mov eax, [rbx]
	mov eax, [rbx + 64]
	mov [rbx + 8], eax
	NEXT 1b
	EXIT
