package dev.headrace.stream.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.WireException;
import java.nio.ByteBuffer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class EntryLayoutTest {

  @Property
  void whatIsWrittenIsRead(
      @ForAll @Size(max = 300) byte[] key,
      @ForAll @Size(max = 300) byte[] value,
      @ForAll long term,
      @ForAll long counter,
      @ForAll long expiryMillis) {
    int length =
        (int) EntryLayout.entryBytes(key.length, value.length, term, counter, expiryMillis);
    byte[] page = new byte[length + 6];
    EntryLayout.write(page, 3, key, value, term, counter, expiryMillis);
    assertThat(EntryLayout.entryBytes(page, 3)).isEqualTo(length);
    assertThat(EntryLayout.keyLength(page, 3)).isEqualTo(key.length);
    long keyRegion = EntryLayout.keyRegion(page, 3);
    assertThat((int) keyRegion).isEqualTo(key.length);
    assertThat((int) (keyRegion >>> 32)).isEqualTo(EntryLayout.keyOffset(page, 3));

    ByteBuffer appended = ByteBuffer.allocateDirect(length + 3).position(3);
    EntryLayout.append(appended, key, value, term, counter, expiryMillis);
    assertThat(appended.remaining()).isZero();
    for (ByteBuffer batch : new ByteBuffer[] {ByteBuffer.wrap(page), appended}) {
      EntryView view = new EntryView();
      assertThat(view.parse(batch, 3, length + 3)).isEqualTo(length + 3);
      assertThat(view.key(batch)).isEqualTo(key);
      assertThat(view.value(batch)).isEqualTo(value);
      assertThat(view.term(batch)).isEqualTo(term);
      assertThat(view.counter(batch)).isEqualTo(counter);
      assertThat(view.expiryMillis()).isEqualTo(expiryMillis);
    }
  }

  @Property
  void noPrefixOfAnEntryPassesForOne(
      @ForAll @Size(max = 100) byte[] key, @ForAll @Size(max = 100) byte[] value) {
    int length = (int) EntryLayout.entryBytes(key.length, value.length, 1, 2, 3);
    ByteBuffer batch = ByteBuffer.allocate(length);
    EntryLayout.append(batch, key, value, 1, 2, 3);
    for (int cut = 0; cut < length; cut++) {
      int limit = cut;
      assertThatThrownBy(() -> new EntryView().parse(batch, 0, limit))
          .isInstanceOf(WireException.class);
    }
  }

  @Property(tries = 2000)
  void arbitraryBytesAreReadWithinTheirBoundsOrRefused(@ForAll @Size(max = 40) byte[] bytes) {
    ByteBuffer batch = ByteBuffer.wrap(bytes);
    EntryView view = new EntryView();
    try {
      int end = view.parse(batch, 0, bytes.length);
      assertThat(end).isBetween(1, bytes.length);
      assertThat(view.keyOffset() + view.keyLength()).isEqualTo(view.valueOffset());
      assertThat(view.valueOffset() + view.valueLength()).isEqualTo(end);
    } catch (WireException e) {
      assertThat(e).hasMessageContaining("damaged");
    }
  }

  @Test
  void aForgedLengthIsRefused() {
    byte[] forged = {-1, -1, -1, -1, -1, -1, -1, -1, -1, 1, 0, 0, 0, 0};
    assertThatThrownBy(() -> new EntryView().parse(ByteBuffer.wrap(forged), 0, forged.length))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("the entry at byte 0 is damaged: its length is");
  }
}
