/* ADD, and three ADC behind it, each by the carry of the one before; ADD waits for the last. By default an ADC reads all by the first
 * of its two micro-ops and takes two clocks, which makes seven. Where no micro-op reads more than two registers, the second reads the
 * carry: four, and half a clock for ports. */
# options p6: --set uop_sources=2
# between p6: cycles = 4*N .. 5*N
#include "model.inc"
_start:
	LOOP 1
	add eax, edi
	adc edx, ebx
	adc esi, ebx
	adc edi, ebx
	NEXT 1b
	EXIT
