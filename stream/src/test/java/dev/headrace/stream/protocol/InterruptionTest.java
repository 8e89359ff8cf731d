package dev.headrace.stream.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.stream.Ownership;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class InterruptionTest {

  @Test
  void namesTheEpochAsOthersDo() {
    long ballotNumber = 3;
    long markOfTheCoordinator = 0x7ABCDL;
    long count = 12;
    long epoch =
        ballotNumber << Ownership.EPOCH_NUMBER_BITS
            | markOfTheCoordinator << Ownership.EPOCH_COUNT_BITS
            | count;
    BitSet segments = new BitSet();
    segments.set(7);
    assertThat(new Loss(segments, "it is gone", null).interruption("quotes", epoch, "token"))
        .hasMessageContaining("at epoch 3.12;")
        .hasMessageContaining("{7}");
  }
}
