# Events are matched by what they count, not by how they are spelled; and what was not compared is never "as before".
softpmu stat --env clean -e INST_RETIRED,uops_retired:c=1,l2_ld:m -o base.json --json -- true
against() { softpmu stat --env clean -o table "$@" -- true; grep -o '# was.*\|# as.*\|# not.*\|against.*' table; }
against -e instructions,r00c0,L2_LD:0x08 --against base.json
against -e uops_retired --against base.json
against -e uops_retired:cmask=1,instructions:u,l2_ld --against base.json
against -e task-clock --against base.json | tail -n 1
softpmu stat --env clean -e instructions,uops_retired,task-clock --json -o now.json --against base.json -- true
jq -c '.against | [.counts_compared, .counts_missing, .counts_differ]' now.json
softpmu stat --env clean -e INST_RETIRED -j -o lines.json -- true
against -e instructions --against lines.json
softpmu stat --env clean --cpu pentium -e INSTRUCTIONS_EXECUTED,instructions -o p5.json --json -- true
against -e instructions --against p5.json
echo environment
softpmu stat --json -o shell.json -- true
against -e instructions --against shell.json | sed 's/([0-9]* variables/(N variables/; s/was [0-9].*/was N/'
