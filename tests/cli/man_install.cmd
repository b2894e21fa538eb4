# make install-man puts each command's page where man looks; uninstall-man removes it, as uninstall does, which hears prefix= like PREFIX=.
cd "$MAN/../../.." || exit
build=$(realpath --relative-to=. "$MAN/..")
make -s install-man BUILD="$build" DESTDIR="$OLDPWD/root" PREFIX=/opt/x
ls "$OLDPWD/root/opt/x/share/man/man1"
make -s uninstall-man BUILD="$build" DESTDIR="$OLDPWD/root" PREFIX=/opt/x
ls "$OLDPWD/root/opt/x/share/man/man1"
make -s install-man BUILD="$build" DESTDIR="$OLDPWD/root" prefix=/opt/x
install -D "$build/softpmu" "$OLDPWD/root/opt/x/bin/softpmu"
find "$OLDPWD/root" -type f | wc -l
make -s uninstall BUILD="$build" DESTDIR="$OLDPWD/root" prefix=/opt/x
find "$OLDPWD/root" -type f | wc -l
