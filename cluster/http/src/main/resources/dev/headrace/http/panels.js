// Members, moves, streams, charts and what happened lately.
import { $, bar, bytes, colorOf, count, fill, ink, make, many, onTheme, say, seconds } from "./parts.js";

const POINTS = 120;
const MOST_EVENTS = 60;
const MOST_FLOWS = 9;

function swatch(slot) {
  const drop = make("span", undefined, "swatch");
  drop.style.background = colorOf(slot);
  return drop;
}

// ---- Members

/** A row for each member. Rows stay when figures change, so that a button keeps the focus. */
export class Members {
  constructor(slotOf, chosen) {
    this.slotOf = slotOf;
    this.chosen = chosen;
    this.rows = new Map();
    onTheme(() => this.rows.forEach(row => { row.swatch.style.background = colorOf(row.slot); }));
  }

  show(members) {
    const most = Math.max(1, ...members.map(m => m.primarySegments + m.backupSegments));
    const names = new Set(members.map(m => m.name));
    for (const [name, row] of this.rows) if (!names.has(name)) { row.tr.remove(); this.rows.delete(name); }
    members.forEach((member, i) => {
      let row = this.rows.get(member.name);
      if (!row) this.rows.set(member.name, row = this.make(member));
      if ($("members").children[i] !== row.tr) $("members").insertBefore(row.tr, $("members").children[i] || null);
      this.fill(row, member, most);
    });
  }

  make(member) {
    const tr = make("tr"), head = make("th"), button = make("button"), note = make("span", "", "note");
    const slot = this.slotOf(member.name), mark = swatch(slot);
    head.scope = "row";
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    button.append(mark, member.name);
    button.addEventListener("click", () => this.choose(button.getAttribute("aria-pressed") === "true" ? -1 : slot));
    head.append(button, note);
    const cells = Array.from({ length: 8 }, () => make("td"));
    const held = bar(0), memory = bar(0), used = make("span");
    cells[0].append(held);
    cells[4].append(memory, used);
    tr.append(head, ...cells);
    return { tr, slot, button, note, cells, held, memory, used, swatch: mark };
  }

  fill(row, member, most) {
    const holds = member.primarySegments + member.backupSegments, streams = member.streamMemory;
    say(row.note, [member.self ? "this node" : "", member.coordinator ? "coordinator" : ""].filter(Boolean).join(", "));
    fill(row.held, holds / most);
    say(row.cells[1], count(member.primarySegments));
    say(row.cells[2], count(member.backupSegments));
    const behind = member.outOfSyncReplicas;
    say(row.cells[3], behind ? `all but ${count(behind)}` : holds ? "all" : "–");
    row.memory.hidden = !member.limitBytes;
    if (member.limitBytes) fill(row.memory, member.usedBytes / member.limitBytes);
    say(row.used, member.limitBytes ? `${bytes(member.usedBytes)} of ${bytes(member.limitBytes)}` : member.capacity ? "not told yet" : "holds nothing");
    say(row.cells[5], streams ? `${streams.streams}, ${bytes(streams.usedBytes)}` + (streams.waiting ? `, ${streams.waiting} wait` : "") : "–");
    say(row.cells[6], bytes(member.bufferBytes));
    say(row.cells[7], member.zone || "–");
  }

  choose(slot) {
    for (const row of this.rows.values()) row.button.setAttribute("aria-pressed", String(row.slot === slot));
    this.chosen(slot);
  }
}

// ---- Moves

/** How far the rebalance is, and from whom to whom segments have gone since it began. */
export class Moves {
  constructor() { this.flows = new Map(); this.recent = []; this.earlier = []; }

  moved(source, target) {
    const flow = `${source} → ${target}`;
    this.recent.push(flow);
    this.add(flow);
  }

  add(flow) {
    this.flows.set(flow, (this.flows.get(flow) || 0) + 1);
    this.changed = true;
  }

  // A rebalance may be told of after its first moves, or when it is over already.
  begin() {
    this.flows.clear();
    this.changed = true;
    for (const flow of [...this.earlier, ...this.recent]) this.add(flow);
  }

  show(rebalance, before) {
    const changed = JSON.stringify(rebalance) !== JSON.stringify(before);
    const another = !rebalance?.running && before && !before.running && changed;
    if ((rebalance?.running && !before?.running) || another) this.begin();
    // What came with news of a rebalance belongs to that one, not to the next.
    this.earlier = changed ? [] : this.recent;
    this.recent = [];
    const running = !!rebalance?.running;
    $("progress").hidden = !running;
    if (running) {
      $("progress").max = Math.max(1, rebalance.plannedCopies);
      $("progress").value = rebalance.copies;
      const rate = rebalance.elapsedMillis ? rebalance.bytes / rebalance.elapsedMillis * 1000 : 0;
      say($("move-text"), `${count(rebalance.copies)} of ${many(rebalance.plannedCopies, "copy", "copies")}, ${rebalance.copying} under way, ${bytes(rebalance.bytes)} at ${bytes(rate)}/s` + (rebalance.remainingMillis ? `, about ${seconds(rebalance.remainingMillis)} left` : ""));
    } else if (rebalance) {
      say($("move-text"), `All is in place. The last rebalance made ${count(rebalance.copies)} copies, where ${count(rebalance.lowerBound)} is the least possible: ${bytes(rebalance.bytes)} in ${seconds(rebalance.elapsedMillis)}.`);
    }
    if (!this.changed) return;
    this.changed = false;
    const most = [...this.flows].sort((a, b) => b[1] - a[1]);
    const rest = most.slice(MOST_FLOWS);
    const shown = most.slice(0, MOST_FLOWS).concat(rest.length ? [["other ways", rest.reduce((sum, flow) => sum + flow[1], 0)]] : []);
    $("flows").replaceChildren(...shown.map(([flow, n]) => {
      const item = make("li");
      item.append(make("span", flow), make("b", count(n)));
      return item;
    }));
  }
}

// ---- What happened lately

export function happened(event) {
  const item = make("li", undefined, event.bad ? "bad" : ""), time = make("time", new Date(event.at).toLocaleTimeString());
  time.dateTime = new Date(event.at).toISOString();
  item.append(time, make("span", event.text));
  $("events").prepend(item);
  while ($("events").children.length > MOST_EVENTS) $("events").lastChild.remove();
}

// ---- Streams

export class Streams {
  constructor() {
    this.items = new Map();
    onTheme(() => this.items.forEach(item => this.paint(item)));
    new ResizeObserver(() => this.items.forEach(item => this.paint(item))).observe($("streams"));
  }

  show(status, now) {
    const memory = status.streamMemory;
    say($("streams-text"), (status.streams.length ? "" : "None at the moment. ") + `This node's streams, those of Java included: ${memory.streams}, with ${bytes(memory.usedBytes)} of ${bytes(memory.budgetBytes)} in use`);
    const present = new Set(status.streams.map(s => s.number));
    for (const [number, item] of this.items) if (!present.has(number)) { item.li.remove(); this.items.delete(number); }
    for (const stream of status.streams) {
      let item = this.items.get(stream.number);
      if (!item) this.items.set(stream.number, item = this.make(stream));
      this.fill(item, stream, now);
    }
  }

  make(stream) {
    const li = make("li"), text = make("p"), place = make("canvas", undefined, "place"), lanes = make("ul", undefined, "lanes");
    place.setAttribute("role", "img");
    li.append(text, place, lanes);
    $("streams").append(li);
    return { li, text, place, lanes, rows: new Map(), before: stream, at: 0, rate: 0 };
  }

  fill(item, stream, now) {
    const time = item.at ? (now - item.at) / 1000 : 0, smooth = (old, value) => old ? old * .6 + value * .4 : value;
    if (time) item.rate = smooth(item.rate, (stream.entries - item.before.entries) / time);
    const text = make("span");
    text.append(make("strong", stream.cache), ` ${count(item.rate)} entries/s, ${count(stream.entries)} so far, ${bytes(stream.bytes)} sent; credit ${many(stream.creditEntries, "entry", "entries")}, ${bytes(stream.creditBytes)} of ${bytes(stream.creditLimitBytes)}` + (stream.paused ? "; waits for its reader" : ""));
    if (item.text.textContent !== text.textContent) item.text.replaceChildren(...text.childNodes);
    item.place.setAttribute("aria-label", `${stream.completed} of ${stream.segments} segments read`);
    item.places = stream.place;
    this.paint(item);
    const most = Math.max(1, ...Object.values(stream.nodes));
    for (const [node, got] of Object.entries(stream.nodes)) {
      let row = item.rows.get(node);
      if (!row) {
        row = { li: make("li"), bar: bar(0), text: make("span"), got: 0, rate: 0 };
        row.li.append(make("span", node), row.bar, row.text);
        item.lanes.append(row.li);
        item.rows.set(node, row);
      }
      if (time) row.rate = smooth(row.rate, (got - row.got) / time);
      row.got = got;
      fill(row.bar, got / most);
      say(row.text, `${bytes(got)}, ${bytes(row.rate)}/s`);
    }
    item.before = stream;
    item.at = now;
  }

  /** The hash space from left to right; what has been read is filled. */
  paint(item) {
    const canvas = item.place, places = item.places || "", scale = devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !places) return;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const g = canvas.getContext("2d");
    g.scale(scale, scale);
    g.fillStyle = ink("water");
    for (let i = 0; i < places.length; i++) {
      const part = Number(places[i]) / 9;
      g.globalAlpha = part;
      g.fillRect(i * width / places.length, 0, width / places.length + .5, height);
    }
  }
}

// ---- Charts

/** One or two lines of the last minute, the first filled. */
export class Chart {
  constructor(name, told) {
    this.canvas = $("c-" + name);
    this.text = $("t-" + name);
    this.told = told;
    this.points = [];
    onTheme(() => this.paint());
    new ResizeObserver(() => this.paint()).observe(this.canvas);
  }

  push(...values) {
    this.points.push(values);
    if (this.points.length > POINTS) this.points.shift();
    say(this.text, values.map(this.told).join(", "));
    this.paint();
  }

  paint() {
    const canvas = this.canvas, scale = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width) return;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const g = canvas.getContext("2d"), most = Math.max(1e-9, ...this.points.flat());
    const x = i => width - (this.points.length - 1 - i) * width / (POINTS - 1), y = v => height - 1 - v / most * (height - 20);
    g.scale(scale, scale);
    g.font = "11px system-ui, sans-serif";
    g.strokeStyle = ink("line");
    g.lineWidth = 1;
    for (const v of [0, most]) {
      g.beginPath();
      g.moveTo(0, y(v) + .5);
      g.lineTo(width, y(v) + .5);
      g.stroke();
    }
    if (!this.points.length) return;
    for (let line = this.points[0].length - 1; line >= 0; line--) {
      g.beginPath();
      this.points.forEach((values, i) => g.lineTo(x(i), y(values[line])));
      g.strokeStyle = ink(line ? "wood" : "water");
      g.lineWidth = 1.75;
      g.stroke();
      if (!line) {
        g.lineTo(width, height);
        g.lineTo(x(0), height);
        g.globalAlpha = .14;
        g.fillStyle = ink("water");
        g.fill();
        g.globalAlpha = 1;
      }
    }
    g.fillStyle = ink("quiet");
    g.fillText(this.told(most > 1e-9 ? most : 0), 2, 11);
  }
}
