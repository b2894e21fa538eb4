# make install-man puts each command's page where man looks; uninstall-man removes it.
cd "$MAN/../../.." || exit
build=$(realpath --relative-to=. "$MAN/..")
make -s install-man BUILD="$build" DESTDIR="$OLDPWD/root" PREFIX=/opt/x
ls "$OLDPWD/root/opt/x/share/man/man1"
make -s uninstall-man BUILD="$build" DESTDIR="$OLDPWD/root" PREFIX=/opt/x
ls "$OLDPWD/root/opt/x/share/man/man1"
