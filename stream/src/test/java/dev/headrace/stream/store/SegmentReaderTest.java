package dev.headrace.stream.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryReducer;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.store.OneSegment.Seen;
import java.util.List;
import org.junit.jupiter.api.Test;

class SegmentReaderTest {

  private static final int ROOM = 1 << 20;

  private final OneSegment segment = new OneSegment();

  @Test
  void anEmptySegmentIsDoneAtOnce() {
    assertThat(segment.read(Cursor.START, 1, 1, Projection.ENTRIES)).isEqualTo(ReadStatus.DONE);
    assertThat(segment.reader.entries()).isZero();
    assertThat(segment.reader.next()).isEqualTo(Cursor.START);
  }

  @Test
  void aSegmentThatHasBecomeEmptyIsDoneAtOnce() {
    segment.put("a", "1");
    segment.remove("a");
    assertThat(segment.read(Cursor.START, 1, 1, Projection.ENTRIES)).isEqualTo(ReadStatus.DONE);
    assertThat(segment.seen()).isEmpty();
  }

  @Test
  void theLastEntryComesTogetherWithTheEnd() {
    segment.put("a", "1");
    segment.put("b", "2");
    assertThat(segment.read(Cursor.START, 2, ROOM, Projection.ENTRIES)).isEqualTo(ReadStatus.DONE);
    assertThat(segment.seen()).hasSize(2);
  }

  @Test
  void exactlyAsManyEntriesComeAsAreAskedFor() {
    fill(1000);
    for (int asked : new int[] {1, 2, 127, 128, 129, 130, 500, 999}) {
      assertThat(segment.read(Cursor.START, asked, ROOM, Projection.ENTRIES))
          .isEqualTo(ReadStatus.MORE);
      assertThat(segment.seen()).hasSize(asked);
    }
  }

  @Test
  void noMoreBytesComeThanAreAskedFor() {
    fill(1000);
    int entryBytes = (int) segment.replica.content().liveBytes() / 1000;
    assertThat(segment.read(Cursor.START, 1000, 10 * entryBytes, Projection.ENTRIES))
        .isEqualTo(ReadStatus.MORE);
    assertThat(segment.reader.bytes()).isBetween(8 * entryBytes, 10 * entryBytes);
  }

  @Test
  void theBuffersRoomBoundsTheReadToo() {
    fill(1000);
    segment.out.clear().limit(500).position(100);
    ReadStatus status =
        segment.reader.read(
            segment.replica, Cursor.START, 1000, ROOM, Projection.ENTRIES, segment.out);
    assertThat(status).isEqualTo(ReadStatus.MORE);
    assertThat(segment.out.position()).isEqualTo(100 + segment.reader.bytes()).isLessThan(501);
  }

  @Test
  void anEntryLargerThanTheRoomIsAnnouncedWithItsSizeOnly() {
    segment.put("a", "v".repeat(200));
    int bytes = (int) segment.store.bytes();
    assertThat(segment.read(Cursor.START, 9, bytes - 1, Projection.ENTRIES))
        .isEqualTo(ReadStatus.ENTRY_TOO_LARGE);
    assertThat(segment.reader.requiredBytes()).isEqualTo(bytes);
    assertThat(segment.reader.next()).isEqualTo(Cursor.START);
    assertThat(segment.out.position()).isZero();
    assertThat(segment.read(Cursor.START, 9, bytes, Projection.ENTRIES)).isEqualTo(ReadStatus.DONE);
    assertThat(segment.seen()).extracting(Seen::key).containsExactly("a");
  }

  @Test
  void keysComeWithoutValuesAndLastingValuesWithoutKeys() {
    segment.put("lasting", "value");
    segment.read(Cursor.START, 9, ROOM, Projection.VALUES);
    assertThat(segment.seen()).containsExactly(new Seen("", "value", 3, 1, 0));
    segment.remove("lasting");
    segment.put("key", "value", 5_000);
    segment.read(Cursor.START, 9, ROOM, Projection.KEYS);
    assertThat(segment.seen()).containsExactly(new Seen("key", "", 3, 2, 5_000));
    segment.read(Cursor.START, 9, ROOM, Projection.VALUES);
    assertThat(segment.seen()).containsExactly(new Seen("key", "value", 3, 2, 5_000));
    segment.read(Cursor.START, 9, ROOM, Projection.ENTRIES);
    assertThat(segment.seen()).containsExactly(new Seen("key", "value", 3, 2, 5_000));
  }

  @Test
  void partsObeyTheRoomAndAnnounceWhatIsTooLarge() {
    segment.put("k".repeat(300), "v".repeat(500));
    assertThat(segment.read(Cursor.START, 9, 300, Projection.KEYS))
        .isEqualTo(ReadStatus.ENTRY_TOO_LARGE);
    assertThat(segment.read(Cursor.START, 9, segment.reader.requiredBytes(), Projection.KEYS))
        .isEqualTo(ReadStatus.DONE);
    assertThat(segment.read(Cursor.START, 9, 500, Projection.VALUES))
        .isEqualTo(ReadStatus.ENTRY_TOO_LARGE);
    assertThat(segment.read(Cursor.START, 9, segment.reader.requiredBytes(), Projection.VALUES))
        .isEqualTo(ReadStatus.DONE);
    assertThat(segment.seen()).extracting(Seen::value).containsExactly("v".repeat(500));
  }

  @Test
  void expiredEntriesAreHiddenButStayForOtherReplicasUntilTheyAreRemoved() {
    segment.put("lasting", "1");
    segment.put("expired", "2", 1_000);
    segment.put("later", "3", 1_001);
    assertThat(segment.scanKeys(1, Projection.ENTRIES))
        .containsExactlyInAnyOrder("lasting", "later");
    assertThat(segment.scanKeys(1, Projection.KEYS)).containsExactlyInAnyOrder("lasting", "later");
    assertThat(segment.scanKeys(1, Projection.EXPIRED)).containsExactly("expired");
    assertThat(segment.scanKeys(9, Projection.REPLICA)).hasSize(3);
    assertThat(segment.get("expired")).isNull();
    assertThat(segment.store.entries()).isEqualTo(3);
    assertThat(segment.remove("expired")).isTrue();
    assertThat(segment.scanKeys(9, Projection.REPLICA)).hasSize(2);
    assertThat(segment.scanKeys(9, Projection.EXPIRED)).isEmpty();
  }

  @Test
  void aSearchForExpiredEntriesIsBoundedAndGoesOn() {
    fill(10_000);
    segment.put("expired", "2", 1_000);
    ReadStatus first = segment.read(Cursor.START, 10, ROOM, Projection.EXPIRED);
    assertThat(first).isEqualTo(ReadStatus.MORE);
    assertThat(segment.reader.next()).isNotEqualTo(Cursor.START);
    assertThat(segment.scanKeys(10, Projection.EXPIRED)).containsExactly("expired");
  }

  @Test
  void aReplicaThatIsNotCompleteIsNotRead() {
    segment.put("a", "1");
    segment.replica.become(ReplicaState.COPYING);
    assertUnreadable();
    segment.replica.become(ReplicaState.OWNER);
    assertThat(segment.scanKeys(1, Projection.ENTRIES)).containsExactly("a");
  }

  @Test
  void aDroppedReplicaIsNotReadEvenByWhoeverStillHoldsIt() {
    segment.put("a", "1");
    segment.store.drop(0);
    assertUnreadable();
  }

  @Test
  void aReadDuringWhichTheReplicaIsDroppedDoesNotCount() {
    fill(300);
    segment.put("expiring", "1", 99_000);
    segment.whenTimeIsAsked = () -> segment.store.drop(0);
    assertUnreadable();
  }

  @Test
  void aReadDuringWhichTheReplicaIsCopiedAgainDoesNotCount() {
    fill(300);
    segment.put("expiring", "1", 99_000);
    segment.whenTimeIsAsked =
        () -> {
          segment.replica.become(ReplicaState.COPYING);
          segment.replica.clear();
          segment.replica.become(ReplicaState.OWNER);
        };
    assertUnreadable();
  }

  @Test
  void becomingOwnerOnceMoreDoesNotDisturbARead() {
    segment.put("expiring", "1", 99_000);
    segment.whenTimeIsAsked = () -> segment.replica.become(ReplicaState.OWNER);
    assertThat(segment.scanKeys(1, Projection.ENTRIES)).containsExactly("expiring");
  }

  @Test
  void aChunkThatAWriteOvertakesIsRepeated() {
    fill(300);
    segment.put("expiring", "old", 99_000);
    int[] writes = {0};
    segment.whenTimeIsAsked =
        () -> {
          if (writes[0]++ == 0) {
            segment.put("expiring", "new", 99_000);
          }
        };
    List<Seen> seen = scanAtOnce();
    assertThat(seen).hasSize(301);
    assertThat(seen)
        .filteredOn(entry -> entry.key().equals("expiring"))
        .extracting(Seen::value)
        .containsExactly("new");
  }

  @Test
  void whatFollowsAnOvertakenChunkIsNeitherSkippedNorRepeatedWhenTheTableHasMoved() {
    for (int i = 0; i < 1000; i++) {
      segment.put("key" + i, "v".repeat(100), 99_000);
    }
    int[] rounds = {0};
    segment.whenTimeIsAsked =
        () -> {
          if (rounds[0]++ == 0) {
            segment.replica.compact();
          }
        };
    assertThat(scanAtOnce()).extracting(Seen::key).hasSize(1000).doesNotHaveDuplicates();
  }

  @Test
  void goingOnBehindAnEntryThatIsGoneFindsTheNextOne() {
    fill(200);
    List<String> all = segment.scanKeys(1000, Projection.ENTRIES);
    segment.read(Cursor.START, 50, ROOM, Projection.ENTRIES);
    Cursor cursor = segment.reader.next();
    segment.remove(all.get(49));
    segment.remove(all.get(50));
    segment.read(cursor, 1, ROOM, Projection.ENTRIES);
    assertThat(segment.seen()).extracting(Seen::key).containsExactly(all.get(51));
  }

  @Test
  void aReadOfNothingIsRefused() {
    assertThatThrownBy(() -> segment.read(Cursor.START, 0, 1, Projection.ENTRIES))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least one");
  }

  private List<Seen> scanAtOnce() {
    assertThat(segment.read(Cursor.START, 100_000, ROOM, Projection.ENTRIES))
        .isEqualTo(ReadStatus.DONE);
    return segment.seen();
  }

  private void assertUnreadable() {
    assertThat(segment.read(Cursor.START, 1000, ROOM, Projection.ENTRIES))
        .isEqualTo(ReadStatus.UNREADABLE);
    assertThat(segment.reader.entries()).isZero();
    assertThat(segment.reader.bytes()).isZero();
    assertThat(segment.reader.next()).isEqualTo(Cursor.START);
    assertThat(segment.out.position()).isZero();
  }

  private void fill(int entries) {
    for (int i = 0; i < entries; i++) {
      segment.put(String.format("key%05d", i), "v".repeat(30));
    }
  }

  @Test
  void whatIsAddedUpCountsUpToTheCursorAndNotBehindACopyThatBegins() {
    fill(1000);
    CountingReducer reducer = new CountingReducer();
    reducer.whenNoting =
        () -> {
          if (reducer.counted == 256) {
            segment.replica.become(ReplicaState.COPYING);
          }
        };
    ReadStatus status = segment.reader.add(segment.replica, Cursor.START, ROOM, reducer);
    assertThat(status).isEqualTo(ReadStatus.UNREADABLE);
    assertThat(reducer.counted).isEqualTo(256);

    Cursor reached = segment.reader.next();
    segment.replica.become(ReplicaState.OWNER);
    reducer.whenNoting = () -> {};
    assertThat(segment.reader.add(segment.replica, reached, ROOM, reducer))
        .isEqualTo(ReadStatus.DONE);
    assertThat(reducer.counted).isEqualTo(1000);
  }

  @Test
  void whatAWriteHasDisturbedIsNotedAgain() {
    fill(1000);
    CountingReducer reducer = new CountingReducer();
    reducer.whenNoting =
        () -> {
          // Every second run, so that none takes the lock, and its first entry.
          if (reducer.runs % 2 == 1 && reducer.noted == 0) {
            segment.put("key00000", "changed");
          }
        };
    assertThat(segment.reader.add(segment.replica, Cursor.START, ROOM, reducer))
        .isEqualTo(ReadStatus.DONE);
    assertThat(reducer.counted).isEqualTo(1000);
    assertThat(reducer.runs).isEqualTo(16);
  }

  @Test
  void aReducerWithoutRoomEndsTheReadBehindWhatItNoted() {
    fill(300);
    CountingReducer reducer = new CountingReducer();
    reducer.room = 130;
    assertThat(segment.reader.add(segment.replica, Cursor.START, ROOM, reducer))
        .isEqualTo(ReadStatus.MORE);
    assertThat(reducer.counted).isEqualTo(130);
    Cursor reached = segment.reader.next();
    assertThat(segment.reader.add(segment.replica, reached, ROOM, reducer))
        .isEqualTo(ReadStatus.ENTRY_TOO_LARGE);
    assertThat(segment.reader.requiredBytes()).isEqualTo(131);
    assertThat(segment.reader.next()).isEqualTo(reached);
    reducer.room = ROOM;
    assertThat(segment.reader.add(segment.replica, reached, ROOM, reducer))
        .isEqualTo(ReadStatus.DONE);
    assertThat(reducer.counted).isEqualTo(300);
  }

  /** Counts entries, as many as it has room for. */
  private static final class CountingReducer implements EntryReducer {
    private Runnable whenNoting = () -> {};
    private int room = Integer.MAX_VALUE;
    private int runs;
    private int noted;
    private int counted;

    @Override
    public void begin() {
      noted = 0;
      runs++;
    }

    @Override
    public long note(byte[] page, int offset, int lengthBytes) {
      whenNoting.run();
      if (counted + noted == room) {
        return room + 1L;
      }
      noted++;
      return 0;
    }

    @Override
    public int noted() {
      return noted;
    }

    @Override
    public void count() {
      counted += noted;
      noted = 0;
    }
  }
}
