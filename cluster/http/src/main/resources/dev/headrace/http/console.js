"use strict";
const $ = id => document.getElementById(id);
const map = new SegmentMap($("map"));
const POINTS = 120;
const PAGE = 50;
const charts = { rate: [], sent: [], slow: [] };
let names = [], members = [], last = null, page = null;
let token = sessionStorage.getItem("token") || "";

function bytes(n) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let i = 0;
  while (n >= 1000 && i < 4) { n /= 1000; i++; }
  return `${n >= 100 || i === 0 ? Math.round(n) : n.toFixed(1)} ${units[i]}`;
}
const count = n => n.toLocaleString("en");
const seconds = ms => ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

function make(tag, text, cls) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (cls) e.className = cls;
  return e;
}

function request(path, options = {}) {
  const headers = new Headers(options.headers);
  if (token) headers.set("authorization", "Bearer " + token);
  return fetch(path, { ...options, headers });
}

async function problem(response) {
  try { return (await response.json()).detail || response.statusText; } catch { return `${response.status} ${response.statusText}`; }
}

function state(text, bad) {
  if ($("state").textContent !== text) $("state").textContent = text;
  $("state").classList.toggle("bad", !!bad);
}

function happened(text, bad) {
  const item = make("li", undefined, bad ? "bad" : "");
  const time = make("time", new Date().toLocaleTimeString());
  item.append(time, text);
  $("events").prepend(item);
  while ($("events").children.length > 100) $("events").lastChild.remove();
}

// ---- The feed

async function feed() {
  for (;;) {
    try {
      const response = await request("/v1/cluster/events");
      if (response.status === 401) { login(); return; }
      if (!response.ok) throw new Error(await problem(response));
      $("login").hidden = true;
      await events(response.body.getReader());
      throw new Error("The node ended the feed");
    } catch (e) {
      state("No connection: " + e.message, true);
      await new Promise(done => setTimeout(done, 1500));
    }
  }
}

async function events(reader) {
  const text = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += text.decode(value, { stream: true });
    const parts = rest.split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const event = /^event: (.*)$/m.exec(part), data = /^data: (.*)$/m.exec(part);
      if (event && data) handlers[event[1]]?.(JSON.parse(data[1]));
    }
  }
}

const handlers = {
  table(table) {
    const before = new Map(names.map((name, i) => [name, i]));
    const known = names.length > 0;
    for (const name of table.names) if (known && !before.has(name)) happened(`${name} has joined`);
    for (const name of names) if (!table.names.includes(name)) happened(`${name} is gone`, true);
    if (known && map.owners.length === table.owners.length) {
      // The same segments under new numbers of members: let those that move be seen to.
      const renumber = names.map(name => table.names.indexOf(name));
      map.owners = map.owners.map(owners => owners.map(i => i < 0 ? i : renumber[i]));
      const changes = [];
      table.owners.forEach((owners, segment) => {
        if (String(owners) !== String(map.owners[segment])) changes.push([segment, owners]);
      });
      names = table.names;
      map.count = names.length;
      map.moved(changes);
    } else {
      names = table.names;
      map.table(table.owners, names.length);
    }
    mapText();
  },
  moved(moved) {
    map.moved(moved.changes);
    mapText();
  },
  members(told) {
    members = told.members;
    const rows = members.map(row);
    $("members").replaceChildren(...rows);
  },
  status(status) {
    $("cluster").textContent = status.cluster;
    const trouble = status.suspendedBecause || (status.lostSegments.length ? `${status.lostSegments.length} segments have lost content` : "");
    state(trouble || `${names.length} ${names.length === 1 ? "node" : "nodes"}, epoch ${status.epoch}`, !!trouble);
    if (last) {
      if (status.suspendedBecause && !last.suspendedBecause) happened(status.suspendedBecause, true);
      if (!status.suspendedBecause && last.suspendedBecause) happened("The node serves again");
      if (status.lostSegments.length > last.lostSegments.length) happened(`${status.lostSegments.length - last.lostSegments.length} segments have lost content`, true);
      const was = last.rebalance?.running, is = status.rebalance?.running;
      if (is && !was) happened("Segments begin to move");
      if (was && !is) happened(`All segments have moved, ${bytes(status.rebalance?.bytes || 0)} copied`);
      for (const gone of status.absent) if (!last.absent.some(a => a.name === gone.name)) happened(`${gone.segments} segments wait for ${gone.name}`, true);
      rates(status, last);
    }
    move(status.rebalance);
    streams(status);
    status.at = performance.now();
    last = status;
  }
};

function mapText() {
  const none = map.owners.filter(owners => owners.length === 0).length;
  $("map-text").textContent = `${count(map.owners.length)} segments, ${names.length} members` + (none ? `, ${none} without an owner` : "") + ". A cell has its primary's colour; lines are backups.";
}

function row(member) {
  const tr = make("tr"), name = make("th");
  name.scope = "row";
  const swatch = make("span", "", "swatch");
  swatch.style.setProperty("background", map.color(names.indexOf(member.name)));
  name.append(swatch, member.name + (member.self ? " (this node)" : "") + (member.coordinator ? ", coordinator" : ""));
  tr.append(name, make("td", count(member.primarySegments)), make("td", count(member.backupSegments)));
  const memory = make("td");
  if (member.limitBytes) {
    memory.append(bar(member.usedBytes / member.limitBytes), `${bytes(member.usedBytes)} of ${bytes(member.limitBytes)}`);
  } else {
    memory.textContent = member.capacity ? "not told yet" : "holds nothing";
  }
  const s = member.streamMemory;
  tr.append(memory, make("td", s ? `${s.streams}, ${bytes(s.usedBytes)} of credit` : ""), make("td", member.zone));
  return tr;
}

function bar(part) {
  const outer = make("span", "", "bar"), inner = make("i");
  inner.style.width = `${Math.min(100, 100 * part).toFixed(1)}%`;
  outer.append(inner);
  return outer;
}

function move(rebalance) {
  $("move").hidden = !rebalance || !rebalance.running;
  if (!rebalance || !rebalance.running) return;
  $("progress").max = Math.max(1, rebalance.plannedCopies);
  $("progress").value = rebalance.copies;
  $("move-text").textContent = `${count(rebalance.copies)} of ${count(rebalance.plannedCopies)} copies, ${bytes(rebalance.bytes)}` + (rebalance.remainingMillis ? `, about ${seconds(rebalance.remainingMillis)} left` : "");
}

function streams(status) {
  const items = status.streams.map(stream => {
    const item = make("li");
    const before = last?.streams.find(s => s.number === stream.number);
    const time = before ? (performance.now() - last.at) / 1000 : 0;
    const rate = time ? (stream.entries - before.entries) / time : 0;
    item.append(make("strong", stream.cache), ` ${count(stream.entries)} entries, ${count(Math.round(rate))} a second, ${bytes(stream.bytes)} sent, ${stream.completed} of ${stream.segments} segments` + (stream.paused ? ", waits for its reader" : ""), bar(stream.completed / stream.segments));
    const lanes = make("div", undefined, "lanes"), most = Math.max(1, ...Object.values(stream.nodes));
    for (const [node, got] of Object.entries(stream.nodes)) lanes.append(make("span", node), bar(got / most), make("span", bytes(got)));
    item.append(lanes);
    return item;
  });
  if (!items.length) items.push(make("li", `None. ${status.streamMemory.streams} of this node in all, ${bytes(status.streamMemory.usedBytes)} of credit in use`, "quiet"));
  $("streams").replaceChildren(...items);
}

function rates(status, before) {
  const time = (performance.now() - before.at) / 1000;
  const rate = Math.max(0, status.requests - before.requests) / time;
  const sent = Math.max(0, status.sentBytes - before.sentBytes) / time;
  chart("rate", rate, count(Math.round(rate)));
  chart("sent", sent, bytes(sent));
  chart("slow", status.slowestMillis, seconds(status.slowestMillis));
}

function chart(id, value, text) {
  $(id).textContent = text;
  const values = charts[id];
  values.push(value);
  if (values.length > POINTS) values.shift();
  const canvas = $(id + "-chart"), scale = devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const g = canvas.getContext("2d"), most = Math.max(1e-9, ...values);
  g.scale(scale, scale);
  g.beginPath();
  values.forEach((v, i) => g.lineTo(width - (values.length - 1 - i) * width / (POINTS - 1), height - 2 - v / most * (height - 6)));
  g.strokeStyle = getComputedStyle(document.body).getPropertyValue("--water");
  g.lineWidth = 1.75;
  g.stroke();
}

$("map").addEventListener("mousemove", e => {
  const segment = map.at(e.offsetX, e.offsetY);
  $("under").textContent = segment < 0 ? "\u00a0" : `Segment ${segment}: ${map.owners[segment].map(i => names[i] || "?").join(", ") || "no owner"}`;
});

function login() {
  state("This node wants a token", true);
  $("login").hidden = false;
  $("token").focus();
}

$("login").addEventListener("submit", e => {
  e.preventDefault();
  token = $("token").value;
  sessionStorage.setItem("token", token);
  $("token").value = "";
  start();
});

// ---- Entries

async function caches() {
  const response = await request("/v1/caches");
  if (!response.ok) return;
  const chosen = $("cache").value;
  const options = (await response.json()).caches.map(cache => {
    const option = make("option", `${cache.name} (${count(cache.entries)})`);
    option.value = cache.name;
    return option;
  });
  $("cache").replaceChildren(...options);
  if (chosen) $("cache").value = chosen;
}

const path = (cache, key) => `/v1/caches/${encodeURIComponent(cache)}/entries` + (key === undefined ? "" : "/" + encodeURIComponent(key));
const keyText = key => typeof key === "string" ? key : JSON.stringify(key);

$("browse").addEventListener("submit", e => {
  e.preventDefault();
  page?.stop();
  $("entries").replaceChildren();
  page = new Browser($("cache").value, $("prefix").value);
  page.next();
});
$("more").addEventListener("click", () => page?.next());
$("cache").addEventListener("focus", caches);

// A page is a stream that pauses: the browser does not read on, and so the cluster does not either.
class Browser {
  constructor(cache, prefix) {
    this.cache = cache;
    this.abort = new AbortController();
    this.prefix = prefix;
    this.rest = "";
    this.shown = 0;
    this.text = new TextDecoder();
  }

  stop() { this.abort.abort(); }

  async next() {
    $("more").disabled = true;
    $("entries").replaceChildren();
    try {
      if (!this.reader) {
        const query = this.prefix ? "?prefix=" + encodeURIComponent(this.prefix) : "";
        const response = await request(path(this.cache) + query, { signal: this.abort.signal });
        if (!response.ok) throw new Error(await problem(response));
        this.reader = response.body.getReader();
      }
      for (let left = PAGE; left > 0; left--) {
        const line = await this.line();
        if (line === null) {
          $("browse-text").textContent = `${count(this.shown)} entries in all`;
          return;
        }
        const entry = JSON.parse(line);
        if (entry.error) throw new Error(entry.error.detail);
        $("entries").append(this.row(entry));
        this.shown++;
      }
      $("browse-text").textContent = `${count(this.shown)} entries so far; the stream waits`;
      $("more").disabled = false;
    } catch (e) {
      if (e.name !== "AbortError") $("browse-text").textContent = e.message;
    }
  }

  async line() {
    for (;;) {
      const end = this.rest.indexOf("\n");
      if (end >= 0) {
        const line = this.rest.slice(0, end);
        this.rest = this.rest.slice(end + 1);
        return line;
      }
      const { done, value } = await this.reader.read();
      if (done) return null;
      this.rest += this.text.decode(value, { stream: true });
    }
  }

  row(entry) {
    const tr = make("tr"), key = make("th", keyText(entry.key)), actions = make("td");
    key.scope = "row";
    const edit = make("button", "Edit"), remove = make("button", "Delete");
    edit.setAttribute("aria-label", `Edit ${keyText(entry.key)}`);
    remove.setAttribute("aria-label", `Delete ${keyText(entry.key)}`);
    edit.addEventListener("click", () => editEntry(this.cache, entry.key, tr));
    remove.addEventListener("click", () => removeEntry(this.cache, entry.key, tr));
    actions.append(edit, remove);
    tr.append(key, make("td", keyText(entry.value), "value"), actions);
    return tr;
  }
}

async function editEntry(cache, key, tr) {
  const response = await request(path(cache, keyText(key)), { headers: { accept: "application/json" } });
  if (!response.ok) { $("browse-text").textContent = await problem(response); return; }
  const tag = response.headers.get("etag");
  $("editor-title").textContent = `Entry ${keyText(key)}`;
  $("editor-text").textContent = "";
  $("value").value = JSON.stringify(await response.json(), null, 2);
  $("save").onclick = async () => {
    const saved = await request(path(cache, keyText(key)), { method: "PUT", body: $("value").value, headers: { "content-type": "application/json", "if-match": tag } });
    if (!saved.ok) {
      $("editor-text").textContent = saved.status === 412 ? "Somebody else has changed the entry; close and open it again." : await problem(saved);
      return;
    }
    tr.children[1].textContent = keyText(JSON.parse($("value").value));
    $("editor").close();
    happened(`Entry ${keyText(key)} of ${cache} was changed here`);
  };
  $("editor").showModal();
}

async function removeEntry(cache, key, tr) {
  if (!confirm(`Delete ${keyText(key)} from ${cache}?`)) return;
  const response = await request(path(cache, keyText(key)), { method: "DELETE" });
  if (response.ok || response.status === 404) tr.remove();
  $("browse-text").textContent = response.ok ? `${keyText(key)} was deleted` : await problem(response);
}

function start() {
  feed();
  caches();
}
start();
