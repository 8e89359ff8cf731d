package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheSettings;
import dev.headrace.cli.terminal.CommandFailure;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
final class DeletingTest {
  @TempDir private static Path folder;
  private static TwoNodes nodes;

  record Point(int x, int y) {}

  @BeforeAll
  static void start() {
    nodes = TwoNodes.start(folder);
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static Cache<Long, Point> points(String name) {
    Cache<Long, Point> cache = nodes.open(CacheSettings.of(name, Long.class, Point.class));
    for (long key = 0; key < 20; key++) {
      cache.put(key, new Point(1, 2));
    }
    return cache;
  }

  private static int fails(CommandRun command, String... args) {
    return command.run(nodes.inCluster(args));
  }

  @Test
  void aCacheThatASilentNodeMayHaveIsNotSaidToBeMissing() {
    assertThatThrownBy(
            () -> DestroyCommand.find("some", new CacheReport(List.of(), List.of("n2"), false)))
        .isInstanceOfSatisfying(
            CommandFailure.class, failure -> assertThat(failure.exitCode()).isEqualTo(1))
        .hasMessageContaining("nodes n2 do not answer");
    assertThatThrownBy(
            () -> DestroyCommand.find("some", new CacheReport(List.of(), List.of(), true)))
        .isInstanceOfSatisfying(
            CommandFailure.class, failure -> assertThat(failure.exitCode()).isEqualTo(3));
  }

  @Test
  void keysAreDeletedWhateverTheirValuesAre() {
    Cache<Long, Point> cache = points("some");
    assertThat(nodes.run("delete", "3", "5", "--cache", "some").out())
        .isEqualTo("Deleted 2 entries\n");
    assertThat(cache.size()).isEqualTo(18);
    assertThat(cache.containsKey(3L)).isFalse();
  }

  @Test
  void keysThatAreNotThereAreNamedAndTheOthersDeleted() {
    Cache<Long, Point> cache = points("missing");
    CommandRun delete = new CommandRun();
    assertThat(fails(delete, "delete", "3", "77", "--cache", "missing")).isEqualTo(3);
    assertThat(delete.err())
        .isEqualTo("headrace delete: there is no key \"77\" in cache \"missing\"\n");
    assertThat(cache.containsKey(3L)).isFalse();
    CommandRun none = new CommandRun();
    assertThat(fails(none, "delete", "3", "--cache", "nosuch")).isEqualTo(3);
    assertThat(none.err()).contains("there is no cache \"nosuch\"");
  }

  @Test
  void aCacheIsClearedWhenItsNameIsTyped() {
    Cache<Long, Point> cache = points("typed");
    CommandRun clear = new CommandRun().input("typed\n");
    assertThat(fails(clear, "clear", "typed")).as(clear.err()).isZero();
    assertThat(clear.err())
        .isEqualTo("This deletes 20 entries. Type the cache's name (typed) to go on: ");
    assertThat(clear.out()).isEqualTo("Deleted 20 entries of cache \"typed\"\n");
    assertThat(cache.size()).isZero();
  }

  @Test
  void aCacheIsRemovedWhenItsNameIsTyped() {
    points("passing");
    CommandRun destroy = new CommandRun().input("passing\n");
    assertThat(fails(destroy, "destroy", "passing")).as(destroy.err()).isZero();
    assertThat(destroy.out()).isEqualTo("Removed cache \"passing\" with 20 entries\n");
    CommandRun again = new CommandRun();
    assertThat(fails(again, "destroy", "passing", "--yes")).isEqualTo(3);
    assertThat(again.err()).contains("there is no cache \"passing\"");
    Cache<Long, Point> cache = points("staying");
    CommandRun refused = new CommandRun().input("\n");
    assertThat(fails(refused, "destroy", "staying")).isEqualTo(1);
    assertThat(cache.size()).isEqualTo(20);
  }

  @Test
  void nothingIsClearedWithoutAnAnswer() {
    Cache<Long, Point> cache = points("kept");
    CommandRun clear = new CommandRun().input("yes\n");
    assertThat(fails(clear, "clear", "kept")).isEqualTo(1);
    assertThat(clear.err()).contains("nothing was deleted", "--yes");
    assertThat(cache.size()).isEqualTo(20);
    nodes.run("clear", "kept", "--yes");
    assertThat(cache.size()).isZero();
  }
}
