# wings.awk -- arrows between the wings of a room that run against the order of tools/layers.txt.
#
# Usage: awk -f tools/wings.awk tools/layers.txt FILE... ; FILE: every .c, .h and .S below the folders that have wings. Prints a line
# "FILE NAME" per arrow: FILE calls the function NAME, or includes the header NAME.
#
# A folder F has wings when layers.txt has a line "F/WING: ...". A file of F itself sees all wings. What F's headers define may be used
# by all; what its .c files define by none of the wings. Headers of F hold the state of all wings, so they may include all, but their
# functions call none.
# LIMITS   text, not C: a name is used where it stands inside braces or in a #define, and a function is what such a name is defined as
#          at the left margin. Members, tags of structs and names that the file itself defines are no uses.

# wing_of(path): sets family and wing ("": on top); false when it has none
function wing_of(path,   i, n, p, at)
{
	n = split(path, p, "/")
	at = ""
	for (i = 2; i < n; i++) {
		at = at (i > 2 ? "/" : "") p[i]
		if (at in folder) {
			family = at
			wing = i + 1 < n ? p[i + 1] : ""
			return 1
		}
	}
	return 0
}

# Lines of layers.txt that name wings.
FILENAME ~ /layers\.txt$/ {
	if ($0 !~ /^#/ && $1 ~ /^[a-z0-9_]+(\/[a-z0-9_]+)+:$/) {
		path = substr($1, 1, length($1) - 1)
		match(path, /\/[a-z0-9_]+$/)
		folder[substr(path, 1, RSTART - 1)] = 1
		known[path] = 1
		for (i = 2; i <= NF; i++)
			may[path, $i] = 1
	}
	next
}

FNR == 1 {
	in_comment = depth = in_macro = 0
	head = ""
	is_header = FILENAME ~ /\.h$/
	has_wing = wing_of(FILENAME)
	from_family[FILENAME] = family
	from_wing[FILENAME] = has_wing ? wing : ""
	if (has_wing && wing != "" && !((family "/" wing) in known)) {
		print FILENAME " " family "/" wing "?"
		known[family "/" wing] = 1
	}
}

!has_wing { next }

{
	line = $0
	if (line ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
		split(line, q, "\"")
		include[++n_include] = FILENAME SUBSEP q[2]
		next
	}
	# comments, strings and characters go
	gsub(/\\["'\\]/, "", line)
	gsub(/"[^"]*"/, "0", line)
	gsub(/'[^']*'/, "0", line)
	rest = line
	line = ""
	while (rest != "") {
		if (in_comment) {
			at = index(rest, "*/")
			if (!at)
				break
			rest = substr(rest, at + 2)
			in_comment = 0
		} else {
			at = index(rest, "/*")
			line = line " " (at ? substr(rest, 1, at - 1) : rest)
			rest = at ? substr(rest, at + 2) : ""
			in_comment = at > 0
		}
	}
	sub(/\/\/.*/, "", line)
	gsub(/__attribute__ *\(\([a-z_]*(\([^()]*\))?\)\)/, "", line)
	if (line ~ /^ *[ \t]*#/ || in_macro) {
		in_macro = $0 ~ /\\$/
		sub(/^ *[ \t]*#[ \t]*define[ \t]+[A-Za-z0-9_]+/, "", line)
		uses(line)
		next
	}
	scan(line)
}

# names that a piece of text inside braces uses
function uses(text,   n, i, name)
{
	gsub(/(struct|enum|union)[ \t]+[A-Za-z0-9_]+/, " ", text)
	gsub(/(\.|->)[ \t]*[A-Za-z_][A-Za-z0-9_]*/, " ", text)
	gsub(/ *\(/, "( ", text)
	gsub(/[^A-Za-z0-9_(]+/, " ", text)
	n = split(text, name, " ")
	for (i = 1; i <= n; i++) {
		if (name[i] !~ /^[a-z].*(_|\()/) # a variable may have the name of a function that has no prefix
			continue
		sub(/\(.*/, "", name[i])
		if (!((FILENAME, name[i]) in seen)) {
			seen[FILENAME, name[i]] = 1
			use[++n_use] = FILENAME SUBSEP name[i]
		}
	}
}

# a line of code: braces, heads of functions, what stands inside
function scan(text,   part, c, at)
{
	while (match(text, /[{};]/)) {
		part = substr(text, 1, RSTART - 1)
		c = substr(text, RSTART, 1)
		text = substr(text, RSTART + 1)
		if (depth)
			uses(part)
		else
			head = head " " part
		if (c == "{" && !depth++)
			define(head)
		if (c == "}" && depth)
			depth--
		if (!depth && c != "{")
			head = ""
	}
	if (depth)
		uses(text)
	else
		head = head " " text
}

function define(text,   name)
{
	if (text ~ /=/ || !match(text, /[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/))
		return
	name = substr(text, RSTART, RLENGTH - 1)
	if (!is_header && text ~ /^[ \t]*static /)
		own[FILENAME, name] = 1
	else
		home[name] = home[name] == "" ? FILENAME : home[name]
}

# may wing a of a family use what lies in `to`? Top headers: callers without a wing of their own.
function is_back(from, to, is_call,   a, b)
{
	a = from_wing[from]
	b = from_wing[to]
	if (from_family[from] != from_family[to] || from_family[to] == "" || a == b)
		return 0
	if (a == "")
		return is_call && from ~ /\.h$/
	if (b == "")
		return to !~ /\.(h|def)$/
	return !((from_family[from] "/" a, b) in may)
}

END {
	for (i = 1; i <= n_include; i++) {
		split(include[i], x, SUBSEP)
		to = "src/" x[2]
		if (!(to in from_wing)) {
			has_wing = wing_of(to)
			from_family[to] = has_wing ? family : ""
			from_wing[to] = has_wing ? wing : ""
		}
		if (is_back(x[1], to, 0))
			print x[1] " " x[2]
	}
	for (i = 1; i <= n_use; i++) {
		split(use[i], x, SUBSEP)
		if (!((x[1], x[2]) in own) && x[2] in home && is_back(x[1], home[x[2]], 1))
			print x[1] " " x[2]
	}
}
