package dev.headrace.http.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A page in a browser. */
public final class BrowserPage {
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final DevTools tools;
  private final String session;

  BrowserPage(DevTools tools) {
    this.tools = tools;
    Object target =
        tools.call(null, "Target.createTarget", "{\"url\":\"about:blank\"}").get("targetId");
    Map<String, Object> attached =
        tools.call(
            null,
            "Target.attachToTarget",
            "{\"targetId\":\"%s\",\"flatten\":true}".formatted(target));
    session = (String) attached.get("sessionId");
    for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
      call(domain + ".enable", "{}");
    }
  }

  private Map<String, Object> call(String method, String parameters) {
    return tools.call(session, method, parameters);
  }

  private static String quoted(String text) {
    return '"' + new String(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
  }

  /** Goes to an address. */
  public void open(String url) {
    Map<String, Object> reply = call("Page.navigate", "{\"url\":" + quoted(url) + "}");
    assertThat(reply).as("navigation to %s", url).doesNotContainKey("errorText");
  }

  /** How large the window is, in pixels of CSS. */
  public void size(int width, int height) {
    call(
        "Emulation.setDeviceMetricsOverride",
        "{\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":%b}"
            .formatted(width, height, width < 600));
  }

  /** What the reader's system prefers. */
  public void prefers(boolean dark) {
    call(
        "Emulation.setEmulatedMedia",
        "{\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"%s\"}]}"
            .formatted(dark ? "dark" : "light"));
  }

  /**
   * Evaluates an expression, or waits for the promise that it makes.
   *
   * @return its value as a text
   */
  public String evaluate(String script) {
    Map<String, Object> reply =
        call(
            "Runtime.evaluate",
            "{\"awaitPromise\":true,\"userGesture\":true,\"returnByValue\":true,\"expression\":"
                + quoted(script)
                + "}");
    assertThat(reply).as(script).doesNotContainKey("exceptionDetails");
    return String.valueOf(JsonTree.object(reply, "result").get("value"));
  }

  /** Waits until an expression is true. */
  public void await(String condition) {
    long startNanos = System.nanoTime();
    while (!evaluate("!!(" + condition + ")").equals("true")) {
      if (System.nanoTime() - startNanos > PATIENCE_NANOS) {
        throw new AssertionError(
            "After a minute it is not so: " + condition + "; the page says: " + text("body"));
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** The text that an element shows. */
  public String text(String selector) {
    return evaluate("document.querySelector(" + quoted(selector) + ").innerText");
  }

  /** Presses a key, such as {@code Tab}, {@code Enter} or {@code ArrowRight}. */
  public void press(String key) {
    Map<String, Integer> codes =
        Map.of(
            "Tab",
            9,
            "Enter",
            13,
            "Escape",
            27,
            " ",
            32,
            "End",
            35,
            "Home",
            36,
            "ArrowRight",
            39,
            "ArrowDown",
            40);
    String text =
        key.equals("Enter") ? ",\"text\":\"\\r\"" : key.equals(" ") ? ",\"text\":\" \"" : "";
    for (String type : List.of("keyDown", "keyUp")) {
      call(
          "Input.dispatchKeyEvent",
          "{\"type\":\"%s\",\"key\":\"%s\",\"code\":\"%s\",\"windowsVirtualKeyCode\":%d%s}"
              .formatted(
                  type,
                  key,
                  key.equals(" ") ? "Space" : key,
                  codes.get(key),
                  type.equals("keyDown") ? text : ""));
    }
  }

  /** Types a text where the focus is. */
  public void type(String text) {
    call("Input.insertText", "{\"text\":" + quoted(text) + "}");
  }

  /** Writes what is seen as a picture, and more of the page if it is higher than the window. */
  public void picture(Path file, boolean wholePage) throws IOException {
    Object data =
        call(
                "Page.captureScreenshot",
                "{\"format\":\"png\",\"captureBeyondViewport\":%b}".formatted(wholePage))
            .get("data");
    Files.createDirectories(file.getParent());
    Files.write(file, Base64.getDecoder().decode(String.valueOf(data)));
  }

  /** Makes the window as high as the page. */
  public void fit(int width) {
    size(width, (int) Double.parseDouble(evaluate("document.documentElement.scrollHeight")));
  }

  /** What axe finds wrong, a line each; empty if nothing. */
  public String accessibilityFindings() {
    evaluate(axe() + ";''");
    return evaluate(
        """
        axe.run().then(found => found.violations.map(rule => rule.id + ': ' + rule.help
          + rule.nodes.map(node => '\\n  ' + node.html + ' ' + node.failureSummary).join(''))
          .join('\\n'))\
        """);
  }

  private static String axe() {
    try (InputStream in = BrowserPage.class.getResourceAsStream("/axe.min.js")) {
      assertThat(in).as("axe-core").isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Errors of scripts, and what the page's policy has refused; not the requests that a node has
   * refused as wrong, which the page itself explains.
   */
  public List<String> errors() {
    List<String> all = new ArrayList<>();
    for (Map<String, Object> thrown : tools.events(session, "Runtime.exceptionThrown")) {
      all.add(String.valueOf(thrown.get("exceptionDetails")));
    }
    for (Map<String, Object> logged : tools.events(session, "Log.entryAdded")) {
      Map<String, Object> entry = JsonTree.object(logged, "entry");
      boolean refused = String.valueOf(entry.get("text")).contains("status of 400");
      if ("error".equals(entry.get("level")) && !refused) {
        all.add(String.valueOf(entry));
      }
    }
    return all;
  }

  /** The addresses of everything that the page has asked for. */
  public List<String> requested() {
    return tools.events(session, "Network.requestWillBeSent").stream()
        .map(event -> String.valueOf(JsonTree.object(event, "request").get("url")))
        .toList();
  }

  /** The bytes that came over the network for it so far, as they travelled. */
  public long receivedBytes() {
    return tools.events(session, "Network.loadingFinished").stream()
        .mapToLong(event -> ((Double) event.get("encodedDataLength")).longValue())
        .sum();
  }
}
