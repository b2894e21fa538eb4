softpmu stat -x, -e instructions -o out -- sh -c 'kill -SEGV $$'
echo "status $?"
cut -d, -f3 out
softpmu stat -x, -e instructions -o out -- sh -c 'ls -d . ; exit 4'
echo "status $?"
cut -d, -f3 out
