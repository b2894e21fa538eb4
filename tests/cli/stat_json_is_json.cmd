softpmu stat --json -e instructions,instructions:k -- true 2>&1 | jq -r ".events[] | .status, (.value | type)"
