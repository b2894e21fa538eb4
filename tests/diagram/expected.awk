# expected.awk -- what the picture must show: "code label<TAB>number" of each event that stat -x, counted.
# Usage: awk -F '\t' -f expected.awk events.tsv diagram.tsv counts.csv

FILENAME ~ /events.tsv$/ { if ($1 ~ /^0x/) { code[$3] = toupper(substr($1, 3)); counter[$3] = $2 } }
FILENAME ~ /diagram.tsv$/ { if ($1 == "event") { label[$2] = $7; places[$2]++ } }
FILENAME ~ /counts.csv$/ {
	n = split($0, field, ",")
	if (n > 2 && toupper(field[3]) in code) {
		name[++all] = toupper(field[3])
		value[all] = field[1]
		of_code[code[toupper(field[3])]]++
	}
}
END {
	for (i = 1; i <= all; i++) {
		e = name[i]
		text = length(code[e]) > 2 ? "" : code[e]
		if (of_code[code[e]] > 1)
			text = text "." counter[e]
		print text (text == "" ? "" : " ") label[e] "\t" value[i]
		if (places[e] != 1)
			print "stands " places[e] + 0 " times: " e
	}
}
