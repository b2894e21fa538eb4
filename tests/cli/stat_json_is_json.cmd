softpmu stat --json -e instructions,cycles -- true 2>&1 | jq -r ".events[] | .status, (.value | type)"
