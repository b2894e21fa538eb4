/* Facts of single instructions: registers, stacks, prefixes, lengths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "x86/facts.h"

enum { AX = 1, CX = 2, DX = 4, SP = 16, BP = 32, SI = 64, DI = 128 };

static struct x86_facts facts(enum x86_mode mode, const char *bytes, unsigned n)
{
	struct x86_facts f;

	assert_true(x86_bytes_facts((const uint8_t *)bytes, n, mode, &f));
	assert_int_equal(f.n_prefix + f.bare_bytes, n);
	return f;
}

#define FACTS32(s) facts(X86_MODE_32, s, sizeof(s) - 1)
#define FACTS64(s) facts(X86_MODE_64, s, sizeof(s) - 1)

static void general_registers(void **state)
{
	struct x86_facts f = FACTS32("\x8b\x44\x91\x08"); /* mov eax,[ecx+edx*4+8] */

	assert_int_equal(f.gpr_read, CX | DX);
	assert_int_equal(f.gpr_written, AX);
	assert_int_equal(f.gpr_address, CX | DX);
	assert_true(f.has_memory);
	assert_int_equal(f.disp_bytes, 1);
	f = FACTS32("\x8d\x44\x91\x08"); /* lea: an address, no memory */
	assert_int_equal(f.gpr_address, CX | DX);
	assert_false(f.has_memory);
	f = FACTS32("\x00\xe1"); /* add cl,ah */
	assert_int_equal(f.gpr_read, AX | CX);
	assert_int_equal(f.gpr_written, CX);
	assert_int_equal(f.flags_written & 1, 1);
	f = FACTS32("\x11\xc8"); /* adc eax,ecx */
	assert_int_equal(f.flags_read, 1);
	f = FACTS64("\x4d\x01\xc1"); /* add r9,r8 */
	assert_int_equal(f.gpr_read, 3 << 8);
	assert_int_equal(f.prefixes, X86_PFX_REX);
}

static void implicit_stack_pointer(void **state)
{
	struct x86_facts f = FACTS32("\x50"); /* push eax */

	assert_int_equal(f.stack, X86_STACK_PUSH);
	assert_int_equal(f.gpr_read, AX | SP);
	assert_int_equal(f.gpr_written, SP);
	assert_int_equal(f.gpr_address, 0);
	f = FACTS32("\xff\x74\x24\x04"); /* push [esp+4] */
	assert_int_equal(f.gpr_address, SP);
	f = FACTS32("\xc2\x04\x00"); /* ret 4 */
	assert_int_equal(f.stack, X86_STACK_RET);
	assert_int_equal(f.imm_bytes, 2);
	f = FACTS32("\xc9"); /* leave */
	assert_int_equal(f.stack, X86_STACK_FRAME);
	assert_int_equal(f.gpr_address, BP);
	f = FACTS32("\xa5"); /* movsd */
	assert_int_equal(f.stack, X86_STACK_NONE);
	assert_int_equal(f.gpr_address, SI | DI);
	f = FACTS32("\xd7"); /* xlat */
	assert_int_equal(f.gpr_address, AX | 8);
}

static void x87_stack(void **state)
{
	struct x86_facts f = FACTS32("\xd9\xc2"); /* fld st2 */

	assert_int_equal(f.x87, X86_X87_LOAD);
	assert_int_equal(f.x87_push, 1);
	assert_int_equal(f.st_read, 4);
	assert_int_equal(f.st_written, 1);
	f = FACTS32("\xd9\x00"); /* fld dword [eax] */
	assert_int_equal(f.st_read, 0);
	f = FACTS32("\xde\xc3"); /* faddp st3,st0: the result is st2 then */
	assert_int_equal(f.x87_push, -1);
	assert_int_equal(f.st_read, 9);
	assert_int_equal(f.st_written, 4);
	f = FACTS32("\xd9\xca"); /* fxch st2 */
	assert_int_equal(f.x87, X86_X87_EXCHANGE);
	assert_int_equal(f.st_read, 5);
	f = FACTS32("\xde\xd9"); /* fcompp */
	assert_int_equal(f.x87, X86_X87_COMPARE);
	assert_int_equal(f.x87_push, -2);
	assert_int_equal(f.st_read, 3);
	f = FACTS32("\xd9\x18"); /* fstp dword [eax] */
	assert_int_equal(f.x87, X86_X87_STORE);
	assert_int_equal(f.st_read, 1);
	assert_int_equal(f.st_written, 0);
	f = FACTS32("\xdf\xe0"); /* fnstsw ax */
	assert_int_equal(f.x87, X86_X87_CONTROL);
	assert_int_equal(f.gpr_written, AX);
}

static void mmx_registers(void **state)
{
	struct x86_facts f = FACTS32("\x0f\xfc\xd1"); /* paddb mm2,mm1 */

	assert_int_equal(f.mmx_read, 6);
	assert_int_equal(f.mmx_written, 4);
	assert_int_equal(f.map, X86_MAP_0F);
	f = FACTS32("\x0f\x7e\xd8"); /* movd eax,mm3 */
	assert_int_equal(f.mmx_read, 8);
	assert_int_equal(f.mmx_written, 0);
	assert_int_equal(f.gpr_written, AX);
}

static void encodings(void **state)
{
	struct x86_facts f =
	    FACTS32("\x66\x2e\xc7\x80\x00\x01\x00\x00\x34\x12"); /* mov word cs:[eax+100h],1234h */

	assert_int_equal(f.prefixes, X86_PFX_66 | X86_PFX_SEG);
	assert_int_equal(f.n_prefix, 2);
	assert_int_equal(f.bare_bytes, 8);
	assert_int_equal(f.disp_bytes, 4);
	assert_int_equal(f.imm_bytes, 2);
	assert_int_equal(f.opcode, 0xc7);
	assert_int_equal(f.reg, 0);
	f = FACTS32("\xf0\x67\xff\x07"); /* lock inc dword [bx] */
	assert_int_equal(f.prefixes, X86_PFX_LOCK | X86_PFX_67);
	f = FACTS32("\xf3\xab"); /* rep stosd */
	assert_int_equal(f.prefixes, X86_PFX_REP);
	f = FACTS32("\x0f\x84\x00\x00\x00\x00"); /* jz near */
	assert_int_equal(f.map, X86_MAP_0F);
	assert_int_equal(f.reg, 8);
}

static void what_the_block_does_not_say_is_refused(void **state)
{
	static const uint8_t code[4] = {0x90, 0x90, 0x0f, 0xff};
	struct x86_insn in[2] = {{.pc_off = 0, .bytes = 2}, {.pc_off = 2, .bytes = 2}};
	const struct x86_block b = {
	    .code = code, .bytes = 4, .n_insn = 2, .mode = X86_MODE_32, .insn = in};
	struct x86_facts f;

	assert_false(x86_insn_facts(&b, 0, &f));
	assert_false(x86_insn_facts(&b, 1, &f));
	assert_int_equal(f.bare_bytes, 1);
	in[0].bytes = 1;
	assert_true(x86_insn_facts(&b, 0, &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(general_registers),
	    cmocka_unit_test(implicit_stack_pointer),
	    cmocka_unit_test(x87_stack),
	    cmocka_unit_test(mmx_registers),
	    cmocka_unit_test(encodings),
	    cmocka_unit_test(what_the_block_does_not_say_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
