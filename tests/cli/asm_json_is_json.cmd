softpmu asm --json --no-run 'cli; l: nop; dec ecx; jnz l' | jq -c '[.is_loop, .is_run, [.lines[].text]]'
