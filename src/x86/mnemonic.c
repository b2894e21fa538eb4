/* mnemonic.c -- mnemonics by number and by name, as Zydis has them. */
#include "x86/block.h"

#include <strings.h>

#include <Zydis/Zydis.h>

const char *x86_mnemonic_name(uint16_t mnemonic)
{
	const char *s = ZydisMnemonicGetString((ZydisMnemonic)mnemonic);

	return s ? s : "invalid";
}

uint16_t x86_mnemonic_number(const char *name)
{
	for (unsigned m = 1; m <= ZYDIS_MNEMONIC_MAX_VALUE; m++)
		if (strcasecmp(x86_mnemonic_name((uint16_t)m), name) == 0)
			return (uint16_t)m;
	return 0;
}
