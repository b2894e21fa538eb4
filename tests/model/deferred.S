/* Lines whose replies the bus defers: each is two transactions. */
# expect p6: bus_tran_def = N
# expect p6: bus_tran_def:self = N
# expect p6: bus_tran_brd = N
# expect p6: bus_tran_any = 2*N
# expect pentium2: bus_tran_def = 0
# expect pentium2: bus_tran_any = N
# options p6: --defer 0x30000000+0x20000 --walks off
# options pentium2: --walks off
#include "model.inc"
_start:
	MAP 0x30000000, 0x20000
	READ_LINES 0x30000000, N
	EXIT
