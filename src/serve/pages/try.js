// try.js - the page "try and explain": labels of what one types, and the reasons.
import {make, request, percent, number, colours} from "/common.js";

const $ = (id) => document.getElementById(id);
let models = [], colour = () => "", sentences = [], columns = false;

const model = () => models.find((m) => m.name === $("model").value) ?? models[0];
const waiting = (yes) => { $("status").textContent = yes ? "waiting for the server ..." : ""; };

function fail(error) {
  $("status").replaceChildren(make("span", {class: "bad"}, error.message));
}

// ---- models ---------------------------------------------------------------------------------

function chooseModel() {
  const m = model(), text = m.form === "text";
  colour = colours(m.classes);
  $("about").textContent = `${m.name}: ${m.kind}, ${m.classes.length} labels, ${m.features.toLocaleString("en")} features` +
    (m.experts ? `, ${m.experts} experts` : "");
  $("forms").hidden = m.form !== "cells";
  setForm(m.form === "cells" && m.cells > 1);
  if (m.form !== "cells")
    $("prompt").textContent = text ? "One text on each line" : "One token on each line: its features, separated by blanks";
  clear();
}

function setForm(asColumns) {
  columns = asColumns;
  $("as-text").setAttribute("aria-pressed", String(!columns));
  $("as-columns").setAttribute("aria-pressed", String(columns));
  const n = model().cells;
  $("prompt").textContent = columns
    ? `One token on each line${n > 1 ? `, ${n} columns` : ""}; a blank line between sentences`
    : "One sentence on each line";
}

function clear() {
  sentences = [];
  $("result").replaceChildren();
  closeWhy();
}

// ---- labels ---------------------------------------------------------------------------------

// The sequences of the input, as JSON.
function readInput() {
  const text = $("input").value.replace(/\r/g, ""), m = model();
  const lines = text.split("\n");
  if (m.form === "text") return lines.filter((line) => line.trim()).map((line) => [line]);
  if (m.form === "features" || columns) {
    const blocks = [[]];
    for (const line of lines) {
      if (line.trim()) blocks.at(-1).push(line.includes("\t") ? line.split("\t") : line.trim().split(/ +/));
      else if (blocks.at(-1).length) blocks.push([]);
    }
    // a column beyond those of the model is a label
    const cells = m.cells && m.form === "cells" ? m.cells : Infinity;
    return blocks.filter((block) => block.length).map((block) => block.map((token) => token.slice(0, cells)));
  }
  return lines.map((line) => line.trim().split(/\s+/).filter((word) => word)).filter((words) => words.length);
}

const shownToken = (token) => Array.isArray(token) ? token[0] : token;

async function label(event) {
  event?.preventDefault();
  const input = readInput(), m = model(), chain = m.kind !== "maxent";
  closeWhy();
  if (!input.length) return fail(new Error("type something first"));
  const nbest = chain ? Number($("nbest").value) : 0;
  try {
    const got = await request("POST", `/v1/tag?model=${encodeURIComponent(m.name)}&top=5` +
      (chain ? "&sequence-probability" : "") + (nbest ? `&nbest=${nbest}` : ""),
      {body: JSON.stringify({sequences: input}), waiting});
    sentences = input;
    $("status").textContent = "";
    $("result").replaceChildren(...got.sequences.map((sequence, i) => showSentence(sequence, i)));
  } catch (error) {
    fail(error);
  }
}

function showSentence(sequence, i) {
  const tokens = sentences[i].map((token, t) => {
    const name = sequence.labels[t], p = sequence.probabilities[t][name] ?? null;
    const button = make("button", {type: "button", class: "token" + (p !== null && p < 0.8 ? " unsure" : ""),
      "aria-expanded": "false", tabindex: t || i ? "-1" : "0", "data-sentence": i, "data-token": t,
      onclick: () => explain(i, t, null)},
      make("span", {}, shownToken(token)), make("span", {class: "name"}, `${name} ${percent(p)}`));
    button.style.background = colour(name);
    return button;
  });
  const about = sequence.probability === undefined ? null :
    make("p", {class: "quiet"}, `these labels together: ${percent(sequence.probability)}`);
  return make("div", {}, make("div", {class: "sentence", role: "group", "aria-label": `sentence ${i + 1}`}, ...tokens), about,
    ...(sequence.nbest ?? []).map((path, rank) => showPath(sentences[i], path, rank)));
}

function showPath(tokens, path, rank) {
  return make("div", {class: "path"}, `${rank + 1}. ${percent(path.probability)} `, ...tokens.map((token, t) => {
    const span = make("span", {class: "token"}, `${shownToken(token)} `, make("span", {class: "name"}, path.labels[t]));
    span.style.background = colour(path.labels[t]);
    return span;
  }));
}

// ---- reasons --------------------------------------------------------------------------------

function closeWhy() {
  $("why").hidden = true;
  $("why").replaceChildren();
  for (const token of document.querySelectorAll(".token[aria-expanded=true]")) token.setAttribute("aria-expanded", "false");
}

async function explain(i, t, instead) {
  const m = model(), tokens = sentences[i];
  // in a classifier each token is a sequence of its own
  const one = m.kind === "maxent", sequence = one ? [tokens[t]] : tokens, at = one ? 0 : t;
  let against = instead && sequence.map((_, k) => k === at ? instead : "?").join(" ");
  const ask = () => request("POST", `/v1/explain?model=${encodeURIComponent(m.name)}` +
    (against ? `&against=${encodeURIComponent(against)}` : ""), {body: JSON.stringify({tokens: sequence}), waiting});
  try {
    let why = await ask();
    // without a wish: against the second most probable label of this token
    if (!instead && why.sequence && why.tokens[at].label === why.tokens[at].other && why.tokens[at].classes.length > 1) {
      against = sequence.map((_, k) => k === at ? why.tokens[at].classes[1].label : "?").join(" ");
      why = await ask();
    }
    closeWhy();
    const button = document.querySelector(`.token[data-sentence="${i}"][data-token="${t}"]`);
    button.setAttribute("aria-expanded", "true");
    $("why").replaceChildren(...(why.sequence ? showReasons(why, i, t, at) : showLine(why, shownToken(tokens[t]))));
    $("why").hidden = false;
    if (instead) $("why").querySelector("[aria-pressed=true]")?.focus();
  } catch (error) {
    fail(error);
  }
}

const bar = (x, scale) => {
  const span = make("span", {class: "bar" + (x < 0 ? " against" : ""), "aria-hidden": "true"});
  span.style.width = `${Math.min(6, 6 * Math.abs(x) / scale)}rem`;
  return span;
};

// A table: heads are texts, rows arrays of texts, numbers and elements.
function table(heads, rows) {
  const cell = (tag, value) => make(tag, {class: typeof value === "number" ? "number" : null, scope: tag === "th" ? "col" : null},
    typeof value === "number" ? number(value) : value ?? "");
  return make("div", {class: "wide", tabindex: "0"}, make("table", {},
    make("thead", {}, make("tr", {}, ...heads.map((head) => cell("th", head)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((value) => cell("td", value)))))));
}

function showReasons(why, i, t, at) {
  const token = why.tokens[at], other = token.other;
  const classes = make("div", {class: "row", role: "group", "aria-label": "compare with another label"},
    ...token.classes.slice(1).map((c, k) => make("button", {type: "button", "aria-pressed": String(c.label === other),
      onclick: () => explain(i, t, c.label)}, make("kbd", {}, String(k + 1)), c.label, make("span", {class: "quiet"}, percent(c.probability)))));
  const parts = [make("h2", {}, `Why is “${shownToken(sentences[i][t])}” ${token.label}` + (other ? `, not ${other}?` : "?")), classes];
  if (token.weights) parts.push(showWeights(why, token.weights));
  if (why.voters.length > 1) parts.push(showVoters(why, at));
  for (const voter of why.voters.slice(0, why.voters[0].expert === null ? 1 : undefined)) {
    if (voter.expert !== null) parts.push(make("h3", {}, voterName(voter)));
    parts.push(showToken(voter.tokens[at], token));
    if (why.other && why.tokens.length > 1) parts.push(showDifference(why, voter));
  }
  return parts;
}

const voterName = (voter) => voter.expert === null ? "together" : `expert ${voter.expert}${voter.name ? ", " + voter.name : ""}`;

// p(z): how much each component of an adapted model counts here.
function showWeights(why, weights) {
  const names = new Map(why.voters.map((voter) => [voter.expert - 1, voterName(voter)]));
  return make("p", {}, "p(component): " + weights.map((w, j) => `${names.get(j) ?? "expert " + (j + 1)} ${percent(w)}`).join(", "));
}

function showVoters(why, at) {
  return make("div", {}, make("h3", {}, "What each expert says"), table(["expert", "weight", "its label", "for this label"],
    why.voters.filter((voter) => voter.expert !== null).map((voter) => [voterName(voter), voter.weight, voter.labels[at],
      make("span", {}, bar(voter.log_odds ?? 0, 5), voter.log_odds === null ? "" : ` ${number(voter.log_odds)}`)])));
}

// What the features and transitions add to the label of a token and to the other one.
function showToken(reasons, token) {
  const two = reasons.classes.length > 1;
  const rows = reasons.features.map((f) => [f.feature + (f.value === 1 ? "" : ` × ${f.value}`), f.contributions]);
  if (reasons.default) rows.push(["(intercept)", reasons.default]);
  if (reasons.transition) rows.push([`(after ${reasons.from})`, reasons.transition]);
  for (const edge of reasons.edges) rows.push([`${edge.feature} after ${reasons.from}`, edge.contributions]);
  if (reasons.next) rows.push([`(before ${reasons.to})`, reasons.next]);
  const sorted = rows.map(([name, c]) => [name, c[0], two ? c[1] : 0, c[0] - (two ? c[1] : 0)])
    .filter((row) => row[1] || row[2]).sort((a, b) => Math.abs(b[3]) - Math.abs(a[3]));
  const scale = Math.max(1e-9, ...sorted.map((row) => Math.abs(row[3])));
  const shown = (list) => table(["reason", reasons.classes[0], ...(two ? [reasons.classes[1], "difference", ""] : [])],
    list.map((row) => two ? [...row, bar(row[3], scale)] : row.slice(0, 2)));
  const box = make("div", {}, make("h3", {}, two ? `At this token: ${reasons.classes[0]} against ${reasons.classes[1]}` : "At this token"),
    shown(sorted.slice(0, 12)));
  if (sorted.length > 12) {
    const more = make("button", {type: "button", onclick: () => { more.previousSibling.replaceWith(shown(sorted)); more.remove(); }},
      `all ${sorted.length} reasons`);
    box.append(more);
  }
  if (reasons.unknown.length) box.append(make("p", {class: "quiet"}, `not in the model: ${reasons.unknown.slice(0, 30).join("  ")}`));
  return box;
}

// The two labellings as wholes, and what separates them.
function showDifference(why, voter) {
  const path = (labels, p) => make("div", {class: "path"}, ...why.tokens.map((token, t) => {
    const span = make("span", {class: "token"}, `${token.token} `, make("span", {class: "name"}, labels[t]));
    span.style.background = colour(labels[t]);
    return span;
  }), ` ${percent(p)}`);
  const parts = [make("h3", {}, "These labels against those"), path(why.labels, why.probability),
    path(why.other, why.other_probability), make("p", {}, `log odds together: ${number(voter.log_odds)}`)];
  // the reasons at the only token where they differ are shown above
  if (why.labels.filter((label, t) => label !== why.other[t]).length < 2) return make("div", {}, ...parts);
  const rest = voter.difference.slice(12).reduce((sum, d) => sum + d.value, 0);
  const rows = voter.difference.slice(0, 12).map((d) => [`${d.token} ${why.tokens[d.token - 1].token}`,
    d.name ?? `(${d.what})`, d.value]);
  if (rest) rows.push(["", "(all others)", rest]);
  return make("div", {}, ...parts, table(["token", "reason", "log odds"], rows));
}

// A classifier with a gate, or another model that is explained line by line.
function showLine(why, name) {
  const parts = [make("h2", {}, `Why is “${name}” ${why.classes[0].label}?`)];
  const named = (c) => c.domain ? `domain ${c.domain}${c.name ? ", " + c.name : ""}` : "general";
  if (why.components) {
    parts.push(make("p", {}, "p(component): " + why.components.map((c) => `${named(c)} ${percent(c.probability)}`).join(", ")),
      table(["label", "together", ...why.components.map(named)],
        why.classes.map((c) => [c.label, percent(c.probability), ...c.components.map(percent)])),
      make("h3", {}, "What decides between the components"),
      table(["feature", ...why.components.map(named)], why.gate.slice(0, 12).map((g) => [g.feature, ...g.weights])));
  } else {
    parts.push(table(["label", "probability"], why.classes.map((c) => [c.label, percent(c.probability)])));
  }
  for (const c of why.components ?? [why]) {
    if (why.components) parts.push(make("h3", {}, named(c)));
    parts.push(table(["feature", ...c.classes.map((k) => k.label)],
      c.features.slice(0, 12).map((f) => [f.feature, ...f.contributions])));
  }
  return parts;
}

// ---- keys -----------------------------------------------------------------------------------

function moveFocus(from, by) {
  const tokens = [...document.querySelectorAll("#result .sentence .token")];
  const to = tokens[tokens.indexOf(from) + by];
  if (!to) return;
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

document.addEventListener("keydown", (event) => {
  const token = event.target.closest?.(".sentence .token");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    label(event);
  } else if (event.key === "Escape" && !$("why").hidden) {
    const open = document.querySelector(".token[aria-expanded=true]");
    closeWhy();
    open?.focus();
  } else if (token && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
    event.preventDefault();
    moveFocus(token, event.key === "ArrowRight" ? 1 : -1);
  } else if (/^[1-9]$/.test(event.key) && !$("why").hidden && !event.target.matches("textarea, input, select")) {
    $("why").querySelectorAll("[aria-pressed]")[Number(event.key) - 1]?.click();
  }
});

$("form").addEventListener("submit", label);
$("as-text").addEventListener("click", () => setForm(false));
$("as-columns").addEventListener("click", () => setForm(true));
$("model").addEventListener("change", chooseModel);
$("nbest").addEventListener("change", () => { if (sentences.length) label(); });

request("GET", "/v1/models", {waiting, patience: 60000}).then((got) => {
  models = got.models;
  $("model").replaceChildren(...models.map((m) => make("option", {value: m.name}, m.name)));
  $("choice").hidden = models.length < 2;
  chooseModel();
}).catch(fail);
