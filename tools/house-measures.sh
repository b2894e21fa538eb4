#!/bin/bash
# house-measures.sh -- how large, how knotted and how well described the rooms of src/ are, as one table.
#
#   house-measures.sh [FOLDER...]    a row per folder; without arguments src and its largest rooms
#
# COUNTING RULES
#   code        lines with something beside comments and blanks; about: lines with a comment alone, per line of code
#   func        functions, from the line of the head to the last brace; lines: the median of their length, 95 of 100, the longest
#   screen      functions of more than 60 lines; args: of six parameters and more
#   file        lines of the median file, and of the longest one
#   folder      files side by side in the fullest folder (lessons are data and left out)
#   circle      a .c with its .h is one pair; pairs that reach each other by calls form a circle: "67 of 97" is the largest one.
#               A call is a name that exactly one pair defines; names that a file defines for itself do not count
#   back        arrows between the wings of the folder that run back: lines of tools/wings-back.txt
#   no head     .c files that do not begin with a comment
#   >100        lines of more than 100 columns, a tab as one
# LIMITS        text, not C: what a preprocessor would leave out is counted, too. No build is needed; it takes seconds.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- src src/model src/model/p6 src/model/p5 src/guest src/session src/perfev src/translate src/cli src/report

measure='
function flush_file(   pair) {
	if (file == "")
		return
	size[++n_file] = n_line
	if (n_line > longest_file) { longest_file = n_line; longest_file_name = file }
}
function tokens(text, who,   n, i, t) {
	gsub(/(\.|->)[ \t]*[A-Za-z_][A-Za-z0-9_]*/, " ", text)
	gsub(/[^A-Za-z0-9_]+/, " ", text)
	n = split(text, t, " ")
	for (i = 1; i <= n; i++)
		if (t[i] ~ /^[a-z].*_/ && !((who, t[i]) in used)) { used[who, t[i]] = 1; use[++n_use] = who SUBSEP t[i] }
}
function begin_function(text,   name, args) {
	in_function = 0
	if (text ~ /=/ || !match(text, /[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/))
		return
	name = substr(text, RSTART, RLENGTH - 1)
	args = substr(text, RSTART + RLENGTH)
	in_function = 1
	function_name = name
	if (gsub(/,/, ",", args) >= 5)
		many_args++
	if (file ~ /\.c$/ && text ~ /^[ \t]*static /)
		own[pair, name] = 1
	else if (!(name in home))
		home[name] = pair
	else if (home[name] != pair)
		home[name] = "several"
}
function end_function() {
	if (!in_function)
		return
	in_function = 0
	length_of[++n_function] = n_line - head_line + 1
	if (length_of[n_function] > 60)
		over_screen++
	if (length_of[n_function] > longest) { longest = length_of[n_function]; longest_name = function_name }
}
function scan(text,   c, part) {
	while (match(text, /[{};]/)) {
		part = substr(text, 1, RSTART - 1); c = substr(text, RSTART, 1); text = substr(text, RSTART + 1)
		if (depth) tokens(part, pair); else { if (head == "" && part ~ /[^ \t]/) head_line = n_line; head = head " " part }
		if (c == "{" && !depth++) begin_function(head)
		if (c == "}" && depth && !--depth) end_function()
		if (!depth && c != "{") head = ""
	}
	if (depth) tokens(text, pair)
	else if (text ~ /[^ \t]/) { if (head ~ /^[ \t]*$/) head_line = n_line; head = head " " text }
}
FNR == 1 {
	flush_file()
	file = FILENAME; n_line = depth = in_comment = in_macro = in_function = 0; head = ""
	pair = file; sub(/\.[chS]$/, "", pair)
	pairs[pair] = 1
	if (file ~ /\.c$/ && $0 !~ /^\/\*/) no_head++
}
{
	n_line++
	if (length($0) > 100) over_100++
	line = $0; rest = line; line = ""; has_comment = in_comment
	gsub(/\\["\x27\\]/, "", rest); gsub(/"[^"]*"/, "0", rest); gsub(/\x27[^\x27]*\x27/, "0", rest)
	while (rest != "")
		if (in_comment) {
			if (!(at = index(rest, "*/"))) break
			rest = substr(rest, at + 2); in_comment = 0
		} else {
			at = index(rest, "/*")
			line = line " " (at ? substr(rest, 1, at - 1) : rest); rest = at ? substr(rest, at + 2) : ""
			if (at) in_comment = has_comment = 1
		}
	if (line ~ /[^ \t]/) code++; else if (has_comment) about++
	if (line ~ /^ *[ \t]*#/ || in_macro) {
		in_macro = $0 ~ /\\$/
		if (line !~ /#[ \t]*include/) { sub(/^ *[ \t]*#[ \t]*define[ \t]+[A-Za-z0-9_]+/, "", line); tokens(line, pair) }
		next
	}
	gsub(/__attribute__ *\(\([a-z_]*(\([^()]*\))?\)\)/, "", line)
	scan(line)
}
function sorted(a, n, b,   i, j, k) { # b[1..n]: a in order, by counting
	for (i = 1; i <= n; i++) many[a[i]]++
	for (i = k = 0; k < n; i++) { for (j = 0; j < many[i]; j++) b[++k] = i; delete many[i] }
}
END {
	flush_file()
	sorted(length_of, n_function, f); sorted(size, n_file, s)
	for (i = 1; i <= n_use; i++) {
		split(use[i], x, SUBSEP)
		if (!((x[1], x[2]) in own) && x[2] in home && home[x[2]] != "several" && home[x[2]] != x[1])
			arrow[x[1], home[x[2]]] = 1
	}
	for (a in arrow) { split(a, x, SUBSEP); next_of[x[1]] = next_of[x[1]] " " x[2] }
	for (p in pairs) { # all that p reaches
		n = split(p, todo, SUBSEP); n_todo = 1; todo[1] = p
		while (n_todo) {
			m = split(next_of[todo[n_todo--]], t, " ")
			for (i = 1; i <= m; i++)
				if (!((p, t[i]) in reach)) { reach[p, t[i]] = 1; todo[++n_todo] = t[i] }
		}
	}
	for (p in pairs) {
		n_pair++
		n = 1
		for (q in pairs) if (q != p && (p, q) in reach && (q, p) in reach) n++
		if (n > circle) circle = n
	}
	printf "%d|%d|%.2f|%d|%d/%d/%d|%d|%d|%d/%d|%s|%d|%d|%s|%s\n", n_file, code, about / code, n_function,
		f[int((n_function + 1) / 2)], f[int(n_function * 0.95) + (n_function == 1)], longest, over_screen, many_args, s[int((n_file + 1) / 2)],
		longest_file, (circle > 1 ? circle " of " n_pair : "none"), no_head, over_100, longest_name, longest_file_name
}'

{
	echo "room|files|code|about|func|lines/p95/max|screen|args|file/max|folder|circle|back|no head|>100||"
	for room; do
		row=$(find "$room" -name '*.[ch]' ! -path '*/lab/lessons/*' | sort | xargs awk "$measure")
		folder=$(find "$room" -type f ! -path '*/lab/lessons/*' -printf '%h\n' |
			sort | uniq -c | sort -rn | awk 'NR == 1 { print $1 }')
		back=$(grep -v '^#' tools/wings-back.txt | grep -c "^$room/" || true)
		IFS='|' read -r files code about func length screen args file circle no_head over longest long_file <<<"$row"
		cells=("$room" "$files" "$code" "$about" "$func" "$length" "$screen" "$args" "$file" "$folder" "$circle"
			"$back" "$no_head" "$over" "$longest" "${long_file#"$room"/}")
		(IFS='|' && echo "${cells[*]}")
	done
} | awk -F'|' '
	{ for (i = 1; i <= NF; i++) { cell[NR, i] = $i; if (length($i) > wide[i]) wide[i] = length($i) } }
	END {
		for (r = 1; r <= NR; r++) {
			printf "%-*s", wide[1], cell[r, 1]
			for (i = 2; i <= NF - 2; i++) printf "  %*s", wide[i], cell[r, i]
			print ""
		}
		print ""
		for (r = 2; r <= NR; r++)
			printf "%-*s  longest function %s, longest file %s\n", wide[1], cell[r, 1], cell[r, NF - 1], cell[r, NF]
	}'
