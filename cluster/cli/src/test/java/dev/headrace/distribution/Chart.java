package dev.headrace.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.representer.Representer;

/**
 * The chart as it comes out for a release "prices" in the namespace "shop". Of Helm's language it
 * knows what the templates use, and refuses the rest.
 */
final class Chart {
  private static final Pattern ACTION = Pattern.compile("\\{\\{-? *(.*?) *-?}}");
  private static final Pattern INDENTED =
      Pattern.compile("(?m)^ *\\{\\{- toYaml \\.Values\\.(\\w+) \\| nindent (\\d+) }}$");

  private final Path folder;
  private final Map<String, Object> chart;
  private final Map<String, Object> values;

  private Chart(Path folder) {
    this.folder = folder;
    this.chart = yaml(text(folder.resolve("Chart.yaml")));
    this.values = yaml(text(folder.resolve("values.yaml")));
  }

  /** The chart in the source tree. */
  static Chart ofSources() {
    return new Chart(sources().resolve("helm/headrace"));
  }

  /** The folder of what the distribution adds to its jars. */
  static Path sources() {
    Path here = Path.of("").toAbsolutePath();
    Path module = Files.isDirectory(here.resolve("src/dist")) ? here : here.resolve("cluster/cli");
    return module.resolve("src/dist");
  }

  Map<String, Object> about() {
    return chart;
  }

  Map<String, Object> values() {
    return values;
  }

  /** All that it makes, by kind and name. */
  Map<String, Map<String, Object>> resources() {
    Map<String, Map<String, Object>> resources = new TreeMap<>();
    try (Stream<Path> templates = Files.list(folder.resolve("templates"))) {
      for (Path template : templates.sorted().toList()) {
        Map<String, Object> resource = yaml(rendered(text(template)));
        String name = resource.get("kind") + " " + at(resource, "metadata", "name");
        assertThat(resources.put(name, resource)).as(name).isNull();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return resources;
  }

  private String rendered(String template) {
    String indented =
        INDENTED
            .matcher(template)
            .replaceAll(
                block ->
                    Matcher.quoteReplacement(
                        dumped(values.get(block.group(1)))
                            .indent(Integer.parseInt(block.group(2)))
                            .stripTrailing()));
    return ACTION
        .matcher(indented)
        .replaceAll(action -> Matcher.quoteReplacement(value(action.group(1))));
  }

  private String value(String expression) {
    if (expression.endsWith("| quote")) {
      return '"' + value(expression.substring(0, expression.indexOf('|')).strip()) + '"';
    }
    Map<String, Object> known =
        Map.of(
            "Release", Map.of("Name", "prices", "Namespace", "shop"),
            "Chart", Map.of("Name", chart.get("name"), "AppVersion", chart.get("appVersion")),
            "Values", values);
    assertThat(expression).as("what the templates may say").matches("(\\.\\w+)+");
    return at(known, expression.substring(1).split("\\.")).toString();
  }

  /** What lies below a resource: of maps the value of a name, of lists the element of a number. */
  static Object at(Object resource, String... path) {
    Object found = resource;
    for (String step : path) {
      Object parent = found;
      found =
          parent instanceof List<?> list
              ? list.get(Integer.parseInt(step))
              : ((Map<?, ?>) parent).get(step);
      assertThat(found).as("%s of %s", step, parent).isNotNull();
    }
    return found;
  }

  /** The elements of a list by one of their fields. */
  static Map<String, Object> byName(Object list, String name) {
    Map<String, Object> named = new LinkedHashMap<>();
    for (Object element : (List<?>) list) {
      assertThat(named.put(at(element, name).toString(), element)).isNull();
    }
    return named;
  }

  private static Map<String, Object> yaml(String text) {
    return new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
  }

  private static String dumped(Object value) {
    DumperOptions block = new DumperOptions();
    block.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    return new Yaml(new Representer(block), block).dump(value);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
