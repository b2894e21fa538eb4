softpmu stat -x, -e instructions -o out -- sh -c 'exit 7'
echo "status $?"
cut -d, -f2- out | cut -d, -f1,2
