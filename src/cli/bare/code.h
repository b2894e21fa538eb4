/* code.h -- a few instructions as a disk that a PC starts: softpmu bare --code.
 *
 * RULES            the text is Intel's syntax, as of softpmu asm; statements end with ; or a new
 *                  line. It begins at CODE_START in the mode that is asked for, with interrupts
 *                  off, flat segments, a stack below 7C00H and CLD. Behind it the machine is ended
 *                  by QEMU's port F4H, which does not count.
 */
#ifndef SOFTPMU_CLI_BARE_CODE_H
#define SOFTPMU_CLI_BARE_CODE_H

#include <stdint.h>

#define CODE_START 0x8000u

/* Assemble `text` for a mode (real, v86, protected16, protected32, ring3). *fd receives a file in
 * memory with the disk, the caller's; *stop the address behind the text. Returns 0 or an exit code
 * after a message. */
int cli_bare_code(const char *text, const char *mode, int *fd, uint32_t *stop);

#endif
