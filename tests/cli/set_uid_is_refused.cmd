# Installed set-uid, softpmu starts nothing. Only root can give a file away, and some file systems ignore the bit: nothing to
# test there.
cp -L "$(command -v softpmu)" own && chmod 755 own
if [ "$(id -u)" = 0 ] && chown 65534 own && chmod u+s own && [ -u own ] && ! findmnt -no OPTIONS -T . | grep -q nosuid; then
	./own stat -- echo ran 2>&1
	echo "status $?"
	./own --version 2>&1
	echo "status $?"
else
	echo "softpmu: softpmu is installed set-uid, set-gid or with capabilities, and runs any program that its caller names: it starts only with its caller's own rights; take the extra ones away (chmod ug-s, setcap -r)"
	echo "status 125"
	echo "softpmu: softpmu is installed set-uid, set-gid or with capabilities, and runs any program that its caller names: it starts only with its caller's own rights; take the extra ones away (chmod ug-s, setcap -r)"
	echo "status 125"
fi
chmod u-s own && chown "$(id -u)" own && ./own stat -e instructions -o /dev/null -- echo ran
