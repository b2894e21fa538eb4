/* insn.c -- reads the bytes of an instruction from its file, and decodes them. */
#include "where/insn.h"

#include <Zydis/Zydis.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool whr_code_open(struct whr_code *c, const char *path)
{
	unsigned char ident[EI_NIDENT] = {0};

	*c = (struct whr_code){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
	if (c->fd < 0)
		return false;
	c->is_open = pread(c->fd, ident, sizeof(ident), 0) == sizeof(ident) &&
		     !memcmp(ident, ELFMAG, SELFMAG);
	c->is_32 = ident[EI_CLASS] == ELFCLASS32;
	if (!c->is_open)
		close(c->fd);
	return c->is_open;
}

void whr_code_close(struct whr_code *c)
{
	if (c->is_open)
		close(c->fd);
	c->is_open = false;
}

const char *whr_code_text(const struct whr_code *c, uint64_t offset, uint64_t address, char *out,
			  size_t room)
{
	ZydisDisassembledInstruction insn;
	uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
	const ssize_t n = c->is_open ? pread(c->fd, bytes, sizeof(bytes), (off_t)offset) : 0;

	snprintf(out, room, "?");
	if (n > 0 && ZYAN_SUCCESS(ZydisDisassembleIntel(c->is_32 ? ZYDIS_MACHINE_MODE_LEGACY_32
								 : ZYDIS_MACHINE_MODE_LONG_64,
							address, bytes, (ZyanUSize)n, &insn)))
		snprintf(out, room, "%s", insn.text);
	return out;
}
