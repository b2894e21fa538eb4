//<![CDATA[
/* page.js -- what the page can do with scripts: choose a unit in the picture, and see its events
 * and who caused them; choose columns, sort, find a function.
 *
 * All numbers and texts come from the JSON of the element "data" (src/html/data.c); text is set as
 * text, never as markup. The state is one object, and show() draws from it.
 */
"use strict";
(function () {
	const MOST_COLUMNS = 4, MOST_COLUMNS_OF_TWO = 2, FIRST_ROWS = 40;
	const data = JSON.parse(document.getElementById("data").textContent);
	const events = data.events, hasOld = events.length > 0 && "old" in events[0];
	const mostColumns = hasOld ? MOST_COLUMNS_OF_TWO : MOST_COLUMNS;
	const first = data.columns;
	const state = {unit: "", columns: first, sort: first[0], word: "", isLong: false};
	const $ = (id) => document.getElementById(id);

	/* ---- small things ---- */

	function make(tag, attributes, ...children) {
		const e = document.createElement(tag);
		for (const [name, value] of Object.entries(attributes || {}))
			if (value !== null && value !== undefined)
				e.setAttribute(name, value);
		e.append(...children.filter((c) => c !== null && c !== undefined));
		return e;
	}

	function number(n) {
		return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
	}

	function signed(n) {
		return (n > 0 ? "+" : "") + number(n);
	}

	function share(n, whole) {
		const part = whole ? 100 * n / whole : 0;
		if (!n)
			return "";
		return Math.abs(part) < 0.05 ? "<0.1 %" : part.toFixed(1) + " %";
	}

	function change(before, now) {
		const part = before ? 100 * (now - before) / before : 0;
		if (part >= 1000)
			return "x" + Math.round(part / 100 + 1);
		if (before)
			return (part >= 0 ? "+" : "") + part.toFixed(2) + " %";
		return now ? "new" : "";
	}

	/* Half of an interval as a part of n: "+-0.21 %", "" of an exact count; null: nobody knows it. */
	function interval(half, n) {
		const part = half === null || !n ? Infinity : 100 * half / Math.abs(n);
		if (half === 0)
			return null;
		return make("small", {class: "half"}, part < 99.995 ? "+-" + part.toFixed(2) + " %" : "+->100 %");
	}

	/* A name that may be broken behind each underscore. */
	function breakable(name) {
		return name.split(/(?<=_)/).flatMap((part, i) => i ? [make("wbr"), part] : [part]);
	}

	function lastPart(path) {
		return path.slice(path.lastIndexOf("/") + 1);
	}

	/* ---- the table of functions ---- */

	/* What a row is sorted by: a count, or of two records how much it changed. */
	function weight(row, e) {
		return Math.abs(hasOld ? row.c[e] - row.b[e] : row.c[e]);
	}

	function causesAny(row, columns) {
		return columns.some((e) => row.c[e] || (hasOld && row.b[e]));
	}

	function matches(row) {
		const word = state.word.toLowerCase();
		return !word || (row.f + " " + (row.o || "")).toLowerCase().includes(word);
	}

	/* Rows that are wanted, in their order, and what the others sum to. */
	function chooseRows() {
		const named = data.rows.filter((r) => !("more" in r) && matches(r) && causesAny(r, state.columns));
		named.sort((r, s) => weight(s, state.sort) - weight(r, state.sort));
		const shown = state.isLong ? named : named.slice(0, FIRST_ROWS);
		const rest = named.slice(shown.length);
		const others = state.word ? [] : data.rows.filter((r) => "more" in r);
		return {shown, rest: rest.concat(others)};
	}

	/* What a change is: none where its interval explains it. */
	function changeOf(old, n, half) {
		if (n === old)
			return make("td", {class: "n"});
		if (half === null || Math.abs(n - old) <= half)
			return make("td", {class: "n"}, "as before ", interval(half, old));
		return make("td", {class: n > old ? "n more" : "n less"}, signed(n - old), " ",
			make("small", {}, change(old, n)), half ? " " : null, interval(half, old));
	}

	function cellsOf(count, before, halves) {
		return state.columns.flatMap((e) => {
			const n = count[e], whole = events[e].total, half = halves ? halves[e] : 0;
			if (!hasOld) {
				const part = Math.max(0, Math.min(100, whole ? 100 * n / whole : 0));
				return [make("td", {class: "n", "data-event": events[e].name, "data-value": n, style: "--part:" + part.toFixed(2) + "%"},
					n ? number(n) : "", n ? " " : "", n ? make("small", {}, share(n, whole)) : null,
					n && half ? " " : null, n && half ? interval(half, n) : null)];
			}
			const old = before[e];
			return [make("td", {class: "n old"}, number(old)),
				make("td", {class: "n", "data-event": events[e].name, "data-value": n}, number(n)),
				changeOf(old, n, half)];
		});
	}

	function nameOf(row) {
		const name = row.s === undefined ? row.f : make("a", {href: "#source-" + row.s}, row.f);
		return make("th", {scope: "row"}, make("bdi", {class: "fn"}, name),
			row.o ? " " : null, row.o ? make("bdi", {class: "object", title: row.o}, lastPart(row.o)) : null);
	}

	/* null, which nobody knows, stays so. */
	function addHalves(rows) {
		return events.map((_, e) => rows.some((r) => r.h[e] === null) ? null : rows.reduce((sum, r) => sum + r.h[e], 0));
	}

	function restRow(rows) {
		const add = (key) => events.map((_, e) => rows.reduce((sum, r) => sum + r[key][e], 0));
		const n = rows.reduce((sum, r) => sum + (r.more || 1), 0);
		const name = make("th", {scope: "row"}, "(" + number(n) + " more) ");
		if (rows.some((r) => !("more" in r))) {
			const button = make("button", {type: "button"}, "show them");
			button.addEventListener("click", () => { state.isLong = true; show(); });
			name.append(button);
		}
		return make("tr", {class: "rest"}, name, ...cellsOf(add("c"), hasOld ? add("b") : null, rows[0].h ? addHalves(rows) : null));
	}

	function headOf() {
		const cells = state.columns.map((e) => {
			const isSorted = e === state.sort;
			const button = make("button", {type: "button", title: "sort by it"}, ...breakable(events[e].name));
			button.addEventListener("click", () => { state.sort = e; show(); focusColumn(e); });
			return make("th", {scope: "col", class: "n", colspan: hasOld ? 3 : null, "data-column": e,
				"aria-sort": isSorted ? "descending" : null}, button,
				hasOld ? make("small", {}, "old, new, change") : null);
		});
		return make("thead", {}, make("tr", {}, make("th", {scope: "col"}, "function"), ...cells));
	}

	function focusColumn(e) {
		const button = document.querySelector("#function-table th[data-column='" + e + "'] button");
		if (button)
			button.focus();
	}

	function showTable() {
		const {shown, rest} = chooseRows();
		const body = make("tbody", {}, ...shown.map((r) => make("tr", {}, nameOf(r), ...cellsOf(r.c, r.b, r.h))));
		if (rest.length)
			body.append(restRow(rest));
		if (!shown.length && !rest.length)
			body.append(make("tr", {}, make("td", {colspan: 9}, "No function of this run did.")));
		$("function-table").replaceChildren(headOf(), body);
	}

	/* ---- units ---- */

	function titleOf(unit) {
		const text = document.querySelector("#unit-" + CSS.escape(unit) + " > summary b");
		return text ? text.textContent : unit;
	}

	function eventsOf(unit) {
		return events.map((_, i) => i).filter((i) => events[i].unit === unit);
	}

	/* Those that counted first, in their order. */
	function columnsOf(unit) {
		const all = eventsOf(unit);
		const counted = all.filter((e) => events[e].total || events[e].old);
		const known = counted.filter((e) => first.includes(e)); /* those that most readers ask for lead */
		const list = counted.length ? known.concat(counted.filter((e) => !known.includes(e))) : all;
		return list.slice(0, mostColumns);
	}

	function choose(unit, isByHand) {
		const columns = unit ? columnsOf(unit) : [];
		state.unit = unit;
		state.columns = columns.length ? columns : first;
		state.sort = state.columns[0];
		state.isLong = false;
		for (const text of document.querySelectorAll(".unit-text"))
			text.open = text.dataset.unit === unit;
		show();
		const text = unit && $("unit-" + unit);
		if (text && isByHand)
			reveal(text);
	}

	/* Bring a unit's text to where it can be read, in the column beside the picture. */
	function reveal(text) {
		const column = text.parentElement;
		if (column.scrollHeight > column.clientHeight + 1)
			column.scrollTop += text.getBoundingClientRect().top - column.getBoundingClientRect().top - 8;
		else if (window.matchMedia("(max-width: 1149px)").matches)
			text.scrollIntoView({block: "nearest"});
	}

	function showUnits() {
		for (const box of document.querySelectorAll(".machine svg .box[data-unit]")) {
			const isChosen = box.dataset.unit === state.unit;
			box.classList.toggle("chosen", isChosen);
			box.parentElement.setAttribute("aria-pressed", isChosen);
		}
		const line = $("of-unit");
		line.replaceChildren();
		if (!state.unit)
			line.append("Self counts: rows sum to the totals.");
		else if (eventsOf(state.unit).length)
			line.append("Functions that caused events of ", make("b", {}, titleOf(state.unit)), " (", state.unit,
				"). Escape shows all again.");
		else
			line.append("This run counted no event of ", make("b", {}, titleOf(state.unit)), " (", state.unit,
				"): the table shows all functions.");
	}

	/* ---- what stands above the table ---- */

	function addChoice(select, e) {
		select.append(make("option", {value: e}, events[e].name));
	}

	/* An event becomes the first column, and rows are sorted by it. */
	function take(e) {
		state.columns = [e].concat(state.columns.filter((c) => c !== e)).slice(0, mostColumns);
		state.sort = e;
		show();
	}

	function makeChoosers() {
		const word = make("input", {type: "search", placeholder: "find a function", "aria-label": "find a function"});
		const select = make("select", {"aria-label": "show another event"}, make("option", {value: ""}, "show another event"));
		const all = make("button", {type: "button", id: "all-functions"}, "all functions");
		events.forEach((_, e) => addChoice(select, e));
		word.addEventListener("input", () => { state.word = word.value; show(); });
		select.addEventListener("change", () => {
			if (select.value !== "")
				take(Number(select.value));
			select.value = "";
		});
		all.addEventListener("click", () => { word.value = state.word = ""; choose("", false); });
		$("choose").append(word, select, all);
	}

	function show() {
		showTable();
		showUnits();
		markFrames();
		$("all-functions").hidden = !state.unit && !state.word && state.columns === first;
	}

	/* ---- the graph of call paths ---- */

	const graph = document.querySelector(".flame");
	const paths = {event: 0, zoom: 0, at: 0, frames: []}; /* at: the one that the keys are at */

	/* Frames in the order of the page: a caller stands before those that it calls. */
	function readFrames() {
		const list = (text) => (text || "").split(",").map(Number);
		for (const e of graph.children)
			paths.frames.push({e, of: Number(e.dataset.p), n: list(e.dataset.n), b: e.dataset.b ? list(e.dataset.b) : null,
				below: [], depth: 0, x: 0, w: 0});
		paths.frames.forEach((f, i) => {
			if (!i)
				return;
			f.depth = paths.frames[f.of].depth + 1;
			paths.frames[f.of].below.push(i);
		});
	}

	function size(f) {
		return Math.max(0, f.n[paths.event], f.b ? f.b[paths.event] : 0);
	}

	/* Places, as src/html/flame.c has them, in parts of the whole. */
	function place(i, x, w) {
		const f = paths.frames[i];
		const whole = Math.max(size(f), f.below.reduce((sum, k) => sum + size(paths.frames[k]), 0));
		f.x = x;
		f.w = w;
		for (const k of f.below) {
			const part = whole ? w * size(paths.frames[k]) / whole : 0;
			place(k, x, part);
			x += part;
		}
	}

	function isVisible(f) {
		return f.e.style.display !== "none";
	}

	function drawFrames() {
		const z = paths.frames[paths.zoom];
		paths.frames.forEach((f, i) => {
			const isAbove = f.depth < z.depth && f.x <= z.x + 1e-9 && f.x + f.w >= z.x + z.w - 1e-9;
			const x = isAbove ? 0 : (f.x - z.x) / z.w, w = isAbove ? 1 : f.w / z.w;
			const isIn = isAbove || (f.depth >= z.depth && x > -1e-9 && x + w < 1 + 1e-9);
			f.e.style.display = isIn && w > 0.0005 ? "" : "none";
			f.e.setAttribute("x", (100 * x).toFixed(3) + "%");
			f.e.setAttribute("width", (100 * w).toFixed(3) + "%");
			f.e.classList.toggle("narrow", w < 0.02);
			f.e.classList.toggle("above", isAbove);
			f.e.setAttribute("tabindex", i === paths.at ? "0" : "-1");
		});
	}

	function tellFrame(i) {
		const f = paths.frames[i], e = paths.event, name = graph.dataset.events.split(",")[e];
		const part = share(f.n[e], paths.frames[0].n[e]);
		$("of-frame").replaceChildren(make("b", {}, f.e.querySelector("text").textContent), ": " + number(f.n[e]) + " " + name
			+ (part ? ", " + part : "") + (f.b ? ", was " + number(f.b[e]) : "")
			+ (paths.zoom ? ". Escape shows all again." : ""));
	}

	function zoomTo(i) {
		paths.zoom = i === paths.zoom || !size(paths.frames[i]) ? 0 : i;
		drawFrames();
		tellFrame(i);
	}

	function goTo(i) {
		if (i === undefined)
			return;
		paths.at = i;
		drawFrames();
		paths.frames[i].e.focus();
		tellFrame(i);
	}

	/* The next frame beside number i, in its row. */
	function beside(i, step) {
		const row = paths.frames.map((f, k) => k).filter((k) => paths.frames[k].depth === paths.frames[i].depth && isVisible(paths.frames[k]));
		row.sort((k, l) => paths.frames[k].x - paths.frames[l].x);
		return row[row.indexOf(i) + step];
	}

	function onFrameKey(i, event) {
		const f = paths.frames[i];
		const to = {ArrowUp: () => f.of, ArrowDown: () => f.below.find((k) => isVisible(paths.frames[k])),
			ArrowLeft: () => beside(i, -1), ArrowRight: () => beside(i, 1)}[event.key];
		if (to)
			goTo(to());
		else if (event.key === "Enter" || event.key === " ")
			zoomTo(i);
		else
			return;
		event.preventDefault();
	}

	/* Frames that a word is in. */
	function markFrames() {
		const word = state.word.toLowerCase();
		for (const f of paths.frames)
			f.e.classList.toggle("found", word !== "" && f.e.querySelector("text").textContent.toLowerCase().includes(word));
	}

	function setUpFrames() {
		readFrames();
		const select = make("select", {"aria-label": "what frames are wide by"});
		graph.dataset.events.split(",").forEach((name, e) => select.append(make("option", {value: e}, name)));
		select.addEventListener("change", () => { paths.event = Number(select.value); paths.zoom = 0; place(0, 0, 1); drawFrames(); tellFrame(0); });
		$("flame-choose").append("wide by", select);
		paths.frames.forEach((f, i) => {
			f.e.setAttribute("role", "button");
			f.e.setAttribute("aria-label", f.e.querySelector("text").textContent);
			f.e.addEventListener("click", () => { paths.at = i; zoomTo(i); });
			f.e.addEventListener("keydown", (event) => onFrameKey(i, event));
		});
		place(0, 0, 1);
		drawFrames();
	}

	/* ---- hands ---- */

	function onUnit(link, event) {
		const unit = link.querySelector(".box").dataset.unit;
		event.preventDefault();
		choose(unit === state.unit ? "" : unit, true);
	}

	for (const link of document.querySelectorAll(".machine svg a")) {
		link.setAttribute("role", "button");
		link.addEventListener("click", (event) => onUnit(link, event));
		link.addEventListener("keydown", (event) => {
			if (event.key === " " || event.key === "Enter")
				onUnit(link, event);
		});
	}
	for (const text of document.querySelectorAll(".unit-text > summary"))
		text.addEventListener("click", (event) => {
			const unit = text.parentElement.dataset.unit;
			event.preventDefault();
			choose(unit === state.unit ? "" : unit, false);
		});
	document.addEventListener("keydown", (event) => {
		if (event.key === "Escape" && paths.zoom)
			zoomTo(0);
		else if (event.key === "Escape" && state.unit)
			choose("", false);
	});

	/* A link to a unit or a source opens what it leads to. */
	function onHash() {
		const at = decodeURIComponent(location.hash.slice(1));
		const target = at && $(at);
		if (!target)
			return;
		if (at.startsWith("unit-"))
			choose(at.slice("unit-".length), true);
		else if (target.tagName === "DETAILS")
			target.open = true;
	}
	window.addEventListener("hashchange", onHash);

	/* On paper everything that folds is open. */
	window.addEventListener("beforeprint", () => {
		for (const text of document.querySelectorAll("#sources > details"))
			text.open = true;
	});

	makeChoosers();
	if (graph)
		setUpFrames();
	show();
	onHash();
})();
//]]>
