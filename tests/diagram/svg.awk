# svg.awk -- the numbers that an SVG picture shows, one per line: "EVENT<TAB>number"; behind it data-value where that differs.

/data-event=/ {
	while (match($0, /data-event="[^"]*"( data-value="[0-9]*")?/)) {
		split(substr($0, RSTART, RLENGTH), part, "\"")
		event = part[2]; value = part[4]
		$0 = substr($0, RSTART + RLENGTH)
	}
}
event != "" && match($0, /<text class="(n|n none|mid|mid none)" [^>]*>[^<]*<\/text>/) {
	shown = substr($0, RSTART, RLENGTH)
	gsub(/<[^>]*>|,/, "", shown)
	if (shown == "not modelled")
		shown = "<not modelled>"
	print event "\t" shown (value != "" && value != shown ? "\tdata-value " value : "")
	event = ""
}
