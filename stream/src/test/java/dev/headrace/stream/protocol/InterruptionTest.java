package dev.headrace.stream.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.stream.Ownership;
import java.util.BitSet;
import java.util.List;
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
    Loss loss = new Loss(segments, "it is gone", List.of("node-2"), null);
    StreamInterruptedException interruption = loss.interruption("quotes", epoch, "token");
    assertThat(interruption).hasMessageContaining("at epoch 3.12;").hasMessageContaining("{7}");
    assertThat(interruption.cache()).isEqualTo("quotes");
    assertThat(interruption.segments()).containsExactly(7);
    assertThat(interruption.missingNodes()).containsExactly("node-2");
  }
}
