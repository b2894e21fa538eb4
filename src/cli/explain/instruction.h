/* instruction.h -- softpmu explain MNEMONIC: what the models know of an instruction. */
#ifndef SOFTPMU_CLI_EXPLAIN_INSTRUCTION_H
#define SOFTPMU_CLI_EXPLAIN_INSTRUCTION_H

#include <stdbool.h>

/* Print `before`, then the rows of the catalog for a mnemonic, in any case: clocks and pairing on a
 * Pentium, micro-ops and latencies on a P6, with their sources. "jne" has the rows of "jcc", "rep
 * movs" those of "rep_movs", "imull" those of "imul". Returns false, and prints nothing, when no
 * table has one. */
bool cli_explain_instruction(const char *mnemonic, const char *before);

#endif
