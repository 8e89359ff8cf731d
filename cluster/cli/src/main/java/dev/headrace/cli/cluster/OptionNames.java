package dev.headrace.cli.cluster;

import static java.util.stream.Collectors.joining;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Replaces the names of settings in error messages by those of options. */
final class OptionNames {
  private static final Map<String, String> OPTIONS =
      Map.ofEntries(
          Map.entry("clusterName", "--cluster"),
          Map.entry("nodeName", "--name"),
          Map.entry("bindAddress", "--bind"),
          Map.entry("membershipPort", "--port"),
          Map.entry("dataPort", "--data-port"),
          Map.entry("minOwners", "--min-owners"),
          Map.entry("splitPolicy", "--split"),
          Map.entry("lostSegments", "--lost-segments"),
          Map.entry("joinTimeout", "--timeout"),
          Map.entry("operationLoops", "--operation-loops"),
          Map.entry("bulkLoops", "--bulk-loops"),
          Map.entry("repairInterval", "--repair-minutes"),
          Map.entry("streamMemoryBytes", "--stream-memory"),
          Map.entry("memoryBytes", "--memory"),
          Map.entry("shutdownTimeout", "--leave-seconds"),
          Map.entry("Discovery.hosts", "--join"),
          Map.entry("Discovery.Local", "--folder"),
          Map.entry("discovery setting", "options --join and --folder"),
          Map.entry("requireSecurity", "--security required"),
          Map.entry("secretFile", "--secret-file"),
          Map.entry("tlsCert", "--tls-cert"),
          Map.entry("tlsKey", "--tls-key"),
          Map.entry("tlsTrust", "--tls-trust"));

  private static final Pattern SETTING =
      Pattern.compile(
          OPTIONS.keySet().stream().map(Pattern::quote).collect(joining("|", "\\b(", ")\\b")));

  /** Settings that are words as well are options only where a check of their ranges names them. */
  private static final Pattern CHECKED =
      Pattern.compile("^(owners|segments|capacity) |(?<= and )owners(?= \\()");

  private static final Pattern DURATION = Pattern.compile("\\bPT[-0-9.HMS]+\\b");
  private static final Pattern FOLDER = Pattern.compile("Local\\[folder=([^\\]]*)\\]");
  private static final Pattern HOSTS = Pattern.compile("Hosts\\[hosts=\\[([^\\]]*)\\]\\]");

  private OptionNames() {}

  /** An error's message with options for settings, seconds for durations and folders by names. */
  static String in(String message) {
    String text = SETTING.matcher(message).replaceAll(match -> OPTIONS.get(match.group()));
    text = DURATION.matcher(text).replaceAll(OptionNames::seconds);
    text = FOLDER.matcher(text).replaceAll(match -> quoted("through " + folder(match.group(1))));
    return HOSTS.matcher(text).replaceAll(match -> quoted("at " + match.group(1)));
  }

  /**
   * The option that stands for an environment variable: {@code --tls-cert} for HEADRACE_TLS_CERT.
   */
  static String of(String variable) {
    String name = variable.substring("HEADRACE_".length());
    return "--" + name.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The same for an error that says which setting is out of its range. */
  static String inRange(String message) {
    return in(CHECKED.matcher(message).replaceAll(match -> "--" + match.group()));
  }

  /** The folder through which nodes of one machine find each other. */
  static String folder(String setting) {
    return "the folder "
        + (setting.isEmpty()
            ? Path.of(
                System.getProperty("java.io.tmpdir"), "headrace-" + System.getProperty("user.name"))
            : setting);
  }

  private static String seconds(MatchResult duration) {
    double seconds = Duration.parse(duration.group()).toNanos() / 1e9;
    return seconds == Math.rint(seconds)
        ? (long) seconds + " s"
        : String.format(Locale.ROOT, "%.3f s", seconds);
  }

  private static String quoted(String replacement) {
    return Matcher.quoteReplacement(replacement);
  }
}
