softpmu stat -x, -e instructions -o out -- true
softpmu stat -x, -e instructions -o out --append -- true
wc -l <out
sort -u out | cut -d, -f1 | wc -l
