package dev.headrace.api.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What programs find in exceptions. */
class HeadraceExceptionTest {
  private static final FaultScope SCOPE =
      new FaultScope("quotes", List.of(3, 7), List.of("node-2"));

  static Stream<HeadraceException> scoped() {
    return Stream.of(
        new CodecException("m", SCOPE),
        new EntryTooLargeException("m", SCOPE),
        new MemoryFullException("m", SCOPE, "node-3"),
        new NodeClosedException("m", SCOPE),
        new OutcomeUnknownException("m", SCOPE),
        new ResumeTokenException("m", SCOPE),
        new StreamInterruptedException("m", SCOPE, "token", null),
        new StreamMemoryException("m", SCOPE),
        new TooManyCachesException("m", SCOPE),
        new UnavailableException("m", SCOPE),
        new HeadraceException("m", SCOPE, null));
  }

  @ParameterizedTest
  @MethodSource("scoped")
  void anExceptionTellsWhatItIsAbout(HeadraceException exception) throws Exception {
    for (HeadraceException each : List.of(exception, copyOf(exception))) {
      assertThat(each).hasMessage("m").hasNoCause();
      assertThat(each.cache()).isEqualTo("quotes");
      assertThat(each.segments()).containsExactly(3, 7);
      assertThat(each.missingNodes()).containsExactly("node-2");
      assertThat(each.isRetryable()).isEqualTo(exception.isRetryable());
    }
  }

  @Test
  void aFullMemoryTellsWhichNodeIsFull() throws Exception {
    MemoryFullException full = new MemoryFullException("m", SCOPE, "node-3");
    assertThat(full.fullNode()).isEqualTo("node-3");
    assertThat(copyOf(full))
        .isInstanceOfSatisfying(
            MemoryFullException.class, copy -> assertThat(copy.fullNode()).isEqualTo("node-3"));
    assertThat(new MemoryFullException("m").fullNode()).isNull();
  }

  @Test
  void whatHadNoEffectAndPassesCanBeTriedAgain() {
    assertThat(scoped().filter(HeadraceException::isRetryable).map(HeadraceException::getClass))
        .containsExactlyInAnyOrder(
            MemoryFullException.class,
            StreamInterruptedException.class,
            StreamMemoryException.class,
            UnavailableException.class);
    assertThat(new JoinTimeoutException("m", "c", Duration.ofMinutes(1), null).isRetryable())
        .isTrue();
    assertThat(new JoinRefusedException("m").isRetryable()).isFalse();
  }

  @Test
  void whatIsAboutNothingSaysSo() {
    HeadraceException exception = new HeadraceException("m");
    assertThat(exception.cache()).isNull();
    assertThat(exception.segments()).isEmpty();
    assertThat(exception.missingNodes()).isEmpty();
    assertThat(new HeadraceException("m", new IllegalStateException("why")))
        .hasCauseInstanceOf(IllegalStateException.class);
  }

  private static HeadraceException copyOf(HeadraceException exception)
      throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(exception);
    }
    ByteArrayInputStream copy = new ByteArrayInputStream(bytes.toByteArray());
    try (ObjectInputStream in = new ObjectInputStream(copy)) {
      return (HeadraceException) in.readObject();
    }
  }
}
