# Each command has a page, that page has these sections and every option of the command, and the overview names it.
names() { sed -n 's/^.*\\fB\\-\\-\([^\\ ]*\(\\-[^\\ ]*\)*\)\\fR.*/\1/p' "$1" | tr -d '\\'; }
for c in $(softpmu help | sed -n 's/^  softpmu \([a-z]*\).*/\1/p'); do
	page=$MAN/softpmu-$c.1
	[ -f "$page" ] || { echo "$c has no page"; continue; }
	for s in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
		tr -d '"' <"$page" | grep -qx "\.SH $s" || echo "$c: no section $s"
	done
	tr -d '\\' <"$page" | grep -q '^\$ ' || echo "$c: no example"
	tr -d '\\' <"$MAN/softpmu.1" | grep -qx "\.BR softpmu-$c (1)" || echo "softpmu.1 does not name $c"
	case $c in doctor | help | completion) continue ;; esac
	if [ $c = rabbit ]; then # options with one dash
		softpmu rabbit --help | grep -o '^  -[^ ,]*' | cut -c3- >options
		tr -d '\\' <"$page" | sed -n '/^.SH OPTIONS/,/^.SS Masks/s/^fB\([^ ]*\)fR.*/\1/p' | sed 's/fR,.*//' >paged
		[ "$(wc -l <options)" -gt 20 ] && diff options paged || echo "$c: help and page differ"
		continue
	fi
	{ softpmu $c --help-all || softpmu $c --help; } 2>/dev/null | grep -o '^  .\{4\}--[a-z0-9-]*' | cut -c9- >options
	[ "$(wc -l <options)" -gt 1 ] || echo "$c: the help shows no options"
	names "$page" >paged
	diff options paged >difference || { echo "$c: help and page differ"; cat difference; }
done
