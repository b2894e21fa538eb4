# Every page is clean roff. (The pages have no date: their text is that of the version.)
for page in "$MAN"/*.1; do
	mandoc -T lint -W warning "$page" | grep -v "missing date" | sed 's,.*/man/,,'
done
