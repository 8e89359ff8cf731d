package dev.headrace.benchmarks.peer;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Opens packages of the JDK to this process, as {@code --add-opens} does.
 *
 * <p>JMH's forks have the same arguments whatever a parameter's value is; so a system that needs
 * packages opened asks for them when it starts, and no other system's JVM differs from a user's.
 * The process needs {@code -Djdk.attach.allowAttachSelf=true}, which all forks have.
 */
public final class ModuleOpener {

  private ModuleOpener() {}

  /**
   * Opens packages.
   *
   * @param packages such as {@code java.base/sun.nio.ch}; what this JDK has not is passed over
   */
  public static void open(List<String> packages) {
    try {
      Path agent = Files.createTempFile("opener", ".jar");
      try {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Agent-Class", ModuleOpener.class.getName());
        manifest.getMainAttributes().putValue("Can-Redefine-Classes", "true");
        new JarOutputStream(Files.newOutputStream(agent), manifest).close();
        VirtualMachine self = VirtualMachine.attach(Long.toString(ProcessHandle.current().pid()));
        try {
          self.loadAgent(agent.toString(), String.join(",", packages));
        } finally {
          self.detach();
        }
      } finally {
        Files.delete(agent);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "No packages can be opened: is -Djdk.attach.allowAttachSelf=true missing?", e);
    } catch (AttachNotSupportedException | AgentLoadException | AgentInitializationException e) {
      throw new IllegalStateException("No packages can be opened: the JVM lets no agent in", e);
    }
  }

  /** Called by the JVM with the packages. */
  public static void agentmain(String packages, Instrumentation instrumentation) {
    Set<Module> us = Set.of(ModuleOpener.class.getModule());
    for (String opened : packages.split(",", -1)) {
      int slash = opened.indexOf('/');
      String name = opened.substring(slash + 1);
      ModuleLayer.boot()
          .findModule(opened.substring(0, slash))
          .filter(module -> module.getPackages().contains(name))
          .ifPresent(
              module ->
                  instrumentation.redefineModule(
                      module, Set.of(), Map.of(name, us), Map.of(name, us), Set.of(), Map.of()));
    }
  }
}
