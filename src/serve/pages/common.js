// common.js - what the pages share: elements, requests, the token, colours.

// An element: make("button", {type: "button", onclick: f}, "text", child).
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// A refusal of the server, with its sentence.
export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Asks for the token of the server, which is kept until the tab is closed.
async function askToken() {
  const input = make("input", {type: "password", id: "token", autocomplete: "off", required: true});
  const form = make("form", {class: "row"},
    make("label", {for: "token"}, "Token of this server"), input, make("button", {class: "main"}, "Use it"));
  const dialog = make("dialog", {"aria-label": "Token"}, form);
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((done) => form.addEventListener("submit", (event) => { event.preventDefault(); done(); }));
  sessionStorage.setItem("token", input.value.trim());
  dialog.remove();
}

// Sends a request and returns the JSON of the answer. A server that does not answer, or has too much
// to do, is asked again, for up to `patience` milliseconds; `waiting(true)` tells the page meanwhile.
// Requests may be repeated: the server knows answers that it has already.
export async function request(method, path, {body, type = "application/json", patience = 20000, waiting = () => {}} = {}) {
  const begin = Date.now();
  for (let pause = 200; ; pause = Math.min(2 * pause, 2000)) {
    const headers = {};
    if (body !== undefined) headers["Content-Type"] = type;
    const token = sessionStorage.getItem("token");
    if (token) headers.Authorization = "Bearer " + token;
    let answer = null;
    try {
      answer = await fetch(path, {method, headers, body});
    } catch (error) {
      if (Date.now() - begin > patience) throw new Refused(0, "the server does not answer; is it running?");
    }
    if (answer && answer.status === 401) {
      await askToken();
      continue;
    }
    if (answer && (answer.status !== 503 || Date.now() - begin > patience)) {
      waiting(false);
      const got = await answer.json();
      if (!answer.ok) throw new Refused(answer.status, got.error);
      return got;
    }
    waiting(true);
    await wait(pause);
  }
}

export const percent = (p) => p === null || p === undefined ? "" :
  (100 * p >= 99.95 ? ">99.9" : (100 * p).toFixed(1)) + "%";

export const number = (x) => (x > 0 ? "+" : "") + x.toFixed(3);

// The type of a label in a scheme: "PER" of B-PER, "" of O.
export const typeOf = (label) => label === "O" ? "" : label.replace(/^[BIESLU]-/, "");

// A light background for a type, the same for the n-th type everywhere. Dark text is readable on each.
export function colours(labels) {
  const types = [...new Set(labels.map(typeOf))].filter((type) => type);
  const hue = new Map(types.map((type, i) => [type, (i * 137.508) % 360]));
  return (label) => typeOf(label) === "" ? "#f1f2f4" : `hsl(${hue.get(typeOf(label)) ?? 0} 75% 86%)`;
}
