"use strict";
// The map of segments: a cell each, coloured by its primary, with a line below for a backup.
// A segment that changes its primary travels: a dot flies from the old owner's part of the legend.
const SegmentMap = (() => {
  const FLIGHT_MS = 900;
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  // Neighbours on the list are far apart on the wheel (the golden angle), so any number of nodes differ.
  function color(index, dark) {
    if (index < 0) return dark ? "#555" : "#bbb";
    const hue = (196 + index * 137.508) % 360;
    const light = (dark ? 62 : 44) + (index % 3) * (dark ? 6 : 7);
    return `hsl(${hue.toFixed(1)} ${55 + (index % 2) * 15}% ${light}%)`;
  }

  class SegmentMap {
    constructor(canvas) {
      this.canvas = canvas;
      this.owners = [];
      this.flights = new Map();
      this.dark = matchMedia("(prefers-color-scheme: dark)");
      this.dark.addEventListener("change", () => this.redraw());
      new ResizeObserver(() => this.layout()).observe(canvas);
    }

    color(index) { return color(index, this.dark.matches); }

    table(owners, count) {
      this.owners = owners;
      this.count = count;
      this.layout();
    }

    moved(changes) {
      const now = performance.now();
      for (const [segment, owners] of changes) {
        const before = this.owners[segment] || [];
        if (before[0] !== owners[0] && !still.matches) {
          this.flights.set(segment, { from: before.length ? before[0] : -1, start: now + Math.random() * 300 });
        }
        this.owners[segment] = owners;
      }
      this.redraw();
    }

    layout() {
      const scale = devicePixelRatio || 1;
      const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
      if (!width) return;
      this.canvas.width = Math.round(width * scale);
      this.canvas.height = Math.round(height * scale);
      const cells = Math.max(1, this.owners.length);
      // The side of a cell for which all fit.
      let side = Math.sqrt(width * height / cells);
      let columns = Math.max(1, Math.floor(width / side));
      while (Math.ceil(cells / columns) * (width / columns) > height && columns < cells) columns++;
      this.columns = columns;
      this.side = Math.min(width / columns, height);
      this.scale = scale;
      this.redraw();
    }

    redraw() {
      if (!this.pending) {
        this.pending = requestAnimationFrame(now => { this.pending = 0; this.draw(now); });
      }
    }

    place(segment) {
      return [(segment % this.columns) * this.side, Math.floor(segment / this.columns) * this.side];
    }

    draw(now) {
      const g = this.canvas.getContext("2d");
      if (!this.side) return;
      g.setTransform(this.scale, 0, 0, this.scale, 0, 0);
      g.clearRect(0, 0, this.canvas.width, this.canvas.height);
      const gap = this.side > 6 ? 1 : 0, size = this.side - gap;
      const byColor = new Map();
      for (let segment = 0; segment < this.owners.length; segment++) {
        const flight = this.flights.get(segment);
        const owner = flight ? flight.from : (this.owners[segment].length ? this.owners[segment][0] : -1);
        if (!byColor.has(owner)) byColor.set(owner, []);
        byColor.get(owner).push(segment);
      }
      for (const [owner, segments] of byColor) {
        g.fillStyle = this.color(owner);
        for (const segment of segments) {
          const [x, y] = this.place(segment);
          g.fillRect(x, y, size, size);
        }
      }
      if (this.side >= 9) {
        for (let segment = 0; segment < this.owners.length; segment++) {
          const owners = this.owners[segment];
          for (let i = 1; i < owners.length && i < 4; i++) {
            const [x, y] = this.place(segment);
            g.fillStyle = this.color(owners[i]);
            g.fillRect(x + 2, y + size - 1 - 3 * i, size - 4, 2);
          }
        }
      }
      this.fly(g, now, size);
      if (this.flights.size) this.redraw();
    }

    fly(g, now, size) {
      for (const [segment, flight] of this.flights) {
        const part = (now - flight.start) / FLIGHT_MS;
        if (part >= 1) { this.flights.delete(segment); continue; }
        if (part < 0) continue;
        const [x, y] = this.place(segment);
        const eased = part * part * (3 - 2 * part);
        const height = this.canvas.height / this.scale;
        const grown = size * (1 + Math.sin(Math.PI * part) * .8);
        const owner = this.owners[segment].length ? this.owners[segment][0] : -1;
        g.globalAlpha = .35 + .65 * eased;
        g.fillStyle = this.color(owner);
        const lift = (1 - eased) * Math.min(40, height / 4);
        g.fillRect(x - (grown - size) / 2, y - (grown - size) / 2 - lift, grown, grown);
        g.globalAlpha = 1;
      }
    }

    at(x, y) {
      const column = Math.floor(x / this.side), segment = Math.floor(y / this.side) * this.columns + column;
      return column < this.columns && segment >= 0 && segment < this.owners.length ? segment : -1;
    }
  }
  return SegmentMap;
})();
