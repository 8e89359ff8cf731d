package dev.headrace.stream.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.WireException;
import java.nio.ByteBuffer;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class CursorTest {

  @Property
  void theBinaryFormComesBack(@ForAll long position, @ForAll @Size(max = 200) byte[] key) {
    for (Cursor cursor :
        List.of(Cursor.START, Cursor.after(position), Cursor.after(position, key))) {
      ByteBuffer binary = ByteBuffer.allocate(cursor.encodedBytes());
      cursor.write(binary);
      assertThat(binary.remaining()).isZero();
      assertThat(Cursor.read(binary.flip())).isEqualTo(cursor).hasSameHashCodeAs(cursor);
    }
  }

  @Test
  void theStartIsNotPositionZero() {
    assertThat(Cursor.START).isNotEqualTo(Cursor.after(0));
    assertThat(Cursor.after(0).isStart()).isFalse();
    assertThat(Cursor.after(0)).isNotEqualTo(Cursor.after(0, new byte[0]));
  }

  @Test
  void aCursorTakesNineBytesOutsideOfRuns() {
    assertThat(Cursor.after(-1).encodedBytes()).isEqualTo(9);
  }

  @Property
  void damagedCursorsAreRefused(@ForAll @Size(max = 20) byte[] bytes) {
    try {
      Cursor read = Cursor.read(ByteBuffer.wrap(bytes));
      assertThat(read.encodedBytes()).isLessThanOrEqualTo(bytes.length);
    } catch (WireException e) {
      assertThat(e).hasMessageContaining("damaged");
    }
  }

  @Test
  void aKeyThatClaimsMoreThanThereIsIsRefused() {
    ByteBuffer forged = ByteBuffer.allocate(20).put((byte) 2).putLong(5).put((byte) 100);
    assertThatThrownBy(() -> Cursor.read(forged.rewind()))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("claims 100 bytes");
  }
}
