# words as people have them: with a hyphen or without, plurals, synonyms, heads of columns, stages; words of softpmu's own code come last
for word in 'address generation interlock' 'AGI stalls' 'mispredicted branch' unpaired 'not paired' V EX 'in EX' 'store that misses' 'write allocate' D2; do
	echo "$word: $(softpmu explain "$word" | sed -n 2p | cut -d' ' -f3-8)"
done
softpmu explain 'AGI stall' | grep -c 'In the glossary'
softpmu explain 'agi stalls' | grep '^  PIPELINE'
softpmu explain btb --cpu pentium | sed -n 2,3p
softpmu explain 'wrong prediction' --cpu pentium | sed -n 2,5p
softpmu explain D2 --cpu pentium3 | grep -e D1 -e PARTIAL
softpmu explain store | sed -n 1,3p
softpmu explain agi --cpu pentium3 | grep -e listing -e 'P6 has none'
softpmu list explanations | grep -e pipeline -e accuracy
softpmu list explanations --json | jq -c 'map(select(.family == "P6"))[0]'
