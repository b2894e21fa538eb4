/* XADD, CMPXCHG and CMPXCHG8B read and write memory as the other locked instructions do: each one waits for the stores before it, and over a
 * line end locks the bus. */
# bits both
# expect p6: bus_lock_clocks = 4*15*9/2*3*N
# expect p6: bus_trans_p = 12*N
# between p6: sb_drains:e = 5*N .. 6*N
#include "model.inc"
_start:
	LOOP 1
	lock xadd dword ptr [data + 30], eax
	lock cmpxchg dword ptr [data + 30], ecx
	lock cmpxchg8b [data + 28]
	mov dword ptr [data + 256], eax
	lock xadd dword ptr [data + 64], eax
	mov dword ptr [data + 256], eax
	lock cmpxchg dword ptr [data + 64], ecx
	mov dword ptr [data + 256], eax
	lock cmpxchg8b [data + 64]
	NEXT 1b
	EXIT
