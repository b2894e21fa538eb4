/* quiet.c -- first bytes of instructions. Rules: quiet.h. */
#include "bare/plugin/quiet.h"

/* The second operand is a register: ModRM begins with bits 11. */
static bool is_register_form(uint8_t modrm)
{
	return modrm >= 0xc0;
}

static bool is_quiet_0f(const uint8_t *code, size_t n)
{
	switch (code[1] & 0xf0) {
	case 0x80: return true; /* Jcc */
	case 0x40:		/* CMOVcc */
	case 0x90: return n > 2 && is_register_form(code[2]);
	case 0xb0: /* MOVZX, MOVSX */
		return n > 2 && is_register_form(code[2]) &&
		       ((code[1] & 0xfe) == 0xb6 || (code[1] & 0xfe) == 0xbe);
	default: return false;
	}
}

bool bare_is_quiet(const uint8_t *code, size_t n)
{
	const uint8_t op = n ? code[0] : 0;

	if (n < 1)
		return false;
	if (op < 0x40 && (op & 7) < 4) /* arithmetic of two operands */
		return n > 1 && is_register_form(code[1]);
	if (op < 0x40 && (op & 7) < 6) /* ... of AL or eAX and a constant */
		return true;
	if ((op >= 0x40 && op < 0x50) || (op >= 0x70 && op < 0x80) || (op >= 0xb0 && op < 0xc0))
		return true; /* INC, DEC; Jcc; MOV of a constant */
	switch (op) {
	case 0x0f: return n > 1 && is_quiet_0f(code, n);
	case 0x80:
	case 0x81:
	case 0x83:
	case 0x84:
	case 0x85:
	case 0x88:
	case 0x89:
	case 0x8a:
	case 0x8b:
	case 0xc0:
	case 0xc1:
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3: return n > 1 && is_register_form(code[1]);
	case 0x8d: /* LEA */
	case 0x90:
	case 0xa8:
	case 0xa9:
	case 0xe9:
	case 0xeb: return true;
	default: return false;
	}
}

/* The first byte that is no prefix; n where there is none. */
static size_t opcode(const uint8_t *code, size_t n)
{
	size_t i = 0;

	while (i < n && (code[i] == 0x66 || code[i] == 0x67 || code[i] == 0xf2 || code[i] == 0xf3 ||
			 code[i] == 0x2e || code[i] == 0x26 || code[i] == 0x36 || code[i] == 0x3e ||
			 code[i] == 0x64 || code[i] == 0x65))
		i++;
	return i;
}

bool bare_faults_late(const uint8_t *code, size_t n)
{
	const size_t i = opcode(code, n);

	return i + 1 < n && (code[i] & 0xfe) == 0xf6 && (code[i + 1] & 0x30) == 0x30;
}

bool bare_writes_port(const uint8_t *code, size_t n)
{
	const size_t i = opcode(code, n);

	return i < n &&
	       ((code[i] & 0xfe) == 0xe6 || (code[i] & 0xfe) == 0xee || (code[i] & 0xfe) == 0x6e);
}

bool bare_shows_width(uint8_t first)
{
	if (first < 0x40)
		return (first & 7) == 1 || (first & 7) == 3;
	return (first >= 0x40 && first < 0x60) || first == 0x85 || first == 0x89 || first == 0x8b;
}
