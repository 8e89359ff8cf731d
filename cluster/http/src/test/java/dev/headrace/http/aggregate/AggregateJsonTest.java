package dev.headrace.http.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.text.TextForm;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class AggregateJsonTest {

  @Test
  void groupsAreWrittenInTheirFormat() {
    Map<Object, Long> groups = Map.of(new byte[] {0, 0, 0, 7}, 3L);
    assertThat(AggregateJson.counts(groups, TextForm.of("int")))
        .isEqualTo("{\"groups\":[ {\"group\":7,\"entries\":3}]}");
  }

  @Test
  void aGroupWhoseBytesAreNoneOfTheFormatIsNoFaultOfTheNode() {
    Map<Object, Long> groups = Map.of(new byte[] {7}, 1L);
    ProblemException problem =
        catchThrowableOfType(
            ProblemException.class, () -> AggregateJson.counts(groups, TextForm.of("int")));
    assertThat(problem.status()).isEqualTo(409);
    assertThat(problem).hasMessageContaining("no value of int");
  }
}
