# a file that is none of what is wanted: it says what it is
softpmu trace -q -o trace true; softpmu record -q -e instructions -o record true; softpmu stat --json -o json true; : >empty; mkdir folder
echo hello >text; echo '{}' >other.json; printf '\037\213\010' >pressed; printf '\001\002\003' >bytes
for file in trace json empty folder text other.json pressed bytes /bin/true; do softpmu report $file; done
for file in record json empty folder text /bin/true; do softpmu trace --info $file; done
softpmu diff record text; softpmu html text; softpmu replay record; softpmu annotate main trace
head -c 40 trace >cut; softpmu replay cut
