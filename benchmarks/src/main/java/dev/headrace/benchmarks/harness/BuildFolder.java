package dev.headrace.benchmarks.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The folder that the benchmarks were built into, wherever they are started from. */
public final class BuildFolder {

  private BuildFolder() {}

  /** A file or folder of the build; it need not exist. */
  public static Path file(String name) {
    try {
      URI code = BuildFolder.class.getProtectionDomain().getCodeSource().getLocation().toURI();
      return Path.of(code).resolveSibling(name);
    } catch (URISyntaxException e) {
      throw new IllegalStateException("The benchmarks' jar has no place that can be read", e);
    }
  }

  /** A folder of the build, which is made if need be. */
  public static Path folder(String name) {
    Path folder = file(name);
    try {
      return Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException("The folder " + folder + " could not be made", e);
    }
  }

  /** The version of a library, as its jar's name has it. */
  public static String library(String artifact) {
    Pattern jar = Pattern.compile(Pattern.quote(artifact) + "-(\\d.*)\\.jar");
    try (Stream<Path> jars = Files.list(file("lib"))) {
      return jars.map(path -> jar.matcher(path.getFileName().toString()))
          .filter(Matcher::matches)
          .map(matcher -> matcher.group(1))
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      throw new UncheckedIOException("The benchmarks' libraries cannot be listed", e);
    }
  }
}
