package dev.headrace.spring.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.SimpleKey;

/**
 * The parameters in Spring's key of several. The key tells them only as a text, in which {@code
 * ("a, b")} and {@code ("a", "b")} are the same, and by serialization, in which equal keys may have
 * different bytes; so its field is read. Stateless.
 */
final class SimpleKeyParts {
  private static final VarHandle PARAMETERS = parameters();

  private SimpleKeyParts() {}

  private static VarHandle parameters() {
    try {
      return MethodHandles.privateLookupIn(SimpleKey.class, MethodHandles.lookup())
          .findVarHandle(SimpleKey.class, "params", Object[].class);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "This version of Spring has another SimpleKey than Spring Framework 7: use the"
              + " headrace-spring-boot-starter that fits it",
          e);
    }
  }

  /** The parameters of a key, in order. */
  static List<@Nullable Object> of(SimpleKey key) {
    return Arrays.asList((@Nullable Object[]) PARAMETERS.get(key));
  }
}
