softpmu list figures --cpu pentium -v | grep -A1 misaligned_clk; softpmu list figures --cpu pentium-mmx | grep fill_is_whole
softpmu list figures --cpu pentium3
softpmu list figures --json --cpu pentium | jq -r ".[0] | keys | join(\" \")"
