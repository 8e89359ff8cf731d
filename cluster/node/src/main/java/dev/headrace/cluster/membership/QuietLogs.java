package dev.headrace.cluster.membership;

import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jgroups.logging.CustomLogFactory;
import org.jgroups.logging.Log;
import org.jgroups.logging.LogFactory;
import org.jgroups.logging.Slf4jLogImpl;
import org.jspecify.annotations.Nullable;

/**
 * Keeps JGroups' noise out of the logs of nodes. What it tells and warns of goes to DEBUG, since a
 * node says itself what an operator must know; what it calls an error is a warning, or nothing if
 * it only says that a node has left. Everything goes to SLF4J. Other channels of the process keep
 * their logs. Thread-safe.
 */
final class QuietLogs {

  /** What the transport reports as a fault whenever a node leaves or a connection ends. */
  private static final List<String> PARTINGS =
      List.of(
          "failed sending graceful close",
          "failed handling message: Stream closed",
          "JGRP000032"); // the address of a node that is being answered is no longer known

  private QuietLogs() {}

  /** Makes protocols, or a channel, that log so: JGroups finds a log for each when it is made. */
  static synchronized <T> T during(Supplier<T> making) {
    CustomLogFactory before = LogFactory.getCustomLogFactory();
    LogFactory.setCustomLogFactory(
        new CustomLogFactory() {
          @Override
          public Log getLog(Class<?> type) {
            return new QuietLog(type.getName());
          }

          @Override
          public Log getLog(String category) {
            return new QuietLog(category);
          }
        });
    try {
      return making.get();
    } finally {
      LogFactory.setCustomLogFactory(before);
    }
  }

  private static boolean tellsOfParting(@Nullable String message) {
    return message != null && PARTINGS.stream().anyMatch(message::contains);
  }

  /** Demotes what comes, and formats only what somebody reads: JGroups' own log formats all. */
  private static final class QuietLog extends Slf4jLogImpl {
    QuietLog(String category) {
      super(category);
    }

    @Override
    public void trace(String format, Object... arguments) {
      if (isTraceEnabled()) {
        super.trace(format, arguments);
      }
    }

    @Override
    public void debug(String format, Object... arguments) {
      if (isDebugEnabled()) {
        super.debug(format, arguments);
      }
    }

    @Override
    public boolean isInfoEnabled() {
      return isDebugEnabled();
    }

    @Override
    public boolean isWarnEnabled() {
      return isDebugEnabled();
    }

    @Override
    public void info(String message) {
      debug(message);
    }

    @Override
    public void info(String format, Object... arguments) {
      debug(format, arguments);
    }

    @Override
    public void warn(String message) {
      debug(message);
    }

    @Override
    public void warn(String format, Object... arguments) {
      debug(format, arguments);
    }

    @Override
    public void warn(String message, Throwable cause) {
      debug(message, cause);
    }

    @Override
    public void error(String message) {
      error(message, new Object[0]);
    }

    @Override
    public void error(String format, Object... arguments) {
      String message =
          arguments.length == 0 ? format : String.format(Locale.ROOT, format, arguments);
      if (tellsOfParting(message)) {
        debug(message);
      } else {
        super.warn(message);
      }
    }

    @Override
    public void error(String message, Throwable cause) {
      if (tellsOfParting(message + ": " + cause.getMessage())) {
        debug(message, cause);
      } else {
        super.warn(message, cause);
      }
    }
  }
}
