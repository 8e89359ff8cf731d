// The map: the hash space as a channel that runs to and fro, a cell for each segment, and below a
// basin for each member. A copy that has reached a new owner is a drop: it leaves the basin of the
// member that it was read from, passes the segment's cell, which then takes the new owners'
// colours, and ends in the basin of the new owner.
//
// A stroke across a cell says that its segment lacks a replica, a ring that an owner is not in sync,
// a dot that it is being copied: all in ink, so that no colour has to be told from another.
//
// Cells and basins are on one canvas and painted when they change; drops on another, which is all
// that is painted while they fly.
import { colorOf, ink, onTheme } from "./parts.js";

const FLIGHT_MS = 1500;
const SPREAD_MS = 700;
const MOST_FLIGHTS = 1000;
const MOST_TRAILS = 300;
const BASINS = 74;
const LACKS = 1;
const BEHIND = 2;
const COPIED = 4;
const LEAST_MARKED = 4; // pixels; smaller cells have no room for a mark
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class SegmentMap {
  constructor(frame, cells, drops) {
    this.frame = frame;
    this.cells = cells;
    this.drops = drops;
    this.owners = [];   // of each segment the slots of its owners, the primary first
    this.shown = [];    // the same as painted, which drops bring up to date
    this.members = [];  // { slot, name } in the table's order
    this.held = new Map();
    this.flights = [];
    this.stale = new Set();
    this.wanted = 0;    // owners that a segment shall have
    this.behind = new Map(); // of a segment the names of the owners that are not in sync
    this.copying = new Map(); // of a segment the names of the members that it is copied to
    this.marks = [];    // of each segment
    this.chosen = -1;   // a member's slot
    this.looked = -1;   // a segment
    onTheme(() => this.repaint());
    new ResizeObserver(() => this.layout()).observe(frame);
  }

  /** All segments and members; those that differ from before move. */
  table(owners, members) {
    const moves = this.owners.length === owners.length;
    const places = !moves || String(members.map(m => m.name)) !== String(this.members.map(m => m.name));
    const before = this.members;
    this.members = members;
    if (!moves) {
      this.owners = owners;
      this.shown = owners.slice();
      this.flights = [];
    }
    if (!members.some(m => m.slot === this.chosen)) this.chosen = -1;
    this.count();
    if (places) this.layout();
    if (moves) {
      const changes = [];
      owners.forEach((now, segment) => {
        if (String(now) !== String(this.owners[segment])) changes.push([segment, now]);
      });
      this.moved(changes, before);
    }
    this.mark();
  }

  /** Some segments have other owners. */
  moved(changes) {
    const now = performance.now();
    const fly = !still.matches && !document.hidden;
    for (const [segment, owners] of changes) {
      const old = this.owners[segment];
      this.owners[segment] = owners;
      const source = old.find(slot => this.members.some(m => m.slot === slot));
      const targets = owners.filter(slot => !old.includes(slot));
      if (fly && targets.length && source !== undefined && this.flights.length < MOST_FLIGHTS) {
        const start = now + Math.random() * SPREAD_MS;
        for (const target of targets) this.flights.push({ segment, source, target, start, landed: false });
      } else {
        this.show(segment);
      }
    }
    this.mark();
    this.redraw();
  }

  /** How many owners segments shall have, who is not in sync, and who gets a copy. */
  health(wanted, behind, copying) {
    this.wanted = wanted;
    this.behind = behind;
    this.copying = copying;
    this.mark();
  }

  /** How many replicas a segment lacks. */
  lacks(segment) {
    return Math.max(0, this.wanted - this.owners[segment].filter(slot => slot >= 0).length);
  }

  mark() {
    this.marks.length = this.owners.length;
    let changed = false;
    for (let segment = 0; segment < this.owners.length; segment++) {
      const mark = (this.lacks(segment) ? LACKS : 0) | (this.behind.has(segment) ? BEHIND : 0) | (this.copying.has(segment) ? COPIED : 0);
      if (mark === (this.marks[segment] || 0)) continue;
      this.marks[segment] = mark;
      this.stale.add(segment);
      changed = true;
    }
    if (changed) this.redraw();
  }

  show(segment) {
    for (const slot of this.shown[segment]) this.held.set(slot, (this.held.get(slot) || 0) - 1);
    for (const slot of this.owners[segment]) this.held.set(slot, (this.held.get(slot) || 0) + 1);
    this.shown[segment] = this.owners[segment];
    this.stale.add(segment);
  }

  count() {
    this.held.clear();
    for (const owners of this.shown) for (const slot of owners) this.held.set(slot, (this.held.get(slot) || 0) + 1);
  }

  choose(slot) {
    this.chosen = slot;
    this.repaint();
  }

  look(segment) {
    this.looked = segment;
    this.redraw();
  }

  // ---- Where things are

  layout() {
    this.scale = Math.min(devicePixelRatio || 1, 2);
    this.width = this.frame.clientWidth;
    this.height = this.frame.clientHeight;
    if (!this.width || !this.owners.length) return;
    for (const canvas of [this.cells, this.drops]) {
      canvas.width = Math.round(this.width * this.scale);
      canvas.height = Math.round(this.height * this.scale);
    }
    const number = this.owners.length, pad = 10;
    this.innerWidth = this.width - 2 * pad;
    this.innerHeight = this.height - BASINS - 2 * pad;
    const side = Math.sqrt(this.innerWidth * this.innerHeight / number);
    this.rows = Math.max(1, Math.round(this.innerHeight / side));
    this.columns = Math.ceil(number / this.rows);
    this.rows = Math.ceil(number / this.columns);
    this.cellWidth = this.innerWidth / this.columns;
    this.cellHeight = this.innerHeight / this.rows;
    this.pad = pad;
    this.gap = this.cellWidth > 12 ? 2 : this.cellWidth > 4 ? 1 : 0;
    this.bank = this.cellHeight > 18 ? 7 : this.cellHeight > 5 ? 1 : 0;
    this.repaint();
  }

  /** The left upper corner of a segment's cell. The channel turns at the end of each row. */
  place(segment) {
    const row = Math.floor(segment / this.columns), rest = segment % this.columns;
    const column = row % 2 ? this.columns - 1 - rest : rest;
    return [this.pad + column * this.cellWidth, this.pad + row * this.cellHeight];
  }

  /** The segment under a point; -1 for none. */
  at(x, y) {
    const row = Math.floor((y - this.pad) / this.cellHeight), column = Math.floor((x - this.pad) / this.cellWidth);
    if (row < 0 || column < 0 || row >= this.rows || column >= this.columns) return -1;
    const segment = row * this.columns + (row % 2 ? this.columns - 1 - column : column);
    return segment < this.owners.length ? segment : -1;
  }

  /** The slot of the member whose basin is under a point; -1 for none. */
  basinAt(x, y) {
    if (y < this.height - BASINS || !this.members.length) return -1;
    const index = Math.floor((x - this.pad) / (this.innerWidth / this.members.length));
    return index >= 0 && index < this.members.length ? this.members[index].slot : -1;
  }

  /** The middle of the surface of a member's basin; null if it is gone. */
  basin(slot) {
    const index = this.members.findIndex(m => m.slot === slot);
    if (index < 0) return null;
    return [this.pad + (index + .5) * this.innerWidth / this.members.length, this.height - BASINS + 22];
  }

  // ---- Painting

  repaint() {
    this.whole = true;
    this.redraw();
  }

  redraw() {
    if (!this.pending && this.width) {
      this.pending = requestAnimationFrame(now => { this.pending = 0; this.frameAt(now); });
    }
  }

  frameAt(now) {
    if (!this.owners.length || !this.rows) return;
    this.fly(now);
    const g = this.cells.getContext("2d");
    g.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    if (this.whole) {
      g.clearRect(0, 0, this.width, this.height);
      this.channel(g);
      for (let segment = 0; segment < this.owners.length; segment++) this.cell(g, segment);
      this.basins(g);
    } else if (this.stale.size) {
      for (const segment of this.stale) this.cell(g, segment);
      this.basins(g);
    }
    this.whole = false;
    this.stale.clear();
    if (this.flights.length) this.redraw();
  }

  channel(g) {
    if (!this.bank) return;
    g.fillStyle = ink("line");
    const bend = Math.min(this.cellWidth, 8), height = this.cellHeight - this.bank;
    for (let row = 0; row + 1 < this.rows; row++) {
      const x = row % 2 ? this.pad : this.pad + this.innerWidth - bend;
      g.fillRect(x, this.pad + row * this.cellHeight + height / 2, bend - this.gap, this.cellHeight);
    }
  }

  cell(g, segment) {
    const [x, y] = this.place(segment), owners = this.shown[segment];
    const width = this.cellWidth - this.gap, height = this.cellHeight - this.bank;
    const dim = this.chosen >= 0 && !owners.includes(this.chosen);
    g.fillStyle = ink("well");
    g.fillRect(x, y, width, height);
    g.globalAlpha = dim ? .16 : 1;
    g.fillStyle = colorOf(owners.length ? owners[0] : -1);
    g.fillRect(x, y, width, height);
    const backups = Math.min(owners.length - 1, 3);
    if (height >= 10 && backups > 0) {
      const part = Math.max(3, Math.min(7, height / 5));
      for (let i = 0; i < backups; i++) {
        g.fillStyle = colorOf(owners[1 + i]);
        g.fillRect(x + i * width / backups, y + height - part, width / backups, part);
      }
    }
    if (!owners.length && height >= 8) {
      g.strokeStyle = ink("warn");
      g.lineWidth = 1.5;
      g.strokeRect(x + 1, y + 1, width - 2, height - 2);
    }
    g.globalAlpha = 1;
    if (this.marks[segment] && Math.min(width, height) >= LEAST_MARKED) this.sign(g, this.marks[segment], x, y, width, height);
  }

  /** A stroke, a ring, a dot, or some of them, with an edge that sets them off from the cell. */
  sign(g, mark, x, y, width, height) {
    const least = Math.min(width, height), line = Math.max(1, Math.min(2.5, least / 8)), edge = least < 10 ? 0 : line + 2;
    g.save();
    g.beginPath();
    g.rect(x, y, width, height);
    g.clip();
    g.beginPath();
    if (mark & LACKS) {
      g.moveTo(x, y + height);
      g.lineTo(x + width, y);
    }
    if (mark & BEHIND) {
      const radius = least * .3;
      g.moveTo(x + width / 2 + radius, y + height / 2);
      g.arc(x + width / 2, y + height / 2, radius, 0, 7);
    }
    if (mark & COPIED) {
      const radius = Math.max(line / 2, least * .08);
      g.moveTo(x + width / 2 + radius, y + height / 2);
      g.arc(x + width / 2, y + height / 2, radius, 0, 7);
    }
    if (edge) {
      g.strokeStyle = ink("sheet");
      g.lineWidth = edge;
      g.stroke();
    }
    g.strokeStyle = ink("ink");
    g.lineWidth = line;
    g.stroke();
    g.restore();
  }

  basins(g) {
    const top = this.height - BASINS, slots = this.members.length;
    g.clearRect(0, top, this.width, BASINS);
    const step = this.innerWidth / slots, side = Math.max(1, Math.min(10, step * .1));
    const most = Math.max(1, ...this.held.values());
    const named = step >= 62;
    const depth = named ? 30 : 44;
    g.font = "12px system-ui, sans-serif";
    g.textAlign = "center";
    this.members.forEach((member, i) => {
      const x = this.pad + i * step + side, width = step - 2 * side, y = top + 14;
      const level = (this.held.get(member.slot) || 0) / most * depth;
      const chosen = member.slot === this.chosen;
      g.globalAlpha = this.chosen >= 0 && !chosen ? .3 : 1;
      g.fillStyle = ink("sheet");
      g.fillRect(x, y, width, depth);
      g.fillStyle = colorOf(member.slot);
      g.fillRect(x, y + depth - level, width, level);
      if (step > 8) {
        g.strokeStyle = chosen ? ink("ink") : ink("quiet");
        g.lineWidth = chosen ? 2.5 : 1.25;
        g.beginPath();
        g.moveTo(x, y - 3);
        g.lineTo(x, y + depth);
        g.lineTo(x + width, y + depth);
        g.lineTo(x + width, y - 3);
        g.stroke();
      }
      if (named) {
        g.fillStyle = ink("ink");
        const held = ` ${this.held.get(member.slot) || 0}`;
        g.fillText(shorten(g, member.name, step - 8 - g.measureText(held).width) + held, x + width / 2, y + depth + 16);
      }
      g.globalAlpha = 1;
    });
  }

  fly(now) {
    const g = this.drops.getContext("2d");
    g.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    g.clearRect(0, 0, this.width, this.height);
    const left = [];
    const size = Math.max(2.5, Math.min(6, this.cellHeight / 4));
    this.trail = this.flights.length > MOST_TRAILS ? 0 : 3;
    for (const flight of this.flights) {
      const part = (now - flight.start) / FLIGHT_MS;
      if (part < 1) left.push(flight);
      if (part >= .5 && !flight.landed) {
        flight.landed = true;
        this.show(flight.segment);
      }
      if (part > 0 && part < 1) this.drop(g, flight, part, size);
    }
    this.flights = left;
    this.frameOf(g);
  }

  drop(g, flight, part, size) {
    const from = this.basin(flight.source), to = this.basin(flight.target);
    if (!from || !to) return;
    const [x, y] = this.place(flight.segment);
    const cx = x + this.cellWidth / 2, cy = y + this.cellHeight / 2;
    // The control point for which the curve passes the cell's middle half way.
    const mx = 2 * cx - (from[0] + to[0]) / 2, my = 2 * cy - (from[1] + to[1]) / 2;
    g.fillStyle = colorOf(part < .5 ? flight.source : flight.target);
    for (let i = this.trail; i >= 0; i--) {
      const t = ease(Math.max(0, part - i * .016)), u = 1 - t;
      g.globalAlpha = i ? .45 - i * .1 : 1;
      g.beginPath();
      g.arc(u * u * from[0] + 2 * u * t * mx + t * t * to[0], u * u * from[1] + 2 * u * t * my + t * t * to[1], size * (1 - i * .15), 0, 7);
      g.fill();
      if (!i) {
        g.strokeStyle = ink("sheet");
        g.lineWidth = 1.25;
        g.stroke();
      }
    }
    const near = 1 - Math.abs(part - .5) * 5;
    if (near > 0) {
      g.globalAlpha = near;
      g.strokeStyle = ink("ink");
      g.lineWidth = 2;
      g.strokeRect(x - 1, y - 1, this.cellWidth - this.gap + 2, this.cellHeight - this.bank + 2);
    }
    g.globalAlpha = 1;
  }

  /** The frame around the segment that is looked at. */
  frameOf(g) {
    if (this.looked < 0 || this.looked >= this.owners.length) return;
    const [x, y] = this.place(this.looked);
    g.strokeStyle = ink("ink");
    g.lineWidth = 2.5;
    g.strokeRect(x - 1.5, y - 1.5, this.cellWidth - this.gap + 3, this.cellHeight - this.bank + 3);
  }
}

const ease = t => t * t * (3 - 2 * t);

function shorten(g, text, width) {
  let shown = text;
  while (shown.length > 1 && g.measureText(shown).width > width) shown = "…" + shown.slice(shown.startsWith("…") ? 2 : 1);
  return shown;
}
