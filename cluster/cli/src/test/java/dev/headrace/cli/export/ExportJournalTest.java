package dev.headrace.cli.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An export that dies at any byte goes on without a repetition or a gap. */
final class ExportJournalTest {
  private static final int ENTRIES = 40;
  private static final int BATCH = 5;
  private static final String WHOLE =
      IntStream.range(0, ENTRIES).mapToObj(i -> "entry " + i + "\n").collect(Collectors.joining());

  @TempDir private Path folder;

  /**
   * A disk in memory that dies after so many steps. A step is a byte that is written, or a change
   * of a file as a whole.
   */
  private static final class DyingDisk implements ExportFiles {
    byte[] file = "what was there before".getBytes(StandardCharsets.UTF_8);
    int forced = file.length;
    byte @Nullable [] next;
    byte @Nullable [] progress;
    int stepsLeft;

    private void step() throws IOException {
      if (stepsLeft-- <= 0) {
        throw new IOException("the machine is gone");
      }
    }

    @Override
    public void append(byte[] bytes) throws IOException {
      for (byte each : bytes) {
        step();
        file = Arrays.copyOf(file, file.length + 1);
        file[file.length - 1] = each;
      }
    }

    @Override
    public void force() throws IOException {
      step();
      forced = file.length;
    }

    @Override
    public void truncate(long bytes) throws IOException {
      step();
      file = Arrays.copyOf(file, (int) bytes);
      forced = Math.min(forced, file.length);
    }

    @Override
    public void prepareProgress(byte[] content) throws IOException {
      next = new byte[0];
      for (byte each : content) {
        step();
        next = Arrays.copyOf(next, next.length + 1);
        next[next.length - 1] = each;
      }
    }

    @Override
    public void replaceProgress() throws IOException {
      step();
      progress = next;
      next = null;
    }

    @Override
    public void deleteProgress() throws IOException {
      step();
      progress = null;
    }

    /** What is left after a loss of power: so much of what was not forced. */
    void loseUnforced(int tenths) {
      file = Arrays.copyOf(file, forced + (file.length - forced) * tenths / 10);
    }

    String text() {
      return new String(file, StandardCharsets.UTF_8);
    }
  }

  /** Writes what a token says is left, as a scan does, and notes a place behind each batch. */
  private static void export(ExportFiles disk, long keptBytes, @Nullable String token)
      throws IOException {
    ExportJournal journal = new ExportJournal(disk, "--cache quotes", keptBytes);
    long nowNanos = 0;
    journal.begin(token, nowNanos);
    long written = 0;
    StringBuilder held = new StringBuilder();
    for (int i = token == null ? 0 : Integer.parseInt(token); i < ENTRIES; i++) {
      held.append("entry ").append(i).append('\n');
      if ((i + 1) % BATCH == 0) {
        byte[] bytes = held.toString().getBytes(StandardCharsets.UTF_8);
        held.setLength(0);
        journal.append(bytes);
        written += bytes.length;
        nowNanos += ExportJournal.INTERVAL_NANOS / (i % 2 + 1);
        journal.reached(Integer.toString(i + 1), written, nowNanos);
      }
    }
    journal.completed();
  }

  @Test
  void anExportThatDiesAtAnyByteGoesOnExactly() throws IOException {
    DyingDisk whole = new DyingDisk();
    whole.stepsLeft = Integer.MAX_VALUE;
    export(whole, 0, null);
    assertThat(whole.text()).isEqualTo(WHOLE);
    int steps = Integer.MAX_VALUE - whole.stepsLeft;
    for (int first = 0; first < steps; first++) {
      for (int tenths = 0; tenths <= 10; tenths += 5) {
        dieTwice(first, first % 97, tenths);
      }
    }
  }

  private static void dieTwice(int first, int second, int tenths) throws IOException {
    DyingDisk disk = new DyingDisk();
    disk.stepsLeft = first;
    assertThatThrownBy(() -> export(disk, 0, null)).hasMessage("the machine is gone");
    disk.loseUnforced(tenths);
    for (int steps : new int[] {second, Integer.MAX_VALUE}) {
      disk.stepsLeft = steps;
      byte[] content = disk.progress;
      if (content == null) {
        assertThat(disk.text()).isIn(WHOLE, "what was there before");
        return;
      }
      ExportProgress progress = ExportProgress.decode(content);
      assertThat(disk.file.length).isGreaterThanOrEqualTo((int) progress.bytes());
      try {
        export(disk, progress.bytes(), progress.token());
      } catch (IOException e) {
        disk.loseUnforced(tenths);
      }
    }
    assertThat(disk.text()).as("dies after " + first).isEqualTo(WHOLE);
    assertThat(disk.progress).isNull();
  }

  @Test
  void aFileOnTheDiskGoesOnWhereItsProgressSays() throws IOException {
    Path file = folder.resolve("quotes.ndjson");
    assertThat(Files.exists(file)).isFalse();
    try (DiskFiles disk = new DiskFiles(file)) {
      ExportJournal journal = new ExportJournal(disk, "--cache quotes", 0);
      journal.begin(null, 0);
      journal.append("one\n".getBytes(StandardCharsets.UTF_8));
      journal.reached("behind one", 4, ExportJournal.INTERVAL_NANOS);
      journal.append("tw".getBytes(StandardCharsets.UTF_8));
    }
    ExportProgress progress = DiskFiles.read(file);
    assertThat(progress).isEqualTo(new ExportProgress("--cache quotes", 4, "behind one"));
    try (DiskFiles disk = new DiskFiles(file)) {
      ExportJournal journal = new ExportJournal(disk, "--cache quotes", 4);
      journal.begin("behind one", 0);
      journal.append("two\n".getBytes(StandardCharsets.UTF_8));
      journal.completed();
    }
    assertThat(file).hasContent("one\ntwo\n");
    assertThat(folder).isDirectoryNotContaining("glob:**.progress*");
    assertThat(DiskFiles.read(file)).isNull();
  }

  @Test
  void aDamagedProgressAndAChangedFileAreRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("quotes.ndjson"), "one\n");
    byte[] good = new ExportProgress("--cache quotes", 4, "token").encode();
    Path beside = DiskFiles.progressOf(file);
    for (int i = 0; i < good.length - 1; i++) {
      byte[] damaged = good.clone();
      damaged[i] ^= 1;
      Files.write(beside, damaged);
      assertThatThrownBy(() -> DiskFiles.read(file)).hasMessageContaining("start again");
      Files.write(beside, Arrays.copyOf(good, i));
      assertThatThrownBy(() -> DiskFiles.read(file)).hasMessageContaining("start again");
    }
    Files.write(beside, good);
    assertThat(DiskFiles.read(file)).isNotNull();
    Files.writeString(file, "on");
    assertThatThrownBy(() -> DiskFiles.read(file)).hasMessageContaining("somebody has changed it");
  }
}
