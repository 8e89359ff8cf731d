package dev.headrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.guide.GuideSnippets;
import dev.headrace.spring.HeadraceProperties.CacheProperties;
import dev.headrace.spring.test.HeadraceTest;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Publisher;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.yaml.snakeyaml.Yaml;

/** The properties, what development tools are told of them, and the page that lists them. */
final class PropertiesPageTest {
  private static final Path PAGE = GuideSnippets.root().resolve("site/src/guide/spring-boot.md");

  /** A row of the page: name, default, meaning. */
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(headrace\\.[a-zA-Z.-]+)` \\|(?: `([^`]*)`)? \\| (.+) \\|$");

  /** Settings whose properties have other names. */
  private static final Map<String, String> OTHER_NAMES =
      Map.of(
          "maxEntryBytes", "max-entry-size",
          "memoryBytes", "memory",
          "requireSecurity", "security.required",
          "streamMemoryBytes", "stream-memory");

  /** Methods of the builder without a property, and why. */
  private static final Map<String, String> WITHOUT_PROPERTY =
      Map.of(
          "build", "sets nothing",
          "functions", "are code",
          "shutdownHook", "is not for a node that is closed with its application");

  /** The name of a property in Java as it is written in a file. */
  private static String kebab(String name) {
    return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  /** All properties with their types, as the records have them. */
  private static Map<String, String> ofRecords() {
    Map<String, String> types = new TreeMap<>();
    collect("headrace", HeadraceProperties.class, types);
    return types;
  }

  private static void collect(String prefix, Class<?> record, Map<String, String> types) {
    for (RecordComponent component : record.getRecordComponents()) {
      String name = prefix + "." + kebab(component.getName());
      Class<?> type = component.getType();
      if (type.isRecord()) {
        collect(name, type, types);
      } else {
        String generic = component.getGenericType().getTypeName().replace(", ", ",");
        types.put(
            name,
            generic.equals("int")
                ? "java.lang.Integer"
                : generic.equals("boolean") ? "java.lang.Boolean" : generic);
      }
    }
  }

  /** A part of the file, which is JSON, and so YAML, too. */
  private static List<Map<String, Object>> metadata(String part) throws IOException {
    try (InputStream file =
        HeadraceProperties.class.getResourceAsStream(
            "/META-INF/spring-configuration-metadata.json")) {
      Map<String, List<Map<String, Object>>> parts = new Yaml().load(file);
      return parts.get(part);
    }
  }

  @Test
  void everySettingOfANodeHasAProperty() {
    Set<String> listed = ofRecords().keySet();
    Set<String> settings =
        Arrays.stream(NodeSettings.Builder.class.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .map(Method::getName)
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> without =
        settings.stream().filter(setting -> !isListed(setting, listed)).collect(Collectors.toSet());
    assertThat(without).isEqualTo(WITHOUT_PROPERTY.keySet());
    assertThat(settings).containsAll(OTHER_NAMES.keySet());
  }

  private static boolean isListed(String setting, Set<String> properties) {
    String name = "headrace." + OTHER_NAMES.getOrDefault(setting, kebab(setting));
    return properties.stream().anyMatch(each -> (each + ".").startsWith(name + "."));
  }

  @Test
  void metadataHasEveryPropertyWithItsType() throws IOException {
    Map<String, String> types = new TreeMap<>();
    for (Map<String, Object> property : metadata("properties")) {
      String name = (String) property.get("name");
      types.put(name, (String) property.get("type"));
      assertThat(ConfigurationPropertyName.isValid(name)).as(name).isTrue();
      assertThat((String) property.get("description")).as(name).endsWith(".");
    }
    assertThat(types).isEqualTo(ofRecords());
  }

  @Test
  void metadataNamesClassesThatExist() throws Exception {
    for (Map<String, Object> group : metadata("groups")) {
      assertThat(Class.forName((String) group.get("type"))).isNotNull();
    }
    for (Map<String, Object> each : metadata("properties")) {
      assertThat(Class.forName((String) each.get("sourceType"))).isNotNull();
    }
  }

  @Test
  void defaultsOfMetadataAreTheDefaults() throws IOException {
    List<String> values = new ArrayList<>(List.of("headrace.node-name=one"));
    for (Map<String, Object> property : metadata("properties")) {
      String name = (String) property.get("name");
      Object value = property.get("defaultValue");
      if (value != null && !name.startsWith("headrace.discovery.")) {
        values.add(name + "=" + value);
      }
    }
    assertThat(values).hasSizeGreaterThan(15);
    NodeSettings defaults = NodeSettings.builder().nodeName("one").shutdownHook(false).build();
    new ApplicationContextRunner()
        .withUserConfiguration(AutoConfigurationTest.OnlySettings.class)
        .withPropertyValues(values.toArray(String[]::new))
        .run(context -> assertThat(context.getBean(NodeSettings.class)).isEqualTo(defaults));
  }

  @Test
  void thePageListsEveryPropertyWithItsDefaultAndMeaning() throws IOException {
    Map<String, String> listed = new TreeMap<>();
    ROW.matcher(Files.readString(PAGE))
        .results()
        .forEach(row -> listed.put(row.group(1), row.group(2) + ": " + row.group(3)));
    for (Map<String, Object> property : metadata("properties")) {
      String name = (String) property.get("name");
      Object value = property.get("defaultValue");
      String text = (String) property.get("description");
      if (!name.equals("headrace.caches")) {
        assertThat(listed.remove(name))
            .as(name)
            .isEqualTo(
                (value == null || value.equals("") ? null : value)
                    + ": "
                    + text.substring(0, text.length() - 1));
      }
    }
    List<String> ofCaches = new ArrayList<>();
    for (RecordComponent component : CacheProperties.class.getRecordComponents()) {
      ofCaches.add("headrace.caches.NAME." + kebab(component.getName()));
    }
    assertThat(listed).containsOnlyKeys(ofCaches);
  }

  @Test
  void whatThePageShowsCompiles(@TempDir Path classes) throws IOException {
    GuideSnippets.assertCompile(
        List.of(PAGE),
        classes,
        List.of(
            Headrace.class,
            HeadraceTest.class,
            Publisher.class,
            SpringApplication.class,
            SpringBootApplication.class,
            CacheManager.class,
            Autowired.class,
            AliasFor.class,
            BootstrapWith.class,
            Test.class));
  }
}
