package dev.headrace.spring;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.Headrace;
import dev.headrace.spring.cache.CachePlan;
import dev.headrace.spring.cache.SpringCaches;
import dev.headrace.spring.codec.AllowedClasses;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.cache.CacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ResourceLoader;

/**
 * The node's caches for Spring's cache abstraction, unless the application has a {@link
 * CacheManager}, or {@code spring.cache.type} names another kind. Beans of {@link CacheSettings}
 * and the properties {@code headrace.caches.*} tell how single caches are opened.
 */
@AutoConfiguration(
    after = HeadraceAutoConfiguration.class,
    beforeName = {
      "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration",
      // Boot 3
      "org.springframework.boot.autoconfigure.cache.CacheAutoConfiguration"
    })
@ConditionalOnBean({Headrace.class, HeadraceProperties.class})
@ConditionalOnMissingBean(value = CacheManager.class, name = "cacheResolver")
@ConditionalOnProperty(name = "spring.cache.type", havingValue = "generic", matchIfMissing = true)
public final class HeadraceCacheAutoConfiguration {

  /** The caches of the node. */
  @Bean
  SpringCaches cacheManager(
      Headrace node,
      HeadraceProperties properties,
      ObjectProvider<CacheSettings<?, ?>> settings,
      ResourceLoader resources) {
    Map<String, CacheSettings<?, ?>> declared = new LinkedHashMap<>();
    settings.orderedStream().forEach(each -> declare(declared, each));
    Map<String, CachePlan.CacheOptions> options = new LinkedHashMap<>();
    properties
        .caches()
        .forEach(
            (name, cache) ->
                options.put(
                    name,
                    new CachePlan.CacheOptions(
                        cache.keyType(), cache.valueType(), cache.lifespan(), cache.nullValues())));
    ClassLoader loader = resources.getClassLoader();
    Duration lifespan = properties.defaultLifespan();
    return new SpringCaches(
        node,
        new CachePlan(
            declared,
            options,
            lifespan == null ? Cache.FOREVER : lifespan,
            new AllowedClasses(
                properties.serialization().packages(),
                loader == null ? ClassLoader.getSystemClassLoader() : loader)));
  }

  private static void declare(
      Map<String, CacheSettings<?, ?>> declared, CacheSettings<?, ?> settings) {
    if (declared.put(settings.name(), settings) != null) {
      throw new IllegalArgumentException(
          "There are two beans of CacheSettings for cache \""
              + settings.name()
              + "\": remove one of them");
    }
  }
}
