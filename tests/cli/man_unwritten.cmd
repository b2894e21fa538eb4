# Texts of docs/man/options.man belong to options that exist.
sed -n 's/^\.\\" option //p' "$MAN/../../../docs/man/options.man" | sort >texts
[ -s texts ] || echo "no texts"
cat "$MAN"/*.1 | sed -n 's/^.*\\fB\\-\\-\([^\\ ]*\(\\-[^\\ ]*\)*\)\\fR.*/\1/p' | tr -d '\\' | sort -u >options
sed 's/ .*//' texts | sort -u | comm -23 - options
# a text for one command names a command
sed -n 's/.* //p' texts | sort -u | while read -r c; do [ -e "$MAN/softpmu-$c.1" ] || echo "$c"; done
uniq -d texts
