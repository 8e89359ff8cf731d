package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.RepairReport;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RepairCommandTest {
  private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(1_300);

  @Test
  void equalReplicasAreOneSentence() {
    assertThat(line(new RepairReport(256, 256, 1_000_000, 141_200_000, 0, 0, 0, 0)))
        .isEqualTo(
            "Compared 256 segments, 1,000,000 entries, 141.2 MB, in 1.3 s: no replica differed.");
  }

  @Test
  void differencesAreCounted() {
    assertThat(line(new RepairReport(256, 256, 20_000, 600_000, 2, 3, 0, 241)))
        .endsWith("2 ranges differed; repaired 3 entries of backups with 241 B.");
    assertThat(line(new RepairReport(256, 256, 20_000, 600_000, 1, 1, 0, 80)))
        .endsWith("1 range differed; repaired 1 entry of backups with 80 B.");
  }

  @Test
  void whatShouldNotBeIsToBeReported() {
    assertThat(line(new RepairReport(1, 1, 10, 100, 1, 2, 2, 80)))
        .endsWith("Of these 2 had a higher version than the primary's; please report it.");
  }

  private static String line(RepairReport report) {
    return RepairCommand.line(report, NANOS);
  }
}
