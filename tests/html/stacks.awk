# stacks.awk -- what the bars of the functions of a page (without an old record) are made of: function, event, count, with tabs between.
/<table class="stacks"/ { is_in = 1 }
/<\/table>/ { is_in = 0 }
is_in && match($0, /<bdi class="fn">.*<\/bdi>/) {
	name = substr($0, RSTART + 16, RLENGTH - 22)
	gsub(/&lt;/, "<", name)
	gsub(/&gt;/, ">", name)
	gsub(/&amp;/, "\\&", name)
}
is_in {
	line = $0
	while (match(line, /data-event="[^"]*" data-value="[0-9]+"/)) {
		split(substr(line, RSTART, RLENGTH), field, "\"")
		printf "%s\t%s\t%s\n", name, field[2], field[4]
		line = substr(line, RSTART + RLENGTH)
	}
}
