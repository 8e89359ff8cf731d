package dev.headrace.benchmarks.harness;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The machine that measured.
 *
 * @param cpu the processor's model, or its architecture where the system does not tell
 * @param cores logical processors that the JVM may use
 * @param memoryBytes physical memory
 * @param system operating system and its version
 * @param jdk the JVM and its version
 */
public record Machine(String cpu, int cores, long memoryBytes, String system, String jdk) {

  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  /** Describes the machine that this process runs on. */
  public static Machine current() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new Machine(
        cpuModel(system.getArch()),
        Runtime.getRuntime().availableProcessors(),
        system.getTotalMemorySize(),
        system.getName() + " " + system.getVersion(),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
  }

  private static String cpuModel(String architecture) {
    if (!Files.isReadable(CPU_INFO)) {
      return architecture;
    }
    try (Stream<String> lines = Files.lines(CPU_INFO)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(architecture);
    } catch (IOException e) {
      throw new UncheckedIOException("The processor's model cannot be read from " + CPU_INFO, e);
    }
  }
}
