package dev.headrace.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Holds the floor plan: which room may look into which, and where each foreign library is let in.
 *
 * <p>A rule about what nobody does would also hold in an empty house, so every rule stands beside a
 * test that its subject exists.
 */
final class HouseTest {

  private static final String API = "dev.headrace.api..";
  private static final String STREAM = "dev.headrace.stream..";
  private static final String REBALANCE = "dev.headrace.rebalance..";
  private static final String REPLICATION = "dev.headrace.replication..";
  private static final String CLUSTER = "dev.headrace.cluster..";
  private static final String MICROMETER = "dev.headrace.micrometer..";
  private static final String SPRING = "dev.headrace.spring..";
  private static final String HTTP = "dev.headrace.http..";
  private static final String JCACHE = "dev.headrace.jcache..";
  private static final String JACKSON = "dev.headrace.jackson..";
  private static final String JACKSON_3 = "dev.headrace.jackson3..";
  private static final String PROTOSTREAM = "dev.headrace.protostream..";
  private static final String TESTKIT = "dev.headrace.testkit..";
  private static final String CLI = "dev.headrace.cli..";

  private static final JavaClasses HOUSE =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("dev.headrace");

  private static LayeredArchitecture layers() {
    return layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("api")
        .definedBy(API)
        .layer("stream")
        .definedBy(STREAM)
        .layer("rebalance")
        .definedBy(REBALANCE)
        .layer("replication")
        .definedBy(REPLICATION)
        .layer("cluster")
        .definedBy(CLUSTER)
        .layer("micrometer")
        .definedBy(MICROMETER)
        .layer("spring")
        .definedBy(SPRING)
        .layer("http")
        .definedBy(HTTP)
        .layer("jcache")
        .definedBy(JCACHE)
        .layer("jackson")
        .definedBy(JACKSON)
        .layer("jackson3")
        .definedBy(JACKSON_3)
        .layer("protostream")
        .definedBy(PROTOSTREAM)
        .layer("testkit")
        .definedBy(TESTKIT)
        .layer("cli")
        .definedBy(CLI);
  }

  @Test
  void importsGoOneWay() {
    layers()
        .whereLayer("api")
        .mayNotAccessAnyLayer()
        .whereLayer("stream")
        .mayOnlyAccessLayers("api")
        .whereLayer("rebalance")
        .mayOnlyAccessLayers("api", "stream")
        .whereLayer("replication")
        .mayOnlyAccessLayers("api", "stream", "rebalance")
        .whereLayer("cluster")
        .mayOnlyAccessLayers("api", "stream", "rebalance", "replication")
        .whereLayer("micrometer")
        .mayOnlyAccessLayers("api", "stream", "cluster")
        .whereLayer("spring")
        .mayOnlyAccessLayers("api", "cluster", "micrometer")
        .whereLayer("http")
        .mayOnlyAccessLayers("api", "stream", "rebalance", "cluster", "micrometer")
        .whereLayer("jcache")
        .mayOnlyAccessLayers("api")
        .whereLayer("jackson")
        .mayOnlyAccessLayers("api")
        .whereLayer("jackson3")
        .mayOnlyAccessLayers("api")
        .whereLayer("protostream")
        .mayOnlyAccessLayers("api")
        .whereLayer("testkit")
        .mayOnlyAccessLayers("api", "stream", "rebalance", "cluster")
        .whereLayer("cli")
        .mayOnlyAccessLayers("api", "stream", "rebalance", "cluster", "http")
        .check(HOUSE);
  }

  @ParameterizedTest
  @CsvSource({
    "dev.headrace.stream, dev.headrace.api",
    "dev.headrace.rebalance, dev.headrace.stream",
    "dev.headrace.replication, dev.headrace.rebalance.table",
    "dev.headrace.cluster, dev.headrace.replication",
    "dev.headrace.micrometer, dev.headrace.cluster",
    "dev.headrace.spring, dev.headrace.micrometer",
    "dev.headrace.http, dev.headrace.micrometer",
    "dev.headrace.http, dev.headrace.cluster",
    "dev.headrace.jcache, dev.headrace.api",
    "dev.headrace.jackson, dev.headrace.api",
    "dev.headrace.jackson3, dev.headrace.api",
    "dev.headrace.protostream, dev.headrace.api",
    "dev.headrace.testkit, dev.headrace.cluster",
    "dev.headrace.cli, dev.headrace.http",
  })
  void eachRoomStandsOnTheOneBelow(String room, String below) {
    assertThat(packagesUsing(below)).anyMatch(user -> isWithin(user, room));
  }

  @ParameterizedTest
  @CsvSource({
    "org.jgroups, dev.headrace.cluster.membership, ''",
    // Between nodes, and for everybody else.
    "io.netty, dev.headrace.cluster.wire, dev.headrace.http.server",
    "org.springframework, dev.headrace.spring, ''",
    // Boot 4 has them in other packages.
    "org.springframework.boot.actuate, dev.headrace.spring.boot3, ''",
    // The command line is a user's code in small.
    "io.reactivex, dev.headrace.api, dev.headrace.cli",
    "com.fasterxml.jackson.databind, dev.headrace.jackson, ''",
    "tools.jackson, dev.headrace.jackson3, ''",
    "org.infinispan, dev.headrace.protostream, ''",
    "org.junit, dev.headrace.testkit, dev.headrace.spring.test",
  })
  void onlyOneRoomLetsTheLibraryIn(String library, String room, String guest) {
    assertThat(packagesUsing(library))
        .as("packages that use %s", library)
        .filteredOn(user -> !isWithin(user, guest))
        .isNotEmpty()
        .allMatch(user -> isWithin(user, room), "is within " + room);
  }

  @Test
  void ofRebalanceReplicationSeesTheTableOnly() {
    noClasses()
        .that()
        .resideInAPackage(REPLICATION)
        .should()
        .dependOnClassesThat(
            resideInAPackage(REBALANCE)
                .and(not(resideInAPackage("dev.headrace.rebalance.table.."))))
        .check(HOUSE);
  }

  @Test
  void packagesFormNoCycles() {
    slices().matching("dev.headrace.(**)").should().beFreeOfCycles().check(HOUSE);
  }

  @Test
  void protocolsKnowNoNetwork() {
    noClasses()
        .that()
        .resideInAnyPackage(STREAM, REBALANCE, REPLICATION)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.net..", "java.nio.channels..", "javax.net..")
        .because("whole clusters are simulated in one thread")
        .check(HOUSE);
  }

  @Test
  void protocolsAreHandedTimeRandomnessAndThreads() {
    noClasses()
        .that()
        .resideInAnyPackage(STREAM, REBALANCE, REPLICATION)
        .should()
        .accessTargetWhere(isAmbient())
        .because("a seed must decide everything that happens in a simulated cluster")
        .check(HOUSE);
  }

  /** What a machine gives to everyone alike, and what a seed can therefore not decide. */
  private static DescribedPredicate<JavaAccess<?>> isAmbient() {
    Set<String> classes =
        Set.of(
            Executors.class.getName(), ThreadLocalRandom.class.getName(), Thread.class.getName());
    Set<String> methods =
        Set.of(
            "java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis",
            "java.lang.Math.random",
            "java.time.Instant.now",
            "java.util.UUID.randomUUID");
    Set<String> aboutTheCaller =
        Set.of(
            "currentThread", "getId", "onSpinWait", "isInterrupted", "getUncaughtExceptionHandler");
    return describe(
        "is the machine's own clock, randomness or thread",
        access -> {
          String owner = access.getTargetOwner().getName();
          String method = access.getTarget().getName();
          return (classes.contains(owner) && !aboutTheCaller.contains(method))
              || methods.contains(owner + "." + method);
        });
  }

  private static Set<String> packagesUsing(String library) {
    Set<String> users = new TreeSet<>();
    for (JavaClass user : HOUSE) {
      boolean uses =
          user.getDirectDependenciesFromSelf().stream()
              .anyMatch(use -> isWithin(use.getTargetClass().getPackageName(), library));
      if (uses && !isWithin(user.getPackageName(), library)) {
        users.add(user.getPackageName());
      }
    }
    return users;
  }

  private static boolean isWithin(String packageName, String parent) {
    return packageName.equals(parent) || packageName.startsWith(parent + ".");
  }
}
