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

  /** When the page was painted first, in milliseconds after it was asked for. */
  public static final String FIRST_PAINT =
      "String(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1)";
}
