# What the pages show of list, explain, asm and help is what these print; ... stands for lines left out.
for c in list explain asm help; do
	mandoc -T utf8 "$MAN/softpmu-$c.1" >/dev/null || echo "$c: unreadable"
	awk '/^\.EX/ { on = 1; next } /^\.EE/ { on = 0; print "END" } on' "$MAN/softpmu-$c.1" |
		sed 's/\\&//; s/\\-/-/g; s/\\e/\\/g' >examples
	command= n=0
	compare() {
		[ -n "$command" ] && [ -s shown ] || return
		n=$((n + 1))
		eval "$command" 2>&1 | sed 's/ *$//' >printed
		[ "$(tail -n 1 shown)" = ... ] && sed -i '$d' shown && head -n "$(wc -l <shown)" printed >cut && mv cut printed
		sed -i -e :a -e '/^\n*$/{$d;N;ba' -e '}' printed shown
		diff shown printed >difference || { echo "$command: page and output differ"; cat difference; }
	}
	while IFS= read -r line; do
		case $line in
		'$ '* | END) compare; command=${line#'$ '}; : >shown; [ "$line" != END ] || command= ;;
		*) printf '%s\n' "$line" >>shown ;;
		esac
	done <examples
	[ $n -gt 0 ] || echo "$c: no example with output"
done
