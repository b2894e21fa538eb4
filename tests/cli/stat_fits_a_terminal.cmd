# At a terminal the table fits its width, and the largest share is bold; NO_COLOR and --color are heard; a pipe sees neither.
at() { TERM=xterm script -qc "stty cols $1; $2" /dev/null </dev/null | tr -d '\r'; }
bare() { sed 's/\x1b\[1\?m//g'; }
bold() { grep -c "$(printf '\033\[1m')"; }
unset COLUMNS NO_COLOR
one="softpmu stat --env clean -M cpi-stack -- /bin/true"
two="softpmu stat --env clean -M cpi-stack --cpu pentium,pentium3 -- /bin/true"
named="softpmu stat --env clean -e inst_retired,dcu_lines_in,cpu/event=0x29,umask=0x0c,name=a_name_that_no_terminal_of_sixty_can_show/ -- /bin/true"
softpmu stat --env clean --json -o base.json -- seq 1000 >/dev/null
against="softpmu stat --env clean --against base.json -- seq 1100 2>&1 >/dev/null | cat"
compared="softpmu stat --env clean --against base.json -- seq 1100 >/dev/null"
for c in 60 80; do
	for command in "$one" "$two" "$named" "$compared"; do
		at $c "$command" | bare | awk -v c=$c 'length > c { print c ": " $0 }'
	done
done
echo "80 columns, parts of a stack: $(at 80 "$one" | bare | grep -c '^ .*[0-9]  *[:R][a-zA-Z_:0-9]* *#') in one line, $(at 80 "$one" | grep -c '^ *#') in two"
echo "compared: $(at 80 "$compared" | grep -c ' # .*, was [0-9]') metrics with what they were, bold: $(at 80 "$compared" | bold | sed 's/^[1-9].*/some/')"
echo "bold where all is as before: $(at 80 "${compared/1100/1000}" | bold)"
eval "$against" | grep -c '# was.*# .*, was'
for command in stat run check list explain asm lab record report diff; do softpmu help $command; softpmu $command --help-all 2>/dev/null; softpmu --help; done | awk 'length > 80'
softpmu help check | grep -A2 -e --tier
at 60 "$named" | grep -o '[.][.].*sixty_can_show'
at 60 "$named" | grep -c '^ *# .*l1d_miss_pki'
at 60 "${named/ -e/ -v -e}" | grep -o ' a_name.*'
echo "bold: $(at 80 "$one" | bold) of one, $(at 80 "$two" | bold) of two"
echo "NO_COLOR: $(at 80 "NO_COLOR=1 $one" | bold), never: $(at 80 "${one/ -M/ --color never -M}" | bold)"
echo "pipe: $($one 2>&1 | bold), always: $(softpmu stat --color always -M cpi-stack -- /bin/true 2>&1 | bold)"
$named 2>&1 | grep -v seconds >whole
COLUMNS=60 $named 2>&1 | grep -v seconds | diff whole - && echo "a pipe has no width"
softpmu stat --color sometimes /bin/true
