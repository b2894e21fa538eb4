softpmu check -q -o out -- cat /dev/null
echo "status $?"
grep -c BROKEN out
