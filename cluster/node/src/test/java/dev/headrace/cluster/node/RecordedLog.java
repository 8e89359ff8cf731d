package dev.headrace.cluster.node;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What a class logs while this is open: a test looks at it, and the build's output does not show
 * it. Thread-safe.
 */
public final class RecordedLog extends Handler implements AutoCloseable {
  private final Logger logger;
  private final @Nullable Level before;
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();

  private RecordedLog(Logger logger) {
    this.logger = logger;
    this.before = logger.getLevel();
  }

  /** Records until it is closed. */
  public static RecordedLog of(Class<?> writer) {
    RecordedLog log = new RecordedLog(Logger.getLogger(writer.getName()));
    log.logger.setUseParentHandlers(false);
    log.logger.setLevel(Level.INFO); // whatever other tests have told the loggers above
    log.logger.addHandler(log);
    return log;
  }

  /** The texts of warnings and errors, in order. */
  public List<String> warnings() {
    return records.stream()
        .filter(logged -> logged.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogRecord::getMessage)
        .toList();
  }

  /** How many entries carry an exception. */
  public long stackTraces() {
    return records.stream().filter(logged -> logged.getThrown() != null).count();
  }

  @Override
  public void publish(LogRecord logged) {
    records.add(logged);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setLevel(before);
    logger.setUseParentHandlers(true);
  }
}
