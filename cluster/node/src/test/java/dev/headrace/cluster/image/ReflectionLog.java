package dev.headrace.cluster.image;

import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is called in place of reflection, and does what that does. It writes down what was found:
 * what is not there is not there in a native image either. Calls with constant arguments need no
 * metadata, but look like all others here.
 *
 * <p>Not watched is what a native image sees by itself: service loaders, which are files below
 * {@code META-INF/services}, and field updaters, whose classes and fields are constants. What the
 * JDK looks up on behalf of others is its own matter.
 */
public final class ReflectionLog {
  private static final StackWalker STACK =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
  private static final Set<String> LINES = new ConcurrentSkipListSet<>();

  private ReflectionLog() {}

  /** Which method a method stands for. */
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @interface StandsFor {
    /** Its class. */
    Class<?> value();

    /** Whether it has no object. */
    boolean isStatic() default false;
  }

  /** Writes the lines: kind, class or resource, member, caller. */
  static void writeTo(Path file) throws IOException {
    Files.write(file, LINES);
  }

  private static void use(String kind, String name, String member) {
    String caller =
        STACK.walk(
            frames ->
                frames
                    .map(StackWalker.StackFrame::getClassName)
                    .filter(frame -> !frame.equals(ReflectionLog.class.getName()))
                    .findFirst()
                    .orElse("-"));
    LINES.add(String.join("\t", kind, name, member, caller));
  }

  private static void use(String kind, Class<?> type, String member) {
    if (type.isArray()) {
      use(kind, type.getComponentType(), member);
    } else if (!type.isPrimitive()) {
      use(kind, type.getName(), member);
    }
  }

  private static String parameters(Class<?>... types) {
    return Arrays.stream(types).map(Class::getTypeName).collect(Collectors.joining(",", "(", ")"));
  }

  // ---- Classes

  @StandsFor(value = Class.class, isStatic = true)
  public static Class<?> forName(String name) throws ClassNotFoundException {
    return forName(name, true, ClassLoader.getSystemClassLoader());
  }

  @StandsFor(value = Class.class, isStatic = true)
  public static Class<?> forName(String name, boolean initialize, @Nullable ClassLoader loader)
      throws ClassNotFoundException {
    Class<?> found = Class.forName(name, initialize, loader);
    use("type", found, "");
    return found;
  }

  @StandsFor(ClassLoader.class)
  public static Class<?> loadClass(ClassLoader loader, String name) throws ClassNotFoundException {
    Class<?> found = loader.loadClass(name);
    use("type", found, "");
    return found;
  }

  @StandsFor(value = Proxy.class, isStatic = true)
  public static Object newProxyInstance(
      @Nullable ClassLoader loader, Class<?>[] interfaces, InvocationHandler handler) {
    use("proxy", parameters(interfaces), "");
    return Proxy.newProxyInstance(loader, interfaces, handler);
  }

  // ---- Constructors

  @StandsFor(Class.class)
  public static Constructor<?> getConstructor(Class<?> type, Class<?>... parameters)
      throws NoSuchMethodException {
    Constructor<?> found = type.getConstructor(parameters);
    use("method", type, "<init>" + parameters(parameters));
    return found;
  }

  @StandsFor(Class.class)
  public static Constructor<?> getDeclaredConstructor(Class<?> type, Class<?>... parameters)
      throws NoSuchMethodException {
    Constructor<?> found = type.getDeclaredConstructor(parameters);
    use("method", type, "<init>" + parameters(parameters));
    return found;
  }

  @StandsFor(Class.class)
  public static Constructor<?>[] getConstructors(Class<?> type) {
    use("all", type, "PublicConstructors");
    return type.getConstructors();
  }

  @StandsFor(Class.class)
  public static Constructor<?>[] getDeclaredConstructors(Class<?> type) {
    use("all", type, "DeclaredConstructors");
    return type.getDeclaredConstructors();
  }

  // ---- Methods

  @StandsFor(Class.class)
  public static Method getMethod(Class<?> type, String name, Class<?>... parameters)
      throws NoSuchMethodException {
    Method found = type.getMethod(name, parameters);
    use("method", found.getDeclaringClass(), name + parameters(parameters));
    return found;
  }

  @StandsFor(Class.class)
  public static Method getDeclaredMethod(Class<?> type, String name, Class<?>... parameters)
      throws NoSuchMethodException {
    Method found = type.getDeclaredMethod(name, parameters);
    use("method", type, name + parameters(parameters));
    return found;
  }

  @StandsFor(Class.class)
  public static Method[] getMethods(Class<?> type) {
    use("all", type, "PublicMethods");
    return type.getMethods();
  }

  @StandsFor(Class.class)
  public static Method[] getDeclaredMethods(Class<?> type) {
    use("all", type, "DeclaredMethods");
    return type.getDeclaredMethods();
  }

  @StandsFor(Class.class)
  public static RecordComponent @Nullable [] getRecordComponents(Class<?> type) {
    use("all", type, "DeclaredMethods"); // their accessors
    return type.getRecordComponents();
  }

  // ---- Fields

  @StandsFor(Class.class)
  public static Field getField(Class<?> type, String name) throws NoSuchFieldException {
    Field found = type.getField(name);
    use("field", found.getDeclaringClass(), name);
    return found;
  }

  @StandsFor(Class.class)
  public static Field getDeclaredField(Class<?> type, String name) throws NoSuchFieldException {
    Field found = type.getDeclaredField(name);
    use("field", type, name);
    return found;
  }

  @StandsFor(Class.class)
  public static Field[] getFields(Class<?> type) {
    use("all", type, "PublicFields");
    return type.getFields();
  }

  @StandsFor(Class.class)
  public static Field[] getDeclaredFields(Class<?> type) {
    use("all", type, "DeclaredFields");
    return type.getDeclaredFields();
  }

  // ---- Handles

  @StandsFor(MethodHandles.Lookup.class)
  public static MethodHandle findVirtual(
      MethodHandles.Lookup lookup, Class<?> type, String name, MethodType signature)
      throws ReflectiveOperationException {
    MethodHandle found = lookup.findVirtual(type, name, signature);
    use("method", type, name + parameters(signature.parameterArray()));
    return found;
  }

  @StandsFor(MethodHandles.Lookup.class)
  public static MethodHandle findStatic(
      MethodHandles.Lookup lookup, Class<?> type, String name, MethodType signature)
      throws ReflectiveOperationException {
    MethodHandle found = lookup.findStatic(type, name, signature);
    use("method", type, name + parameters(signature.parameterArray()));
    return found;
  }

  @StandsFor(MethodHandles.Lookup.class)
  public static MethodHandle findConstructor(
      MethodHandles.Lookup lookup, Class<?> type, MethodType signature)
      throws ReflectiveOperationException {
    MethodHandle found = lookup.findConstructor(type, signature);
    use("method", type, "<init>" + parameters(signature.parameterArray()));
    return found;
  }

  @StandsFor(MethodHandles.Lookup.class)
  public static VarHandle findVarHandle(
      MethodHandles.Lookup lookup, Class<?> type, String name, Class<?> fieldType)
      throws ReflectiveOperationException {
    VarHandle found = lookup.findVarHandle(type, name, fieldType);
    use("field", type, name);
    return found;
  }

  // ---- Resources

  private static <T extends @Nullable Object> T resource(String name, T found) {
    if (found != null) {
      use("resource", name, "");
    }
    return found;
  }

  private static String absolute(Class<?> type, String name) {
    return name.startsWith("/")
        ? name.substring(1)
        : type.getPackageName().replace('.', '/') + '/' + name;
  }

  @StandsFor(Class.class)
  public static @Nullable URL getResource(Class<?> type, String name) {
    return resource(absolute(type, name), type.getResource(name));
  }

  @StandsFor(Class.class)
  public static @Nullable InputStream getResourceAsStream(Class<?> type, String name) {
    return resource(absolute(type, name), type.getResourceAsStream(name));
  }

  @StandsFor(ClassLoader.class)
  public static @Nullable URL getResource(ClassLoader loader, String name) {
    return resource(name, loader.getResource(name));
  }

  @StandsFor(ClassLoader.class)
  public static @Nullable InputStream getResourceAsStream(ClassLoader loader, String name) {
    return resource(name, loader.getResourceAsStream(name));
  }

  @StandsFor(ClassLoader.class)
  public static Enumeration<URL> getResources(ClassLoader loader, String name) throws IOException {
    Enumeration<URL> found = loader.getResources(name);
    resource(name, found.hasMoreElements() ? found : null);
    return found;
  }

  @StandsFor(value = ClassLoader.class, isStatic = true)
  public static @Nullable InputStream getSystemResourceAsStream(String name) {
    return resource(name, ClassLoader.getSystemResourceAsStream(name));
  }

  @StandsFor(value = ResourceBundle.class, isStatic = true)
  public static ResourceBundle getBundle(String name) {
    ResourceBundle found = ResourceBundle.getBundle(name);
    use("bundle", name, "");
    return found;
  }
}
