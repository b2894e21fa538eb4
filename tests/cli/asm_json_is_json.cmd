softpmu asm --json --no-run 'cli; l: nop; dec ecx; jnz l' | python3 -c 'import json,sys; o=json.load(sys.stdin); print(o["is_loop"], o["is_run"], [l["text"] for l in o["lines"]])'
