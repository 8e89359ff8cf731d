package dev.headrace.benchmarks.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The cores that this process may use, as {@code taskset} numbers them. Stateless. */
final class AllowedCores {
  private AllowedCores() {}

  /** Their numbers; none if there is no {@code taskset}. */
  static List<String> list() {
    String own = Long.toString(ProcessHandle.current().pid());
    try {
      Process taskset = new ProcessBuilder("taskset", "-cp", own).redirectErrorStream(true).start();
      String answer =
          new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return taskset.waitFor() == 0
          ? parse(answer.substring(answer.lastIndexOf(':') + 1).strip())
          : List.of();
    } catch (IOException e) {
      return List.of(); // no Linux, or without this command
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  /** Reads a list such as {@code 0-3,8}. */
  private static List<String> parse(String list) {
    List<String> cores = new ArrayList<>();
    for (String range : list.split(",", -1)) {
      String[] ends = range.split("-", -1);
      int last = Integer.parseInt(ends[ends.length - 1]);
      for (int core = Integer.parseInt(ends[0]); core <= last; core++) {
        cores.add(Integer.toString(core));
      }
    }
    return cores;
  }
}
