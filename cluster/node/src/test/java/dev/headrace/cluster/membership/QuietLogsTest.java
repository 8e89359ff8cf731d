package dev.headrace.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.node.RecordedLog;
import java.io.IOException;
import org.jgroups.logging.Log;
import org.jgroups.logging.LogFactory;
import org.junit.jupiter.api.Test;

/** What of JGroups' messages an operator sees. */
class QuietLogsTest {

  private final Log log = QuietLogs.during(() -> LogFactory.getLog(QuietLogsTest.class));

  @Test
  void warningsOfJGroupsAreForThoseWhoDebug() {
    try (RecordedLog seen = RecordedLog.of(QuietLogsTest.class)) {
      log.info("a view was installed");
      log.warn("a message of %s was discarded", "n1");
      log.warn("an exception", new IllegalStateException("nothing"));

      assertThat(seen.warnings()).isEmpty();
      assertThat(seen.stackTraces()).isZero();
    }
  }

  @Test
  void whatNobodyReadsIsNotFormatted() {
    Object unread =
        new Object() {
          @Override
          public String toString() {
            throw new AssertionError("it is formatted");
          }
        };
    try (RecordedLog seen = RecordedLog.of(QuietLogsTest.class)) {
      log.trace("%s", unread);
      log.debug("%s", unread);
      log.warn("%s", unread);

      assertThat(seen.warnings()).isEmpty();
    }
  }

  @Test
  void errorsOfJGroupsAreWarningsUnlessTheyTellOfAParting() {
    try (RecordedLog seen = RecordedLog.of(QuietLogsTest.class)) {
      log.error("JGRP000032: %s: no physical address for %s", "n1", "n2");
      log.error("failed handling message: Stream closed");
      log.error("127.0.0.1:7800: failed handling message", new IOException("Stream closed"));
      log.error("the port %d is taken", 7800);

      assertThat(seen.warnings()).containsExactly("the port 7800 is taken");
    }
  }

  @Test
  void otherChannelsKeepTheirLogs() {
    Log usual = LogFactory.getLog(QuietLogsTest.class);
    try (RecordedLog seen = RecordedLog.of(QuietLogsTest.class)) {
      usual.warn("of somebody else");

      assertThat(seen.warnings()).containsExactly("of somebody else");
    }
  }
}
