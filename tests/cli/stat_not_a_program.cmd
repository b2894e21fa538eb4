mkdir dir; : >empty; echo hello >text; printf '\177ELF' >cut; printf '#!/no/such/sh\n' >script
chmod +x empty text cut script; : >plain
for f in ./dir ./empty ./text ./cut ./script ./missing; do
	softpmu stat -- $f
	echo "status $?"
done
