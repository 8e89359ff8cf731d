package dev.headrace.http.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.ProblemException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The places of a port's streams. */
final class ActiveStreamsTest {
  private final ActiveStreams streams = new ActiveStreams(2);

  @Test
  void aReplyThatCannotBeMadeLeavesItsPlace() {
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(
              () ->
                  streams.serve(
                      "cache",
                      256,
                      place -> {
                        throw new IllegalStateException("for the test");
                      }))
          .hasMessage("for the test");
    }
    assertThat(streams.count()).isZero();
    assertThat(streams.all()).isEmpty();
  }

  @Test
  void aPlaceIsLeftOnce() {
    List<ActiveStreams.Place> places = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      streams.serve(
          "cache",
          256,
          place -> {
            places.add(place);
            return HttpReply.of(200);
          });
    }
    assertThatThrownBy(() -> streams.serve("cache", 256, place -> HttpReply.of(200)))
        .isInstanceOf(ProblemException.class);
    assertThat(streams.all()).hasSize(2);
    places.get(0).leave();
    places.get(0).leave();
    assertThat(streams.count()).isEqualTo(1);
    assertThat(streams.all()).containsExactly(places.get(1).figures());
  }
}
