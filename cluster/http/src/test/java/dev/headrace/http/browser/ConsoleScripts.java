package dev.headrace.http.browser;

/** Scripts that tests of the console evaluate in its page. */
public final class ConsoleScripts {
  private ConsoleScripts() {}

  /** What is wider than the window, a line each; empty if the page does not scroll to the side. */
  public static final String TOO_WIDE =
      """
      document.documentElement.scrollWidth <= innerWidth ? '' :
        [...document.querySelectorAll('main *')]
          .filter(e => e.getBoundingClientRect().right > innerWidth && !e.closest('.scroll'))
          .map(e => e.outerHTML.slice(0, 120)).join('\\n') || 'the page'\
      """;

  /** The times between frames of some seconds: the median, the 95th of 100, and the longest. */
  public static String frames(int seconds) {
    return """
    new Promise(done => {
      const times = [], start = performance.now();
      let before = start;
      const frame = now => {
        times.push(now - before);
        before = now;
        if (now - start < %d) requestAnimationFrame(frame);
        else {
          times.shift();
          times.sort((a, b) => a - b);
          const at = part => times[Math.min(times.length - 1, Math.floor(times.length * part))];
          done([at(.5), at(.95), at(1)].map(ms => ms.toFixed(1)).join(' '));
        }
      };
      requestAnimationFrame(frame);
    })\
    """
        .formatted(seconds * 1000);
  }

  /** The pixels of the map above the basins that have the colour of text, as marks have. */
  private static final String MARKS =
      """
      const cells = document.querySelector('#cells'), race = document.querySelector('#race');
      const high = Math.round(cells.height * (race.clientHeight - 80) / race.clientHeight);
      const wide = cells.width, data = cells.getContext('2d').getImageData(0, 0, wide, high).data;
      const [red, green, blue] = getComputedStyle(document.body).color.match(/\\d+/g).map(Number);
      const marks = [];
      for (let i = 0; i < data.length; i += 4) {
        if (data[i] === red && data[i + 1] === green && data[i + 2] === blue) {
          marks.push([i / 4 % wide, Math.floor(i / 4 / wide)]);
        }
      }
      """;

  /** How many pixels of the map's cells are those of marks. */
  public static final String MARKED_PIXELS = "(() => {" + MARKS + "return marks.length; })()";

  /**
   * The marks of one row of cells, from the left: a stroke goes through its middle, a ring goes
   * round it.
   */
  public static final String MARK_SHAPES =
      "(() => {"
          + MARKS
          + """
          const groups = [];
          for (const mark of marks.sort((a, b) => a[0] - b[0])) {
            const last = groups.at(-1);
            if (last && mark[0] - last.at(-1)[0] < 16) last.push(mark);
            else groups.push([mark]);
          }
          return groups.map(group => {
            const middle = axis => {
              const all = group.map(mark => mark[axis]);
              return (Math.min(...all) + Math.max(...all)) / 2;
            };
            const x = middle(0), y = middle(1);
            const through = group.some(mark => Math.hypot(mark[0] - x, mark[1] - y) < 3);
            return through ? 'stroke' : 'ring';
          }).join(' ');
          })()\
          """;

  /** When the page was painted first, in milliseconds after it was asked for. */
  public static final String FIRST_PAINT =
      "String(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1)";
}
