package dev.headrace.http.browser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A headless Chromium of this machine with a profile of its own, which ends with this object. */
public final class Chromium implements AutoCloseable {
  private static final List<String> NAMES = List.of("chromium", "chromium-browser");
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final Path profile;
  private final Process process;
  private final DevTools tools;

  private Chromium(Path profile, Process process, DevTools tools) {
    this.profile = profile;
    this.process = process;
    this.tools = tools;
  }

  /** Where the machine has one; empty if it has none. */
  public static Optional<Path> installed() {
    List<Path> places = new ArrayList<>();
    for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
      NAMES.forEach(name -> places.add(Path.of(folder, name)));
    }
    return places.stream().filter(Files::isExecutable).findFirst();
  }

  /**
   * Starts one.
   *
   * @param program as {@link #installed} tells
   */
  public static Chromium start(Path program) throws IOException {
    Path target = Files.createDirectories(Path.of("target", "browser"));
    Path profile = Files.createTempDirectory(target.toAbsolutePath(), "profile");
    Process process =
        new ProcessBuilder(
                program.toString(),
                "--headless=new",
                "--no-sandbox", // root has none, and it sees pages of this build only
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-extensions",
                "--disable-sync",
                "--no-first-run",
                "--no-default-browser-check",
                "--hide-scrollbars",
                "--force-color-profile=srgb",
                "--lang=en-GB",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank")
            .redirectErrorStream(true)
            .redirectOutput(profile.resolve("log.txt").toFile())
            .start();
    try {
      return new Chromium(profile, process, new DevTools(address(profile, process)));
    } catch (IOException | RuntimeException e) {
      end(process, profile);
      throw e;
    }
  }

  /** Waits until it listens, and reads where. */
  private static URI address(Path profile, Process process) throws IOException {
    Path file = profile.resolve("DevToolsActivePort");
    long startNanos = System.nanoTime();
    while (System.nanoTime() - startNanos < PATIENCE_NANOS && process.isAlive()) {
      List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
      if (lines.size() >= 2) {
        return URI.create("ws://127.0.0.1:" + lines.get(0) + lines.get(1));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    throw new IOException(
        "Chromium does not listen: " + Files.readString(profile.resolve("log.txt")));
  }

  /** Opens an empty page. */
  public BrowserPage page() {
    return new BrowserPage(tools);
  }

  @Override
  public void close() {
    tools.close();
    end(process, profile);
  }

  private static void end(Process process, Path profile) {
    List<ProcessHandle> others = process.descendants().toList();
    process.destroyForcibly().onExit().join();
    others.forEach(other -> other.destroyForcibly());
    others.forEach(other -> other.onExit().join());
    try (Stream<Path> files = Files.walk(profile)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot remove " + profile, e);
    }
  }
}
