# One softpmu counts another one, which cannot start its program there.
softpmu stat -q -e instructions -o counts -- softpmu stat -e instructions -- echo never
echo "status $?"
grep -o 'The run ended early: .*' counts
