# A program opens cycles (perf_event_open, number 298) where the run counts none: ENOENT, and the report says what to ask for.
opens='$a = pack("LLQx24Qx64", 0, 112, 0, 0x60); print syscall(298, $a, 0, -1, -1, 0) < 0 ? $! + 0 : "open", "\n"'
softpmu stat -e dcu_lines_in -- perl -e "$opens" 2>&1 | grep -E '^(open|[0-9]+)$|CLK'
softpmu stat -e dcu_lines_in,cpu_clk_unhalted -- perl -e "$opens" 2>&1 | grep -E '^(open|[0-9]+)$|CLK'
# the same under run, where --tier left it out
softpmu run --tier 2 -- perl -e "$opens" 2>&1 | grep -E '^(open|[0-9]+)$|CLK'
softpmu run --tier 3 -- perl -e "$opens" 2>&1 | grep -E '^(open|[0-9]+)$|CLK'
