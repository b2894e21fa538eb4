# picture.awk -- the numbers of a picture in ASCII, one per line: "code label<TAB>number". Usage: LC_ALL=C awk -f picture.awk picture
# Columns: a box on the left in 1-33, arrows in 34-46, a bus in 47, a box on the right in 49-80.

function trim(s) { sub(/^ +/, "", s); sub(/ +$/, "", s); return s }

# "80 fetches  1,231,675 40.1%" to label and number.
function tell(s,    number) {
	sub(/ [<>]?[0-9.]+%$/, "", s)
	s = trim(s)
	if (s ~ / not modelled$/)
		number = "<not modelled>"
	else if (match(s, / ?[0-9,]+$/))
		number = trim(substr(s, RSTART))
	else
		return
	s = trim(substr(s, 1, length(s) - length(number == "<not modelled>" ? "not modelled" : number)))
	gsub(/,/, "", number)
	gsub(/ +/, " ", s)
	print s "\t" number
}

# What stands in a box, or on an arrow between two.
function cell(s) {
	if (s ~ /^[|+] .* [|+]$/ && s !~ /--/)
		tell(trim(substr(s, 3, length(s) - 3)))
	else if (s ~ /^  [v^] +[^ ]/)
		tell(trim(substr(s, 5)))
}

{
	line = sprintf("%-80s", $0)
	left = substr(line, 1, 33); lane = substr(line, 34, 13); right = substr(line, 49, 32)
	sub(/^ +$/, "", lane)
	cell(left)
	cell(right)
	if (lane ~ /[<>]$|^[<>]|-/) {
		number = lane
		gsub(/[-<>+|#]/, " ", number)
		number = trim(number)
		sub(/ [<>]?[0-9.]+%$/, "", number)
		gsub(/,/, "", number)
		if (above != "" && number != "")
			print above "\t" number
	}
	above = lane ~ /[<>]$|^[<>]|--/ ? "" : trim(lane)
}
