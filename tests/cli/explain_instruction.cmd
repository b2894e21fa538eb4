# an instruction by its mnemonic: clocks and pairing, micro-ops, latency, each with its source
softpmu explain imul
softpmu explain JNE | head -n 7
softpmu explain fmul | grep -A 1 Pentium:
softpmu explain addl | head -n 1
softpmu explain 'rep movs' | head -n 4
# an event of that name comes first
softpmu explain mul | grep -nE '^(MUL|mul)'
softpmu explain cvttps2pi | grep had
# no instruction of a table
softpmu explain imulx
softpmu explain default | grep -c instruction
