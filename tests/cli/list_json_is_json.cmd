# every table of every processor parses, and the events have their fields
for topic in events cpus groups metrics relations; do
	for cpu in pentium pentium-mmx pentiumpro pentium2 pentium3 toy; do
		softpmu list $topic --cpu $cpu --json | jq -e 'type == "array" and length > 0' >/dev/null ||
			echo "$topic $cpu"
	done
done
softpmu list --cpu celeron-covington --json | jq -r '[.[] | keys[]] | unique | join(" ")'
