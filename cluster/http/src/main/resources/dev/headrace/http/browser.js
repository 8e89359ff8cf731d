// Looks through a cache page by page. A page is a stream with a limit, which ends with a token; the
// next page goes on at the token. Nothing is kept on any node between two pages.
import { $, count, lines, make, many, problem, request, say } from "./parts.js";

const PAGE = 50;
const SECONDS = 5; // after which a page ends, however little was found
const path = (cache, key) => `/v1/caches/${encodeURIComponent(cache)}/entries` + (key === undefined ? "" : "/" + encodeURIComponent(key));
const entries = n => many(n, "entry", "entries");

/** Text as it is; everything else as JSON. */
const shown = value => typeof value === "string" ? value : JSON.stringify(value);

/** The key of a line as a path has it. A number keeps all its digits, which JSON.parse does not promise. */
function keyOf(line, entry) {
  const number = /^\{"key":(-?[\d.eE+-]+),"value":/.exec(line);
  return number ? number[1] : shown(entry.key);
}

/** Whether the key that is shown is that of the entry: a number within a record may have lost digits. */
function isExact(line, { key }) {
  return typeof key !== "object" || line.startsWith(`{"key":${JSON.stringify(key)},"value":`);
}

export class Browser {
  constructor(noted) {
    this.noted = noted;
    this.token = "";       // where the page that is shown begins
    this.next = null;      // where the next one does; null at the end
    this.before = [];      // where those before it did
    $("browse").addEventListener("submit", e => { e.preventDefault(); this.begin(); });
    $("more").addEventListener("click", () => this.go(this.next, this.before.concat([this.token])));
    $("previous").addEventListener("click", () => this.go(this.before.at(-1), this.before.slice(0, -1)));
    $("stop").addEventListener("click", () => this.abort?.abort());
    $("cache").addEventListener("focus", () => this.caches());
    this.dialogs();
  }

  async caches() {
    try {
      const response = await request("/v1/caches");
      if (!response.ok) return;
      const chosen = $("cache").value;
      const options = (await response.json()).caches.map(cache => {
        const option = make("option", `${cache.name} (${count(cache.entries)})`);
        option.value = cache.name;
        return option;
      });
      const same = options.length === $("cache").options.length && options.every((o, i) => o.text === $("cache").options[i].text);
      if (!same) {
        $("cache").replaceChildren(...options);
        if (options.some(o => o.value === chosen)) $("cache").value = chosen;
      }
      $("show").disabled = !options.length;
      if (!options.length) say($("browse-text"), "The cluster has no caches yet.");
    } catch (e) {
      say($("browse-text"), `The caches are not known: ${e.message}`);
    }
  }

  begin() {
    this.cache = $("cache").value;
    this.prefix = $("prefix").value;
    this.condition = $("condition").value.trim();
    this.go("", []);
  }

  /** Shows the page that begins at a token. */
  async go(token, before) {
    this.abort?.abort();
    const abort = this.abort = new AbortController();
    this.token = token;
    this.before = before;
    this.next = null;
    this.busy(true);
    $("entries").replaceChildren();
    const query = new URLSearchParams({ limit: PAGE, seconds: SECONDS, tokens: true });
    if (this.prefix) query.set("prefix", this.prefix);
    if (this.condition) query.set("filter", this.condition);
    const headers = { accept: "application/x-ndjson" };
    if (token) headers["headrace-resume"] = token; // it may be too long for a request line
    const begun = performance.now();
    try {
      const response = await request(`${path(this.cache)}?${query}`, { signal: abort.signal, headers });
      if (!response.ok) throw new Error(await problem(response));
      await this.read(response, abort);
      if (this.abort !== abort) return; // another page is being read
      // A token that was sent on the way is not the end of a page that ended for no other reason.
      const early = performance.now() - begun < SECONDS * 1000;
      if (early && $("entries").children.length < PAGE) this.next = null;
      this.tell(false);
    } catch (e) {
      if (this.abort !== abort) return;
      if (e.name === "AbortError") this.tell(true);
      else say($("browse-text"), e.message);
    }
    if (this.abort === abort) this.busy(false);
  }

  async read(response, abort) {
    for await (const line of lines(response)) {
      if (this.abort !== abort) return;
      const record = JSON.parse(line);
      if (record.error) throw new Error(record.error.detail);
      if (record.resume !== undefined) {
        this.next = record.resume;
        if ($("entries").children.length >= PAGE) break;
        say($("browse-text"), `${entries($("entries").children.length)} so far; the cluster is being looked through …`);
      } else {
        this.next = null;
        $("entries").append(this.row(keyOf(line, record), record.value, isExact(line, record)));
      }
    }
  }

  tell(stopped) {
    const here = $("entries").children.length, page = this.before.length + 1;
    const end = stopped ? "stopped" : this.next === null ? "the end"
      : here < PAGE ? `stopped after ${SECONDS} seconds, Next page continues` : "there may be more";
    say($("browse-text"), `Page ${page}: ${entries(here)}; ${end}`);
  }

  busy(now) {
    $("stop").hidden = !now;
    $("more").disabled = now || this.next === null;
    $("previous").disabled = now || !this.before.length;
  }

  /** A row of the table. Whoever cannot name an entry must not change another one instead. */
  row(key, value, exact) {
    const tr = make("tr"), head = make("th", key, "key"), actions = make("td");
    head.scope = "row";
    tr.append(head, make("td", shown(value), "value"), actions);
    if (!exact) return tr;
    const edit = make("button", "Edit"), remove = make("button", "Delete");
    edit.setAttribute("aria-label", `Edit ${key}`);
    remove.setAttribute("aria-label", `Delete ${key}`);
    edit.addEventListener("click", () => this.edit(this.cache, key, tr));
    remove.addEventListener("click", () => this.ask(this.cache, key, tr));
    actions.append(edit, remove);
    return tr;
  }

  // ---- Editing and deleting

  dialogs() {
    $("edit").addEventListener("submit", e => { e.preventDefault(); this.save(); });
    $("ask").addEventListener("submit", e => { e.preventDefault(); this.remove(); });
    $("cancel").addEventListener("click", () => $("editor").close());
    $("keep").addEventListener("click", () => $("asker").close());
  }

  async edit(cache, key, tr) {
    try {
      const response = await request(path(cache, key), { headers: { accept: "application/json" } });
      if (!response.ok) throw new Error(await problem(response));
      const text = await response.text(), expires = response.headers.get("headrace-expires");
      this.open = { cache, key, tr, tag: response.headers.get("etag") };
      $("editor-title").textContent = `Entry ${key}`;
      $("editor-text").textContent = "";
      $("value").value = pretty(text);
      $("lifespan").value = expires ? Math.max(1, Math.round((Date.parse(expires) - Date.now()) / 1000)) : "";
      $("editor").showModal();
    } catch (e) {
      say($("browse-text"), e.message);
    }
  }

  async save() {
    const { cache, key, tr, tag } = this.open;
    const lifespan = $("lifespan").value ? `?lifespan=${$("lifespan").value}` : "";
    try {
      JSON.parse($("value").value);
      const saved = await request(path(cache, key) + lifespan, { method: "PUT", body: $("value").value, headers: { "content-type": "application/json", "if-match": tag } });
      if (saved.status === 412) throw new Error("Somebody else has changed the entry; close and open it again.");
      if (!saved.ok) throw new Error(await problem(saved));
      tr.children[1].textContent = shown(JSON.parse($("value").value));
      $("editor").close();
      say($("browse-text"), `${key} is saved`);
      this.noted(`Entry ${key} of ${cache} was changed on this page`);
    } catch (e) {
      $("editor-text").textContent = e instanceof SyntaxError ? `This is no JSON: ${e.message}` : e.message;
    }
  }

  ask(cache, key, tr) {
    this.open = { cache, key, tr };
    $("asker-text").textContent = `${key} of the cache ${cache}, on all its owners`;
    $("asker").showModal();
    $("keep").focus();
  }

  async remove() {
    const { cache, key, tr } = this.open;
    $("asker").close();
    try {
      const response = await request(path(cache, key), { method: "DELETE" });
      if (!response.ok && response.status !== 404) throw new Error(await problem(response));
      const next = (tr.nextElementSibling || tr.previousElementSibling)?.querySelector("button");
      tr.remove();
      (next || $("show")).focus();
      say($("browse-text"), response.ok ? `${key} is deleted` : `${key} was gone already`);
      if (response.ok) this.noted(`Entry ${key} of ${cache} was deleted on this page`);
    } catch (e) {
      say($("browse-text"), e.message);
    }
  }
}

/** JSON in lines, unless a number would lose digits by it. */
function pretty(text) {
  const value = JSON.parse(text);
  return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
}
