# Texts of docs/man/options.man belong to options that exist.
sed -n 's/^\.\\" option //p' "$MAN/../../../docs/man/options.man" | sort >texts
[ -s texts ] || echo "no texts"
cat "$MAN"/*.1 | sed -n 's/^.*\\fB\\-\\-\([^\\ ]*\(\\-[^\\ ]*\)*\)\\fR.*/\1/p' | tr -d '\\' | sort -u >options
comm -23 texts options
uniq -d texts
