package dev.headrace.distribution;

import static dev.headrace.distribution.Chart.at;
import static dev.headrace.distribution.Chart.byName;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Discovery;
import dev.headrace.api.NodeConfiguration;
import dev.headrace.api.NodeSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the chart and the container's recipe say agrees with the command line and with itself. */
final class ChartTest {
  private static final String OPTIONS_OF_JAVA = "HEADRACE_JAVA_OPTIONS"; // the script reads it
  private static final String SECRET_FILE = "HEADRACE_SECRET_FILE";

  private final Chart chart = Chart.ofSources();
  private final Map<String, Map<String, Object>> resources = chart.resources();
  private final Object nodes = resources.get("StatefulSet prices");
  private final Object pod = at(nodes, "spec", "template", "spec");
  private final Object node = at(pod, "containers", "0");

  @TempDir private Path folder;

  /** The environment of a node, with a stand-in for what Kubernetes fills in. */
  private Map<String, String> environment() {
    Map<String, String> environment = new TreeMap<>();
    byName(at(node, "env"), "name")
        .forEach(
            (name, variable) -> {
              Object value = ((Map<?, ?>) variable).get("value");
              environment.put(name, value == null ? "10.1.2.3" : value.toString());
            });
    return environment;
  }

  private NodeSettings settings(Set<String> asked) throws IOException {
    Map<String, String> environment = environment();
    environment.put(
        SECRET_FILE, Files.writeString(folder.resolve("secret"), "0123456789abcdef").toString());
    return NodeConfiguration.of(
            NodeSettings.builder(),
            null,
            variable -> {
              asked.add(variable);
              return environment.get(variable);
            })
        .build();
  }

  private static int port(Object ports, String name, String field) {
    return (Integer) at(byName(ports, "name").get(name), field);
  }

  @Test
  void itMakesTheNodesTheirServicesAndABudget() {
    assertThat(resources)
        .containsOnlyKeys(
            "StatefulSet prices",
            "Service prices-nodes",
            "Service prices-http",
            "PodDisruptionBudget prices");
  }

  @Test
  void everyVariableIsASettingOfNodes() throws IOException {
    TreeSet<String> asked = new TreeSet<>();
    settings(asked);
    asked.add(OPTIONS_OF_JAVA);
    assertThat(environment()).hasSizeGreaterThan(10);
    assertThat(asked).containsAll(environment().keySet());
  }

  @Test
  void nodesListenOnThePortsThatAreOpen() throws IOException {
    NodeSettings settings = settings(new TreeSet<>());
    Object open = at(node, "ports");
    Object headless = at(resources.get("Service prices-nodes"), "spec", "ports");
    assertThat(settings.membershipPort())
        .isEqualTo(port(open, "membership", "containerPort"))
        .isEqualTo(port(headless, "membership", "port"));
    assertThat(settings.dataPort())
        .isEqualTo(port(open, "data", "containerPort"))
        .isEqualTo(port(headless, "data", "port"));
    assertThat(at(node, "args").toString())
        .contains("--http, " + port(open, "http", "containerPort"));
    assertThat(port(at(resources.get("Service prices-http"), "spec", "ports"), "http", "port"))
        .isEqualTo(port(open, "http", "containerPort"));
  }

  @Test
  void nodesFindEachOtherThroughTheHeadlessService() throws IOException {
    Object headless = resources.get("Service prices-nodes");
    assertThat(at(headless, "spec", "clusterIP")).isEqualTo("None");
    assertThat(at(headless, "spec", "publishNotReadyAddresses")).isEqualTo(true);
    assertThat(at(nodes, "spec", "serviceName")).isEqualTo(at(headless, "metadata", "name"));
    assertThat(settings(new TreeSet<>()).discovery())
        .isEqualTo(new Discovery.Dns("prices-nodes.shop.svc.cluster.local", 7800));
  }

  @Test
  void everySelectorFindsThePods() {
    Map<?, ?> labels = (Map<?, ?>) at(nodes, "spec", "template", "metadata", "labels");
    assertThat(labels).hasSize(2);
    assertThat(
            List.of(
                at(nodes, "spec", "selector", "matchLabels"),
                at(pod, "topologySpreadConstraints", "0", "labelSelector", "matchLabels"),
                at(resources.get("Service prices-nodes"), "spec", "selector"),
                at(resources.get("Service prices-http"), "spec", "selector"),
                at(resources.get("PodDisruptionBudget prices"), "spec", "selector", "matchLabels")))
        .allMatch(labels::equals);
  }

  @Test
  void aNodeHasTheTimeToLeave() throws IOException {
    long killedAfter = ((Number) at(pod, "terminationGracePeriodSeconds")).longValue();
    assertThat(settings(new TreeSet<>()).shutdownTimeout())
        .isGreaterThan(Duration.ofMinutes(1))
        .isLessThan(Duration.ofSeconds(killedAfter));
  }

  @Test
  void aNodeIsNotEndedWhileItLooksForItsCluster() throws IOException {
    Object probe = at(node, "startupProbe");
    long seconds =
        ((Number) at(probe, "periodSeconds")).longValue()
            * ((Number) at(probe, "failureThreshold")).longValue();
    assertThat(Duration.ofSeconds(seconds))
        .isGreaterThan(settings(new TreeSet<>()).joinTimeout().multipliedBy(3).dividedBy(2));
  }

  @Test
  void onePodAtATimeGoes() {
    assertThat(at(resources.get("PodDisruptionBudget prices"), "spec", "maxUnavailable"))
        .isEqualTo(1);
    assertThat(at(nodes, "spec", "podManagementPolicy")).isEqualTo("OrderedReady");
    assertThat((Integer) at(nodes, "spec", "replicas")).isGreaterThanOrEqualTo(3);
  }

  @Test
  void portsAreNotOpenToStrangers() throws IOException {
    NodeSettings settings = settings(new TreeSet<>());
    assertThat(settings.requireSecurity()).isTrue();
    Object mounted = at(byName(at(node, "volumeMounts"), "name").get("secret"), "mountPath");
    assertThat(environment().get(SECRET_FILE)).startsWith(mounted + "/");
    assertThat(byName(at(pod, "volumes"), "name")).containsKeys("secret", "tmp");
  }

  @Test
  void theContainerMayDoLittle() {
    assertThat(at(pod, "securityContext", "runAsNonRoot")).isEqualTo(true);
    assertThat(at(pod, "enableServiceLinks")).isEqualTo(false);
    assertThat(at(node, "securityContext", "readOnlyRootFilesystem")).isEqualTo(true);
    assertThat(at(node, "securityContext", "allowPrivilegeEscalation")).isEqualTo(false);
    assertThat(at(node, "securityContext", "capabilities", "drop")).isEqualTo(List.of("ALL"));
    assertThat(at(node, "resources", "limits", "memory")).isEqualTo("2Gi");
  }

  @Test
  void theRecipeRunsTheCommandOfTheDistributionAsThatUser() throws IOException {
    String recipe = Files.readString(Chart.sources().resolve("docker/Dockerfile"));
    Object user = at(pod, "securityContext", "runAsUser");
    assertThat(recipe)
        .contains("FROM eclipse-temurin:", "USER " + user + ":" + user)
        .contains("ENTRYPOINT [\"/opt/headrace/bin/headrace\"]", "COPY bin /opt/headrace/bin")
        .contains("EXPOSE 7800 7900 8080")
        .contains(OPTIONS_OF_JAVA + "=\"" + chart.values().get("javaOptions") + '"');
    assertThat(Files.readString(Chart.sources().resolve("bin/headrace")))
        .contains("${" + OPTIONS_OF_JAVA + ":-}");
  }

  @Test
  void itHasTheVersionOfTheProject() throws IOException {
    String pom = Files.readString(Chart.sources().resolve("../../pom.xml").normalize());
    var version = Pattern.compile("<version>([\\w.-]+)</version>").matcher(pom);
    assertThat(version.find()).isTrue();
    assertThat(chart.about())
        .containsEntry("version", version.group(1))
        .containsEntry("appVersion", version.group(1));
    assertThat(Files.readString(Chart.sources().resolve("docker/Dockerfile")))
        .contains("headrace:" + version.group(1) + " ");
  }
}
