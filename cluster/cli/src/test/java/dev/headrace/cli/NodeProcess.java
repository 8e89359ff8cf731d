package dev.headrace.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A node as people start it: the command in a process of its own, with little memory. */
final class NodeProcess {
  private NodeProcess() {}

  /**
   * Starts a node.
   *
   * @param folder where it finds others, and leaves its log
   * @param options further ones of the command
   */
  static Process start(Path folder, String cluster, String name, String... options)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-Djava.net.preferIPv4Stack=true",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "node",
                "--cluster",
                cluster,
                "--folder",
                folder.toString(),
                "--name",
                name));
    command.addAll(List.of(options));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve(name + ".log").toFile())
        .start();
  }
}
