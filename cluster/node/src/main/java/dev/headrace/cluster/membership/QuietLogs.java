package dev.headrace.cluster.membership;

import java.util.List;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Keeps JGroups to warnings where it logs through java.util.logging, unless the user has decided
 * otherwise; other logging systems are left to their own configuration.
 */
final class QuietLogs {
  // Held here, since java.util.logging forgets loggers, and their settings, that nobody holds.
  private static final Logger JGROUPS = Logger.getLogger("org.jgroups");
  private static final Logger GROUP = Logger.getLogger(Group.class.getName());
  private static final Logger TRANSPORT = Logger.getLogger(Connections.class.getName());

  /** What the transport reports, as if it were a fault, whenever a node or a connection goes. */
  private static final List<String> PARTINGS =
      List.of(
          "failed sending graceful close",
          "failed handling message: Stream closed",
          "JGRP000032"); // there is no address any more of somebody who is still being answered

  private QuietLogs() {}

  /** Sets a level and a filter where there are none. */
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
