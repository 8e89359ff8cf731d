package dev.headrace.cluster.membership;

import java.util.List;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Limits JGroups' logging through java.util.logging to warnings, unless the user has set a level.
 * Other logging systems keep their own configuration.
 */
final class QuietLogs {
  // Held here, since java.util.logging forgets unreferenced loggers with their settings.
  private static final Logger JGROUPS = Logger.getLogger("org.jgroups");
  private static final Logger GROUP = Logger.getLogger(Group.class.getName());
  private static final Logger TRANSPORT = Logger.getLogger(Connections.class.getName());

  /** What the transport reports as a fault whenever a node leaves or a connection ends. */
  private static final List<String> PARTINGS =
      List.of(
          "failed sending graceful close",
          "failed handling message: Stream closed",
          "JGRP000032"); // the address of a node that is being answered is no longer known

  private QuietLogs() {}

  /** Sets a level and a filter if there are none. */
  static void apply() {
    for (Logger logger : List.of(JGROUPS, GROUP, TRANSPORT)) {
      if (logger.getLevel() == null) {
        logger.setLevel(Level.WARNING);
      }
    }
    if (TRANSPORT.getFilter() == null) {
      Filter noPartings = QuietLogs::isWorthReading;
      TRANSPORT.setFilter(noPartings);
    }
  }

  private static boolean isWorthReading(LogRecord entry) {
    String message = entry.getMessage();
    return message == null || PARTINGS.stream().noneMatch(message::contains);
  }
}
