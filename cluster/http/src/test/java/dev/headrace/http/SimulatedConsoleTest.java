package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.headrace.http.browser.BrowserPage;
import dev.headrace.http.browser.Chromium;
import dev.headrace.http.browser.ConsoleScripts;
import dev.headrace.http.status.SimulatedConsole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The console over clusters that do not exist, as large as is wanted, in a real browser. The times
 * of frames are reported in {@code target/console}; asserted is only that nothing hangs, since a
 * machine that tests has other work.
 */
@Timeout(240)
final class SimulatedConsoleTest {
  private static final Path FOLDER = Path.of("target", "console");
  private static final double HANG_MILLIS = 2_500;
  private static final String FLOWS =
      """
      [...document.querySelectorAll('#flows li')]
        .map(item => item.children[0].innerText + ': ' + item.children[1].innerText.replace(',', ''))
        .join('\\n')\
      """;

  private Chromium chromium;
  private ScheduledExecutorService timer;

  @BeforeEach
  void start() throws IOException {
    Optional<Path> program = Chromium.installed();
    assumeTrue(program.isPresent(), "No Chromium is installed: apt-get install chromium");
    chromium = Chromium.start(program.get());
    timer = Executors.newSingleThreadScheduledExecutor();
  }

  @AfterEach
  void stop() {
    if (chromium != null) {
      chromium.close();
      timer.shutdownNow();
    }
  }

  private void every(int millis, Runnable task) {
    var unused = timer.scheduleAtFixedRate(task, 0, millis, TimeUnit.MILLISECONDS);
  }

  private static void report(String name, String text) throws IOException {
    Files.createDirectories(FOLDER);
    Files.writeString(FOLDER.resolve(name + ".txt"), text + "\n");
  }

  private static void assertNothingHangs(String frames) {
    assertThat(Double.parseDouble(frames.split(" ", -1)[2]))
        .as("the longest frame of %s", frames)
        .isLessThan(HANG_MILLIS);
  }

  @Test
  void theMapGoesOnWhileAllOf256SegmentsMove() throws IOException {
    try (SimulatedConsole console = new SimulatedConsole(6, 256)) {
      every(500, console::work);
      BrowserPage page = chromium.page();
      page.size(1280, 900);
      page.prefers(false);
      page.open(console.url());
      page.await("document.querySelectorAll('#members tr').length === 6");
      report("first-paint", page.evaluate(ConsoleScripts.FIRST_PAINT) + " ms");
      console.moveAll();
      String frames = page.evaluate(ConsoleScripts.frames(3));
      report("frames-256-moving", frames + " ms: median, 95 %, longest");
      assertNothingHangs(frames);

      console.join();
      console.plan(74);
      page.await("document.querySelectorAll('#members tr').length === 7");
      every(400, () -> console.move(4, 6));
      page.await("/^[2-6]. of 74/.test(document.querySelector('#move-text').innerText)");
      page.fit(1280);
      page.picture(FOLDER.resolve("simulated-light.png"), false);
      page.prefers(true);
      page.picture(FOLDER.resolve("simulated-dark.png"), false);
      page.size(390, 844);
      assertThat(page.evaluate(ConsoleScripts.TOO_WIDE)).isEmpty();
      page.fit(390);
      page.picture(FOLDER.resolve("simulated-phone.png"), false);
      assertThat(page.errors()).isEmpty();
    }
  }

  @Test
  void aSegmentThatLacksAReplicaAndOneThatIsBehindAreToldApartWithoutColour() throws IOException {
    try (SimulatedConsole console = new SimulatedConsole(6, 256)) {
      console.loseBackup(3);
      console.fallBehind(5);
      BrowserPage page = chromium.page();
      page.size(1280, 900);
      page.prefers(false);
      page.open(console.url());
      page.await("document.querySelectorAll('#members tr').length === 6");
      page.await(
          "/^1 missing\\s+1 not in sync$/.test(document.querySelector('#f-replicas').innerText)");
      page.await("document.querySelector('#members tr').cells[4].innerText === 'all but 1'");
      page.evaluate("document.querySelector('#race').focus(); ''");
      page.press("Home");
      Map<Integer, String> texts = new HashMap<>();
      for (int segment = 1; segment <= 5; segment++) {
        page.press("ArrowRight");
        texts.put(segment, page.text("#under"));
      }
      assertThat(texts.get(3)).startsWith("Segment 3: primary ").endsWith("; 1 replica missing");
      assertThat(texts.get(4)).startsWith("Segment 4: primary ").doesNotContain(";");
      assertThat(texts.get(5))
          .isEqualTo("Segment 5: primary node-2, backup node-1; not in sync on node-1");
      page.await(ConsoleScripts.MARK_SHAPES + " === 'stroke ring'");
      page.picture(FOLDER.resolve("simulated-replicas.png"), false);
      assertThat(page.errors()).isEmpty();
    }
  }

  @Test
  void copiesThatCameWithAChangeOfMembersAreCountedFromWhoIsLeft() throws IOException {
    try (SimulatedConsole console = new SimulatedConsole(100, 10_000)) {
      BrowserPage page = chromium.page();
      page.size(1280, 900);
      page.open(console.url());
      page.await("document.querySelectorAll('#members tr').length === 100");
      assertThat(page.evaluate(FLOWS)).isEmpty();

      assertFlows(page, console.joinAndMove(500));
      page.await("document.querySelector('#f-members').innerText === '101'");
      page.await(
          "document.querySelector('#move-text').innerText.includes('rebalance made 500 copies')");

      assertFlows(page, console.leaveAndMove(7)); // no longer those of the rebalance before
      page.await("document.querySelector('#f-members').innerText === '100'");
      assertThat(page.errors()).isEmpty();
    }
  }

  /** Waits for the nine largest flows, and one line for the others. */
  private static void assertFlows(BrowserPage page, Map<String, Integer> flows) {
    int all = flows.values().stream().mapToInt(copies -> copies).sum();
    List<Integer> largest =
        flows.values().stream().sorted(Comparator.reverseOrder()).limit(9).toList();
    page.await(
        "[...document.querySelectorAll('#flows b')].reduce((sum, b) => sum +"
            + " +b.innerText.replace(',', ''), 0) === "
            + all);
    List<String> lines = page.evaluate(FLOWS).lines().toList();
    assertThat(lines).hasSize(10);
    List<Integer> shown = new ArrayList<>();
    for (String line : lines.subList(0, 9)) {
      String[] parts = line.split(": ", -1);
      assertThat(flows).containsEntry(parts[0], Integer.parseInt(parts[1]));
      shown.add(Integer.parseInt(parts[1]));
    }
    assertThat(shown).isEqualTo(largest);
    assertThat(lines.get(9)).startsWith("other ways: ");
  }

  @Test
  void aHundredMembersAndTenThousandSegmentsStayUsable() throws IOException {
    try (SimulatedConsole console = new SimulatedConsole(100, 10_000)) {
      BrowserPage page = chromium.page();
      page.size(1280, 900);
      page.prefers(true);
      page.open(console.url());
      page.await("document.querySelectorAll('#members tr').length === 100");
      long before = console.sentBytes();
      String still = page.evaluate(ConsoleScripts.frames(6));
      long bytesASecond = (console.sentBytes() - before) / 6;
      every(500, () -> console.move(200, 99));
      String moving = page.evaluate(ConsoleScripts.frames(6));
      page.picture(FOLDER.resolve("simulated-large.png"), false);
      report(
          "frames-10000-segments",
          still
              + " ms at rest, "
              + moving
              + " ms while 400 a second move: median, 95 %, longest; "
              + bytesASecond
              + " B/s of events at rest");
      assertNothingHangs(still);
      assertNothingHangs(moving);
      assertThat(bytesASecond).as("bytes a second of the feed").isLessThan(20_000);

      page.evaluate("document.querySelector('#race').focus(); ''");
      page.press("End");
      page.await("document.querySelector('#under').innerText.startsWith('Segment 9999: primary')");
      page.evaluate("document.querySelectorAll('#members button')[42].click(); ''");
      page.await("document.querySelectorAll('#members button[aria-pressed=true]').length === 1");
      assertThat(page.errors()).isEmpty();
    }
  }
}
