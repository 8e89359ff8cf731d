package dev.headrace.spring.test;

import dev.headrace.spring.HeadraceAutoConfiguration;
import dev.headrace.spring.HeadraceCacheAutoConfiguration;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of what an application does with its caches: with a real node on a free port of 127.0.0.1
 * that is alone in a cluster of its own, its {@code CacheManager}, and nothing else. Components of
 * the application are not found unless {@link #includeFilters} or an {@code @Import} names them.
 *
 * <p>The application's properties count, but not {@code headrace.discovery.*}, {@code
 * headrace.security.*}, {@code headrace.capacity}, {@code headrace.min-owners} and {@code
 * headrace.zone}, by which the node would look for the application's cluster: of these only those
 * that {@link #properties}, {@code @TestPropertySource} or {@code @DynamicPropertySource} names.
 *
 * <p>As every context of Spring's tests, the node stays for further test classes with the same
 * configuration, and so does what its caches hold; {@code CacheManager.resetCaches} empties them.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(HeadraceTestBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@ImportAutoConfiguration({HeadraceAutoConfiguration.class, HeadraceCacheAutoConfiguration.class})
public @interface HeadraceTest {

  /**
   * Properties of the form {@code key=value} for this test, such as those of its caches.
   *
   * @return the properties
   */
  String[] properties() default {};

  /**
   * Whether components are left out unless a filter names them.
   *
   * @return true unless set
   */
  boolean useDefaultFilters() default true;

  /**
   * Components of the application that the test needs.
   *
   * @return filters that find them
   */
  Filter[] includeFilters() default {};

  /**
   * Components that are left out of those.
   *
   * @return filters that find them
   */
  Filter[] excludeFilters() default {};

  /**
   * Auto-configuration that is left out.
   *
   * @return its classes
   */
  @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
  Class<?>[] excludeAutoConfiguration() default {};
}
