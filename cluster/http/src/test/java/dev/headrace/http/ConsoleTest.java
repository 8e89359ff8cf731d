package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.headrace.api.Cache;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.NodeSettings;
import dev.headrace.http.browser.BrowserPage;
import dev.headrace.http.browser.Chromium;
import dev.headrace.http.browser.ConsoleScripts;
import dev.headrace.rebalance.table.SegmentTable;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/**
 * The console in a real browser, beside real nodes of which one joins and one crashes. Its pictures
 * are in {@code target/console}; those of the documentation are copied from there.
 */
@Timeout(240)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ConsoleTest {
  private static final Path FOLDER = Path.of("target", "console");
  private static final int ENTRIES = 10_000;
  private static final String ROWS = "String(document.querySelectorAll('#entries tr').length)";
  private static final String FIRST_KEY = "document.querySelector('#entries th').innerText";
  private static final HeldReads READS = new HeldReads();
  private static HttpCluster cluster;
  private static Cache<String, Reading> readings;
  private static Chromium chromium;
  private static BrowserPage page;

  /** A value whose class no node needs. */
  record Reading(String place, double celsius) {}

  /** A key with a number that JavaScript may not hold. */
  record Gauge(long number) {}

  @BeforeAll
  static void start() throws IOException {
    Optional<Path> program = Chromium.installed();
    assumeTrue(program.isPresent(), "No Chromium is installed: apt-get install chromium");
    cluster = new HttpCluster(READS.tuning());
    for (int i = 0; i < 3; i++) {
      cluster.start(ConsoleTest::named, HttpSettings.builder());
    }
    readings = cluster.node(0).cache("readings", String.class, Reading.class);
    Map<String, Reading> all = new HashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      all.put("sensor-%05d".formatted(i), new Reading("mill " + i % 40, i % 300 / 10.0));
    }
    readings.putAll(all);
    chromium = Chromium.start(program.get());
    page = chromium.page();
    page.size(1280, 900);
    page.prefers(false);
    page.open(cluster.server(0).url() + "/");
    members(3);
  }

  @AfterAll
  static void stop() {
    if (chromium != null) {
      chromium.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private static NodeSettings.Builder named(NodeSettings.Builder settings) {
    return settings.clusterName("mill-race");
  }

  private static void members(int count) {
    page.await("document.querySelectorAll('#members tr').length === " + count);
  }

  private static void said(String selector, String text) {
    page.await("document.querySelector('%s').innerText.includes('%s')".formatted(selector, text));
  }

  @Test
  @Order(1)
  void thePageIsSmallFastAndAsksNobodyElse() {
    said("#cluster", "mill-race");
    assertThat(Double.parseDouble(page.evaluate(ConsoleScripts.FIRST_PAINT)))
        .as("milliseconds to the first paint")
        .isBetween(0.0, 3_000.0);
    assertThat(page.receivedBytes()).as("bytes of all files").isBetween(20_000L, 150_000L);
    assertThat(page.requested())
        .hasSizeGreaterThan(6)
        .allMatch(url -> url.equals("about:blank") || url.startsWith(cluster.server(0).url()));
  }

  @Test
  @Order(2)
  void aNodeThatJoinsGetsItsSegmentsBeforeTheReadersEyes() throws IOException {
    cluster.start(ConsoleTest::named, HttpSettings.builder());
    members(4);
    said("#events", "node-3 has joined");
    said("#flows", "→ node-3");
    page.evaluate("new Promise(done => setTimeout(() => done(''), 850))"); // drops on their way
    page.picture(FOLDER.resolve("moves.png"), false);
    said("#move-text", "All is in place");
    said("#events", "All is in place after");
  }

  @Test
  @Order(3)
  void aNodeThatCrashesIsToldOfAndItsSegmentsGoOn() throws IOException {
    said("#f-replicas", "All in sync");
    page.await(ConsoleScripts.MARKED_PIXELS + " === 0");
    READS.hold(); // nothing is copied until it has been looked at
    cluster.kill(2);
    members(3);
    said("#events", "node-2 is gone");
    said("#f-replicas", " missing");
    int segment = segmentOfOneOwner();
    look(segment);
    said("#under", "Segment " + segment + ": primary node-");
    said("#under", "; 1 replica missing");
    page.await(ConsoleScripts.MARKED_PIXELS + " > 300");
    ClusterStatus.Move move = moveUnderWay();
    look(move.segment());
    said("#under", "; being copied to " + move.destinations().get(0));
    page.evaluate("scrollTo(0, 0); ''");
    page.picture(FOLDER.resolve("replicas.png"), false);

    READS.release();
    said("#flows", "→");
    said("#move-text", "All is in place");
    page.await("document.querySelector('#state').className === 'good'");
    said("#f-replicas", "All in sync");
    page.await(ConsoleScripts.MARKED_PIXELS + " === 0");
    page.await("!document.querySelector('#under').innerText.includes('missing')");
    page.await(
        "[...document.querySelectorAll('#members tr')].every(row => row.cells[4].innerText ==="
            + " 'all')");
  }

  /** A move that goes on until reads are released. */
  private static ClusterStatus.Move moveUnderWay() {
    long beganNanos = System.nanoTime();
    while (true) {
      ClusterStatus.Rebalance rebalance = cluster.node(0).status().rebalance();
      if (rebalance != null && !rebalance.moves().isEmpty()) {
        return rebalance.moves().get(0);
      }
      assertThat(System.nanoTime() - beganNanos).isLessThan(TimeUnit.SECONDS.toNanos(60));
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static int segmentOfOneOwner() {
    SegmentTable table = cluster.node(0).view().table();
    return IntStream.range(0, table.segments())
        .filter(segment -> table.ownerCount(segment) == 1)
        .findFirst()
        .orElseThrow();
  }

  /** Goes to a segment of the map with the keyboard. */
  private static void look(int segment) {
    page.evaluate("document.querySelector('#race').focus(); ''");
    page.press("Home");
    for (int i = 0; i < segment; i++) {
      page.press("ArrowRight");
    }
  }

  @Test
  @Order(4)
  void aStreamShowsItsPlaceItsCreditAndALaneForEachNode() throws IOException {
    Cache<Integer, String> archive = cluster.node(0).cache("archive", Integer.class, String.class);
    Map<Integer, String> large = new HashMap<>();
    for (int i = 0; i < 4_000; i++) {
      large.put(i, "grain ".repeat(500));
    }
    archive.putAll(large);
    cluster.awaitCache("archive");
    try (RawClient reader = new RawClient(cluster.port(0), 16 << 10)) {
      reader.send("GET /v1/caches/archive/entries HTTP/1.1\r\nHost: localhost\r\n\r\n");
      said("#streams", "waits for its reader");
      assertThat(page.text("#streams")).contains("archive", "credit", "node-");
      assertThat(page.evaluate("document.querySelector('.place').getAttribute('aria-label')"))
          .endsWith("of 256 segments read");
    }
    page.await("!document.querySelector('#streams li')");
  }

  @Test
  @Order(5)
  void numbersInKeysKeepTheirDigitsOrAreNotChanged() {
    Cache<BigDecimal, String> amounts =
        cluster.node(0).cache("amounts", BigDecimal.class, String.class);
    amounts.putAll(Map.of(new BigDecimal("1.5"), "coarse", new BigDecimal("1.50"), "fine"));
    browse("amounts", 2);
    page.evaluate("document.querySelector('[aria-label=\"Delete 1.50\"]').click(); ''");
    page.await("document.querySelector('#asker').open");
    page.evaluate("document.querySelector('#delete').click(); ''");
    said("#browse-text", "1.50 is deleted");
    assertThat(amounts.get(new BigDecimal("1.50"))).isNull();
    assertThat(amounts.get(new BigDecimal("1.5"))).isEqualTo("coarse");

    Cache<Gauge, String> gauges = cluster.node(0).cache("gauges", Gauge.class, String.class);
    gauges.putAll(Map.of(new Gauge(1L << 53), "exact", new Gauge((1L << 53) + 1), "rounded"));
    browse("gauges", 2);
    assertThat(page.evaluate("document.querySelector('#entries tr:has(button)').innerText"))
        .contains("exact");
    assertThat(page.evaluate("document.querySelector('#entries tr:not(:has(button))').innerText"))
        .contains("rounded");
  }

  /** Shows a cache as soon as the page knows it. */
  private static void browse(String cache, int rows) {
    page.await(
        """
        (() => {
          const caches = document.querySelector('#cache');
          caches.dispatchEvent(new Event('focus'));
          caches.value = '%s';
          return caches.value;
        })()\
        """
            .formatted(cache));
    page.evaluate("document.querySelector('#show').click(); ''");
    said("#browse-text", "Page 1: " + rows + " entries; the end");
  }

  @Test
  @Order(6)
  void pagesAreReadOneByOneForwardsAndBack() {
    page.evaluate("document.querySelector('#cache').focus(); ''");
    page.await("document.querySelector('#cache').options.length === 4");
    page.evaluate("document.querySelector('#cache').value = 'readings'; ''");
    page.evaluate("document.querySelector('#show').click(); ''");
    final String first = firstKeyOfPage(1);
    page.evaluate("document.querySelector('#more').click(); ''");
    assertThat(firstKeyOfPage(2)).startsWith("sensor-").isNotEqualTo(first);
    page.evaluate("document.querySelector('#previous').click(); ''");
    assertThat(firstKeyOfPage(1)).isEqualTo(first);
  }

  /**
   * Waits until a page that is not the last is complete: 50 entries, or the rest of a batch too.
   */
  private static String firstKeyOfPage(int number) {
    page.await(
        "/^Page %d: \\d+ entries; there may be more$/.test(%s)"
            .formatted(number, "document.querySelector('#browse-text').innerText"));
    assertThat(Integer.parseInt(page.evaluate(ROWS))).isBetween(50, 9_999);
    return page.evaluate(FIRST_KEY);
  }

  @Test
  @Order(7)
  void anEntryIsFoundEditedAndDeletedByKeyboardAlone() {
    page.evaluate("document.querySelector('#prefix').focus(); ''");
    page.type("sensor-0012");
    page.press("Enter");
    page.await(ROWS + " === '10'");
    said("#browse-text", "the end");
    page.evaluate("document.querySelector('#entries button').focus(); ''");
    String key = page.evaluate(FIRST_KEY);
    page.press("Enter");
    page.await("document.querySelector('#editor').open");
    page.evaluate("document.querySelector('#value').select(); ''");
    page.type("{\"place\": \"weir\", \"celsius\": 4.5}");
    page.press("Tab");
    page.press("Tab");
    page.press("Enter");
    said("#browse-text", key + " is saved");
    assertThat(readings.get(key)).isEqualTo(new Reading("weir", 4.5));

    page.evaluate("document.querySelectorAll('#entries button')[1].focus(); ''");
    page.press("Enter");
    page.await("document.querySelector('#asker').open");
    page.evaluate("document.querySelector('#delete').focus(); ''");
    page.press("Enter");
    said("#browse-text", key + " is deleted");
    assertThat(readings.get(key)).isNull();
    assertThat(page.evaluate(ROWS)).isEqualTo("9");
  }

  @Test
  @Order(8)
  void entriesAreChosenByAConditionAndAWrongOneIsExplained() {
    condition("place = 'mill 7' and celsius < 2");
    page.await(ROWS + " === '" + coldAtMill7(2) + "'");
    said("#browse-text", "the end");
    condition("depth > 4");
    said("#browse-text", "depth");
    condition("");
    page.await("/^Page 1/.test(document.querySelector('#browse-text').innerText)");
  }

  @Test
  @Order(9)
  void aSearchThatTakesLongEndsAfterFiveSecondsAndTheNextPageLooksOn() {
    String chosen = "place = 'mill 7' and celsius < 4";
    int all = (int) coldAtMill7(4);
    assertThat(all).as("less than a page").isBetween(30, 49);
    int before;
    READS.hold(); // other nodes have not answered yet when the time is over
    try {
      condition(chosen);
      said("#browse-text", "stopped after 5 seconds, Next page continues");
      before = Integer.parseInt(page.evaluate(ROWS));
      assertThat(before).as("found by this node").isLessThan(all);
    } finally {
      READS.release();
    }
    page.evaluate("document.querySelector('#more').click(); ''");
    said("#browse-text", "Page 2: ");
    said("#browse-text", "the end");
    assertThat(before + Integer.parseInt(page.evaluate(ROWS))).isEqualTo(all);
    condition("");
    page.await("/^Page 1/.test(document.querySelector('#browse-text').innerText)");
  }

  private static long coldAtMill7(int below) {
    return readings.asMap().values().stream()
        .filter(reading -> reading.place().equals("mill 7") && reading.celsius() < below)
        .count();
  }

  private static void condition(String text) {
    page.evaluate("document.querySelector('#prefix').value = ''");
    page.evaluate("document.querySelector('#condition').value = ''");
    page.evaluate("document.querySelector('#condition').focus(); ''");
    page.type(text);
    page.press("Enter");
  }

  @Test
  @Order(10)
  void theMapIsReadByKeyboard() {
    page.evaluate("document.querySelector('#race').focus(); ''");
    page.press("Home");
    said("#under", "Segment 0: primary node-");
    page.press("ArrowRight");
    said("#under", "Segment 1: primary node-");
    page.evaluate("document.querySelector('#members button').focus(); ''");
    page.press(" ");
    page.await("document.querySelector('#members button').ariaPressed === 'true'");
    page.press(" ");
    page.await("document.querySelector('#members button').ariaPressed === 'false'");
  }

  @Test
  @Order(11)
  void axeFindsNothingInLightAndDarkAndNothingIsTooWideForAPhone() throws IOException {
    for (int width : new int[] {1280, 390}) {
      page.size(width, 900);
      for (boolean dark : new boolean[] {false, true}) {
        page.prefers(dark);
        assertThat(page.accessibilityFindings()).as("%d pixels, dark: %b", width, dark).isEmpty();
        for (String dialog : new String[] {"editor", "asker"}) {
          assertThat(findingsOf(dialog))
              .as("%s, %d pixels, dark: %b", dialog, width, dark)
              .isEmpty();
        }
      }
      assertThat(page.evaluate(ConsoleScripts.TOO_WIDE)).isEmpty();
      page.evaluate("document.activeElement.blur(); scrollTo(0, 0); ''");
      page.size(width, 1_280);
      page.picture(FOLDER.resolve(width == 390 ? "phone.png" : "dark.png"), false);
    }
    assertThat(page.errors()).isEmpty();
  }

  /** What axe finds in a dialog of the first entry, which is closed again. */
  private static String findingsOf(String dialog) {
    int button = dialog.equals("editor") ? 0 : 1;
    page.evaluate("document.querySelectorAll('#entries button')[" + button + "].click(); ''");
    page.await("document.querySelector('#" + dialog + "').open");
    String findings = page.accessibilityFindings();
    assertThat(page.evaluate(ConsoleScripts.TOO_WIDE)).isEmpty();
    page.press("Escape");
    page.await("!document.querySelector('#" + dialog + "').open");
    return findings;
  }
}
