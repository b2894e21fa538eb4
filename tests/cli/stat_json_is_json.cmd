softpmu stat --json -e instructions,seg_rename_stalls -- true 2>&1 | jq -r ".events[] | .status, (.value | type)"
