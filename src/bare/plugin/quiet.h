/* quiet.h -- what the plugin must know of an instruction's first bytes. */
#ifndef SOFTPMU_BARE_QUIET_H
#define SOFTPMU_BARE_QUIET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is the instruction of n bytes one of those that neither reach memory nor fault, so that a stretch
 * cannot stop at it? Only common forms without prefixes are known; false for all others. */
bool bare_is_quiet(const uint8_t *code, size_t n);

/* May it fault although it has made all of its accesses (DIV, IDIV)? */
bool bare_faults_late(const uint8_t *code, size_t n);

/* May it write to a port (OUT, OUTS)? */
bool bare_writes_port(const uint8_t *code, size_t n);

/* Does the text of an instruction with this first byte tell the width of the code by its
 * registers, although its length does not? */
bool bare_shows_width(uint8_t first);

#endif
