# notes that matter, a line of 100 columns each; all of them with -v and in --json; none with -q
softpmu stat --env clean -- sh -c 'sleep 0.01; date' 2>&1 >/dev/null | grep Note | awk 'length > 100'
softpmu stat --env clean -- expr 1 + 1 2>&1 >/dev/null | grep Note | sed 's/[0-9.]* %/N %/g'
softpmu stat --env clean --cpu p5 -- expr 1 + 1 2>&1 >/dev/null | grep Note.*-e
softpmu stat --env clean -e instructions -- expr 1 + 1 2>&1 >/dev/null | grep -c Note
softpmu stat --env clean -v -- expr 1 + 1 2>&1 >/dev/null | grep -c Note
softpmu stat --env clean -q -- expr 1 + 1 2>&1 >/dev/null | grep -c Note
softpmu stat --env clean --json -- expr 1 + 1 2>&1 >/dev/null | jq '.notes | length'
