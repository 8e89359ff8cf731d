package dev.headrace.stream.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.WireException;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ChangeViewTest {
  private final ChangeView view = new ChangeView();

  @Test
  void aChangeIsReadAsItWasWritten() {
    byte[] key = {1, 2, 3};
    byte[] value = new byte[300];
    byte[] previous = {};
    byte[] bytes = new byte[400];
    int end = ChangeLayout.write(bytes, 5, ChangeKind.UPDATED, 700, 9, key, value, previous);
    assertThat(end - 5).isEqualTo((int) ChangeLayout.bytes(700, 9, key, value, previous));
    assertThat(ChangeLayout.end(bytes, 5)).isEqualTo(end);
    assertThat(ChangeLayout.sequence(bytes, 5)).isEqualTo(700);
    assertThat(view.parse(bytes, 5, end)).isEqualTo(end);
    assertThat(view.kind()).isEqualTo(ChangeKind.UPDATED);
    assertThat(view.sequence()).isEqualTo(700);
    assertThat(view.term()).isEqualTo(9);
    assertThat(view.key(bytes)).isEqualTo(key);
    assertThat(view.value(bytes)).isEqualTo(value);
    assertThat(view.previous(bytes)).isEmpty();
    end = ChangeLayout.write(bytes, 0, ChangeKind.REMOVED, 701, 9, key, null, null);
    assertThat(view.parse(bytes, 0, end)).isEqualTo(end);
    assertThat(view.value(bytes)).isNull();
    assertThat(view.previous(bytes)).isNull();
  }

  @Test
  void damagedBytesAreRefusedOrReadWithinTheirBounds() {
    SplittableRandom random = new SplittableRandom(1);
    byte[] whole = new byte[64];
    int end =
        ChangeLayout.write(
            whole, 0, ChangeKind.CREATED, 70_000, 3, new byte[9], new byte[20], new byte[4]);
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = Arrays.copyOf(whole, random.nextInt(end + 1));
      for (int flips = random.nextInt(3); flips > 0 && bytes.length > 0; flips--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      try {
        assertThat(view.parse(bytes, 0, bytes.length)).isBetween(1, bytes.length);
        assertThat(view.key(bytes).length).isLessThanOrEqualTo(bytes.length);
      } catch (WireException e) {
        refused++;
      }
    }
    assertThat(refused).isPositive();
  }
}
