softpmu list names --cpu p6
softpmu list --json names --cpu i586 | jq -c ".[:3][], .[-1]"
