package dev.headrace.jcache.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ObjectInputFilter;
import java.io.ObjectInputFilter.FilterInfo;
import java.io.ObjectInputFilter.Status;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NamePatternTest {

  /** A class that comes in bytes. */
  private record Read(Class<?> serialClass) implements FilterInfo {
    @Override
    public long arrayLength() {
      return -1;
    }

    @Override
    public long depth() {
      return 1;
    }

    @Override
    public long references() {
      return 1;
    }

    @Override
    public long streamBytes() {
      return 1;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "*, java.util.Map, ALLOWED",
    "java.util.*, java.util.Map, ALLOWED",
    "java.util.*, java.util.Map$Entry, ALLOWED",
    "java.util.*, java.util.concurrent.Future, UNDECIDED",
    "java.util.**, java.util.concurrent.Future, ALLOWED",
    "java.util.M*, java.util.Map, ALLOWED",
    "java.util.M*, java.util.List, UNDECIDED",
    "java.util.Map, java.util.Map, ALLOWED",
    "java.util.Map, java.util.Map$Entry, UNDECIDED",
    "!java.util.Map;java.util.*, java.util.Map, REJECTED",
    "java.util.*;!java.util.Map, java.util.Map, ALLOWED",
    "maxdepth=9;!*, java.util.Map, REJECTED",
    "java.base/java.util.*, java.util.Map, ALLOWED",
    "!java.base/java.util.**, java.util.Map, REJECTED",
  })
  void aPatternSaysOfANameWhatTheJdkSaysOfTheClass(String pattern, String name, Status expected)
      throws ClassNotFoundException {
    assertThat(new NamePattern(pattern).of(name)).isEqualTo(expected);

    ObjectInputFilter ofJdk = ObjectInputFilter.Config.createFilter(pattern);
    assertThat(ofJdk.checkInput(new Read(Class.forName(name)))).isEqualTo(expected);
  }
}
