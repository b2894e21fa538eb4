# sum.jq -- counts of each function as report --json and the page's data have them, in one form: name, object's last part, counts by event.
# Rows of one name and object are one.
def base: split("/") | last // "";
def rows:
	if has("columns") then .events as $e | .rows[] | select(has("f")) |
		{f, o: ((.o // "") | base), c: ([.c, ($e | map(.name))] | transpose | map({(.[1]): .[0]}) | add)}
	else .rows[] | {f: .function, o: ((.object // "") | base), c: .counts} end;
[rows] | group_by([.f, .o]) | map({f: .[0].f, o: .[0].o, c: (map(.c | to_entries[]) | group_by(.key) | map({key: .[0].key, value: (map(.value) | add)}) | from_entries)})
