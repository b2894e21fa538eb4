# check-docs.awk -- the text of the documents: "FILE:LINE: what" for each line that breaks a rule.
#
# RULES   A line has 110 columns at most, but for tables, code and links.
#         A paragraph or list item has 120 words at most. (Fill to 100 columns.)
# CODE    is what is fenced, or indented by four columns more than the text around it behind an empty line.
# LINKS   are lines with an address ("://", "](").
# TERMS   of the glossary are lines of their own, because `softpmu explain WORD` prints them.

function finish() {
	if (words > 120)
		printf "%s:%d: a paragraph of %d words; 120 is the most\n", name, first, words
	words = 0
}

FNR == 1 { finish(); fenced = code = text = 0; blank = 1 }
{ name = FILENAME }
/^ *```/ { finish(); fenced = !fenced; next }
fenced { next }
/^[ \t]*$/ { finish(); blank = 1; next }
{
	match($0, /^[ \t]*/)
	indent = RLENGTH
	if (substr($0, 1, 1) == "\t")
		indent += 7
	if (blank)
		code = indent >= text + 4
	is_blank = blank
	blank = 0
}
code { next }
/^[ \t]*\|/ { finish(); next }
/^#/ { finish(); text = 0 }
match($0, /^ *([*+-]|[0-9]+\.) +/) { finish(); text = RLENGTH }
/^\*\*/ { finish() }
is_blank && indent == 0 && !/^([*+-]|[0-9]+\.) / { text = 0 }
name !~ /GLOSSARY/ && length($0) > 110 && !/:\/\/|\]\(/ { printf "%s:%d: %d columns; 110 is the most\n", name, FNR, length($0) }
{
	if (!words)
		first = FNR
	words += NF
}
END { finish() }
