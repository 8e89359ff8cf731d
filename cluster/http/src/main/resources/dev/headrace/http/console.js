// The page: reads the feed of events and hands each to its part.
import { $, bytes, count, lines, many, problem, request, say, seconds, startTheme, useToken } from "./parts.js";
import { Browser } from "./browser.js";
import { Chart, Members, Moves, Streams, happened } from "./panels.js";
import { SegmentMap } from "./map.js";

const RETRY_MS = 1500;
const LEAST_MS = 300;
startTheme();
const map = new SegmentMap($("race"), $("cells"), $("drops"));
const moves = new Moves();
const streams = new Streams();
const members = new Members(slotOf, slot => map.choose(slot));
const browser = new Browser(text => happened({ at: Date.now(), text }));
const charts = {
  reads: new Chart("reads", count), writes: new Chart("writes", count),
  latency: new Chart("latency", ms => ms ? seconds(ms) : "–"), sent: new Chart("sent", bytes)
};
// A member keeps its slot, and so its colour, while it is here; the table counts members anew.
const slots = new Map();
const seen = new Set();
let names = [], last = null, behind = new Map(), notInSync = 0, counted = null, countedAt = 0;

function slotOf(name) {
  if (!slots.has(name)) {
    const used = new Set(slots.values());
    let free = 0;
    while (used.has(free)) free++;
    slots.set(name, free);
  }
  return slots.get(name);
}

const nameOf = slot => map.members.find(m => m.slot === slot)?.name || "a node that is gone";
const namesOf = owners => owners.filter(slot => slot >= 0).map(nameOf);
const bySlot = owners => owners.map(i => i < 0 ? -1 : slots.get(names[i]));

// ---- The feed

function state(text, kind) {
  say($("state"), text);
  $("state").className = kind;
}

async function feed() {
  for (;;) {
    try {
      const response = await request("/v1/cluster/events");
      if (response.status === 401) return login();
      if (!response.ok) throw new Error(await problem(response));
      $("login").hidden = true;
      for await (const text of lines(response, "\n\n")) {
        const event = /^event: (.*)$/m.exec(text), data = /^data: (.*)$/m.exec(text);
        if (event && data) handlers[event[1]]?.(JSON.parse(data[1]));
      }
      throw new Error("the node ended it");
    } catch (e) {
      state(`No connection to the node (${e.message}); trying again`, "bad");
      last = counted = null;
      await new Promise(done => setTimeout(done, RETRY_MS));
    }
  }
}

function flowsOf(old, owners) {
  // Who is gone is no source: a copy is made of what is left.
  const source = old.find(name => names.includes(name)) || old[0];
  for (const name of owners) if (source && !old.includes(name)) moves.moved(source, name);
}

const handlers = {
  table(table) {
    const before = map.owners.map(namesOf);
    for (const name of slots.keys()) if (!table.names.includes(name)) slots.delete(name);
    names = table.names;
    names.forEach(slotOf);
    map.table(table.owners.map(bySlot), names.map(name => ({ name, slot: slots.get(name) })));
    // Where members change, all may have moved before this is told.
    if (before.length === map.owners.length) map.owners.forEach((owners, segment) => flowsOf(before[segment], namesOf(owners)));
  },
  moved(moved) {
    const changes = moved.changes.map(([segment, owners]) => [segment, bySlot(owners)]);
    for (const [segment, owners] of changes) flowsOf(namesOf(map.owners[segment] || []), namesOf(owners));
    map.moved(changes);
  },
  members(told) {
    members.show(told.members);
    let used = 0, limit = 0;
    behind = new Map();
    notInSync = 0;
    for (const member of told.members) {
      used += member.usedBytes || 0;
      limit += member.limitBytes || 0;
      notInSync += member.outOfSyncReplicas;
      for (const segment of member.outOfSyncSegments) behind.set(segment, [...behind.get(segment) || [], member.name]);
    }
    figure("memory", bytes(used), `of ${bytes(limit)}`);
  },
  happened(told) {
    for (const event of told.events) {
      const text = event.at + event.text; // a new connection begins with what the last one told
      if (!seen.has(text)) { seen.add(text); happened(event); }
    }
  },
  status(status) {
    const now = performance.now();
    overview(status);
    moves.show(status.rebalance, last?.rebalance);
    streams.show(status, now);
    // The first two events follow each other at once, and would tell of wild rates.
    if (!counted || now - countedAt >= LEAST_MS) {
      if (counted) rates(status, counted, (now - countedAt) / 1000);
      counted = status;
      countedAt = now;
    }
    last = status;
  }
};

function figure(id, text, more) {
  const dd = $("f-" + id);
  if (dd.dataset.text === text + more) return;
  dd.dataset.text = text + more;
  dd.textContent = text;
  if (more) {
    const small = document.createElement("small");
    small.textContent = " " + more;
    dd.append(small);
  }
}

function overview(status) {
  say($("cluster"), status.cluster);
  const title = `Headrace ${status.cluster}`;
  if (document.title !== title) document.title = title;
  const lost = status.lostSegments.length;
  if (status.suspendedBecause) state(status.suspendedBecause, "bad");
  else if (lost) state(`${many(lost, "segment")} without any owner`, "bad");
  else state(status.rebalance?.running ? "Segments are moving" : "Serving", "good");
  figure("members", count(names.length), "");
  figure("segments", count(status.segments), `${status.effectiveOwners} owners` + (status.effectiveOwners < status.configuredOwners ? ` of ${status.configuredOwners}` : ""));
  figure("streams", count(status.streamMemory.streams), `${bytes(status.streamMemory.usedBytes)} of credit`);
  figure("epoch", status.epoch, "");
  figure("security", status.security, "");
  const missing = status.missingReplicas ? `${count(status.missingReplicas)} missing` : "";
  const late = notInSync ? `${count(notInSync)} not in sync` : "";
  figure("replicas", missing || late || "All in sync", missing && late);
  const copying = new Map();
  for (const [name, segments] of Object.entries(status.copying)) {
    for (const segment of segments) copying.set(segment, [...copying.get(segment) || [], name]);
  }
  map.health(status.effectiveOwners, behind, copying);
  look(map.looked);
}

function rates(status, before, time) {
  const operations = status.operations;
  charts.reads.push(Math.max(0, operations.reads - before.operations.reads) / time);
  charts.writes.push(Math.max(0, operations.writes - before.operations.writes) / time);
  charts.latency.push(operations.medianMillis, operations.slowMillis);
  charts.sent.push(Math.max(0, status.sentBytes - before.sentBytes) / time);
}

// ---- Looking at the map

function look(segment) {
  if (segment !== map.looked) map.look(segment);
  if (segment < 0 || segment >= map.owners.length) return;
  const owners = map.owners[segment].map(nameOf), lacks = map.lacks(segment), late = map.behind.get(segment), to = map.copying.get(segment);
  say($("under"), `Segment ${segment}: ` + (owners.length
    ? `primary ${owners[0]}` + (owners.length > 1 ? `, backup ${owners.slice(1).join(", ")}` : "") + (lacks ? `; ${many(lacks, "replica")} missing` : "") + (late ? `; not in sync on ${late.join(", ")}` : "") + (to ? `; being copied to ${to.join(", ")}` : "")
    : "no owner"));
}

$("race").addEventListener("pointermove", e => {
  const at = map.at(e.offsetX, e.offsetY);
  if (at !== map.looked) look(at);
});
$("race").addEventListener("pointerleave", () => { if (document.activeElement !== $("race")) look(-1); });
$("race").addEventListener("click", e => {
  const slot = map.basinAt(e.offsetX, e.offsetY);
  if (slot >= 0) members.choose(slot === map.chosen ? -1 : slot);
});
$("race").addEventListener("keydown", e => {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: map.columns, ArrowUp: -map.columns }[e.key];
  const most = map.owners.length - 1;
  if (!most || (!step && e.key !== "Home" && e.key !== "End")) return;
  e.preventDefault();
  look(e.key === "Home" ? 0 : e.key === "End" ? most : Math.min(most, Math.max(0, map.looked + step)));
});

// ---- The token

function login() {
  state("This node wants a token", "bad");
  $("login").hidden = false;
  $("token").focus();
}

$("login").addEventListener("submit", e => {
  e.preventDefault();
  useToken($("token").value);
  $("token").value = "";
  start();
});

function start() {
  feed();
  browser.caches();
}
start();
