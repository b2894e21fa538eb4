softpmu stat -j -e instructions,cycles -- true 2>&1 | jq -r ".event"
