# frames.awk -- frames of the graph of call paths: function, its count of the first event, "outermost" or "inner" when a frame of the
# same function is above it, with tabs between. A frame whose children have more than it is told.
/<svg class="flame"/ { is_in = 1; next }
is_in && /^<\/svg>/ { is_in = 0 }
is_in && match($0, /data-p="[0-9]+"/) {
	up = substr($0, RSTART + 8, RLENGTH - 9) + 0
	match($0, /data-n="-?[0-9]+/)
	n = substr($0, RSTART + 8, RLENGTH - 8) + 0
	match($0, /<text[^>]*>.*<\/text>/)
	name = substr($0, RSTART, RLENGTH)
	sub(/^<text[^>]*>/, "", name)
	sub(/<\/text>$/, "", name)
	gsub(/&lt;/, "<", name)
	gsub(/&gt;/, ">", name)
	gsub(/&amp;/, "\\&", name)
	function_of[all + 0] = name
	parent[all + 0] = up
	count[all + 0] = n
	if (all)
		below[up] += n
	where = "outermost"
	for (k = up; all && k; k = parent[k])
		if (function_of[k] == name)
			where = "inner"
	print name "\t" n "\t" where
	all++
}
END { for (k = 0; k < all; k++) if (below[k] > count[k]) print function_of[k] " has " count[k] ", its children more than its caller: " below[k] }
