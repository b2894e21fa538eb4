# counts of clocks by what happens in them add up to the event and to the clocks
softpmu stat -x, -e cycles,inst_decoded,inst_decoded:c=1,inst_decoded:c=2,inst_decoded:c=3,inst_decoded:c=4,inst_decoded:c=1:i -- sh -c 'echo a | sort' 2>&1 >/dev/null |
	awk -F, '{ n[$3] = $1 } END { print n["inst_decoded"] == n["inst_decoded:c=1"] + n["inst_decoded:c=2"] + n["inst_decoded:c=3"],
		n["inst_decoded:c=4"], n["cycles"] == n["inst_decoded:c=1"] + n["inst_decoded:c=1:i"], (n["cycles"] > 100000) }'
softpmu stat -x, -e uops_retired,uops_retired:c=1,uops_retired:c=2,uops_retired:c=3,uops_retired:c=4 -- ls / 2>&1 >/dev/null |
	awk -F, '{ n[$3] = $1 } END { print n["uops_retired"] == n["uops_retired:c=1"] + n["uops_retired:c=2"] + n["uops_retired:c=3"],
		n["uops_retired:c=4"] }'
