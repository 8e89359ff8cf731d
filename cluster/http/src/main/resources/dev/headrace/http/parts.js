// What all parts of the page use: elements, words for numbers, requests, colours.

export const $ = id => document.getElementById(id);

export function make(tag, text, cls) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (cls) e.className = cls;
  return e;
}

/** Changes a text only if it differs, so that nothing is read out twice. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function bytes(n) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let i = 0;
  while (n >= 1000 && i < 4) { n /= 1000; i++; }
  return `${n >= 100 || i === 0 ? Math.round(n) : n.toFixed(1)} ${units[i]}`;
}

export const count = n => Math.round(n).toLocaleString("en");

export function seconds(ms) {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 90000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.round(ms / 60000)} min`;
}

/** "1 node", "2 nodes"; "1 copy", "2 copies". */
export const many = (n, one, more = one + "s") => `${count(n)} ${n === 1 ? one : more}`;

export function bar(part, text) {
  const outer = make("span", undefined, "bar");
  outer.append(make("i"));
  if (text) { outer.setAttribute("role", "img"); outer.setAttribute("aria-label", text); }
  fill(outer, part);
  return outer;
}

export function fill(outer, part) {
  outer.firstChild.style.width = `${Math.min(100, 100 * part).toFixed(1)}%`;
}

// ---- Requests

let token = sessionStorage.getItem("token") || "";

export function useToken(text) {
  token = text;
  sessionStorage.setItem("token", text);
}

export function request(path, options = {}) {
  const headers = new Headers(options.headers);
  if (token) headers.set("authorization", "Bearer " + token);
  return fetch(path, { ...options, headers });
}

/** Why a request was refused, in the node's words. */
export async function problem(response) {
  try {
    return (await response.json()).detail || response.statusText;
  } catch {
    return `${response.status} ${response.statusText}`;
  }
}

/** Reads a body line by line. */
export async function* lines(response, end = "\n") {
  const reader = response.body.getReader(), text = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? text.decode() : text.decode(value, { stream: true });
      const parts = rest.split(end);
      rest = parts.pop();
      yield* parts;
      if (done) {
        if (rest) yield rest;
        return;
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // whoever leaves the loop wants no more
  }
}

// ---- Colours

const darkness = matchMedia("(prefers-color-scheme: dark)");
const watchers = [];
const known = new Map();
const THEMES = ["auto", "light", "dark"];

export function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : darkness.matches;
}

/** Runs now and whenever light becomes dark. */
export function onTheme(watcher) {
  watchers.push(watcher);
  watcher();
}

function changed() {
  known.clear();
  watchers.forEach(watcher => watcher());
}

/** A colour of the style sheet, such as "water", as a canvas takes it. */
export function ink(name) {
  if (!known.has(name)) {
    const probe = make("span");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    known.set(name, getComputedStyle(probe).color);
    probe.remove();
  }
  return known.get(name);
}

// Hues that differ at a glance for the first twelve; beyond, the golden angle.
const HUES = [222, 60, 150, 330, 95, 275, 25, 190, 120, 300, 0, 250];

/** The colour of the member in a slot; below 0 there is none. */
export function colorOf(slot) {
  const key = "slot " + slot;
  if (!known.has(key)) {
    const dark = isDark();
    const hue = slot < HUES.length ? HUES[slot] : (slot * 137.508) % 360;
    const light = (dark ? [.72, .8, .62] : [.62, .72, .53])[(slot < HUES.length ? slot : slot * 7) % 3];
    known.set(key, slot < 0 ? (dark ? "#39484a" : "#b9b2a4") : `oklch(${light} ${dark ? .115 : .125} ${hue.toFixed(1)})`);
  }
  return known.get(key);
}

function theme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  $("theme").textContent = `Theme: ${name}`;
  changed();
}

export function startTheme() {
  const kept = localStorage.getItem("theme");
  theme(THEMES.includes(kept) ? kept : "auto");
  darkness.addEventListener("change", changed);
  $("theme").addEventListener("click", () => {
    const now = document.documentElement.dataset.theme || "auto";
    const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    localStorage.setItem("theme", next);
    theme(next);
  });
}
