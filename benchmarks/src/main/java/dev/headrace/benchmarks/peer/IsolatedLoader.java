package dev.headrace.benchmarks.peer;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A class loader that has packages of its own, with libraries that go before the shared ones.
 *
 * <p>For a system that needs another version of a library than we do, or that allows one node per
 * class loader only. Everything else comes from the shared loader, the interfaces of this package
 * among it.
 */
public final class IsolatedLoader extends URLClassLoader {

  private final List<String> packages;

  /**
   * Creates a loader.
   *
   * @param libraries a folder with jars that go before the shared class path; it may be missing
   * @param packages what the loader has of its own, as prefixes of class names
   */
  public IsolatedLoader(Path libraries, List<String> packages) {
    super(urls(libraries), IsolatedLoader.class.getClassLoader());
    this.packages = List.copyOf(packages);
  }

  private static URL[] urls(Path libraries) {
    List<URL> urls = new ArrayList<>();
    try {
      if (Files.isDirectory(libraries)) {
        try (Stream<Path> jars = Files.list(libraries)) {
          for (Path jar : jars.sorted().toList()) {
            urls.add(jar.toUri().toURL());
          }
        }
      }
      // A jar's own class path, in its manifest, is followed.
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    } catch (MalformedURLException e) {
      throw new IllegalStateException("The class path has an entry that is no file", e);
    } catch (IOException e) {
      throw new UncheckedIOException("The libraries in " + libraries + " cannot be listed", e);
    }
    return urls.toArray(URL[]::new);
  }

  /**
   * Makes an object of an isolated class that has a public constructor without parameters.
   *
   * @param type an interface that both sides share
   */
  public <T> T make(String className, Class<T> type) {
    try {
      return type.cast(loadClass(className).getConstructor().newInstance());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(className + " could not be made in a loader of its own", e);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (packages.stream().noneMatch(name::startsWith)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? findClass(name) : loaded;
    }
  }

  @Override
  public @Nullable URL getResource(String name) {
    URL own = findResource(name);
    return own == null ? super.getResource(name) : own;
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    List<URL> own = Collections.list(findResources(name));
    return own.isEmpty() ? super.getResources(name) : Collections.enumeration(own);
  }
}
