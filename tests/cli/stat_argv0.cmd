# --argv0 is what the program finds as argv[0]; PATH is searched for the program's own name, and a script does not have it
softpmu run --argv0 pretended -- sh -c 'echo "$0"'
softpmu run --argv0=-sh -- sh -c 'echo "$0"'
softpmu stat -q -e instructions --argv0 pretended --json -o counts.json -- sh -c 'echo "$0"'
jq -c .program counts.json
softpmu record -o rec --argv0 pretended -e instructions -- sh -c 'echo "$0"' 2>/dev/null
printf '#!/bin/sh\necho "$0"\n' >script
chmod +x script
softpmu run --argv0 pretended -- ./script
softpmu run --argv0 pretended
# it is an input like the other arguments
softpmu stat -e instructions --argv0 other --against counts.json -o second -- sh -c 'echo "$0"'
grep -o 'argv.*' second
