# softpmu help CMD and softpmu CMD --help print the same.
for c in stat run list explain check asm rabbit doctor help completion; do
	softpmu help $c >one || echo "help $c: $?"
	softpmu $c --help >two 2>&1 || echo "$c --help: $?"
	diff one two >difference || { echo "$c"; cat difference; }
done
