package dev.headrace.api.error;

/**
 * A file of settings, the environment or a program's own texts have a setting that does not exist
 * or a wrong value.
 */
public final class ConfigurationException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  private final String source;
  private final int line;
  private final String key;

  /**
   * An exception that names the place.
   *
   * @param message what is wrong, where, and what is allowed
   * @param source the file, {@code environment}, or what a program calls its own texts
   * @param line the line, counted from 1; 0 if there is none
   * @param key the setting or the environment variable; empty if the line has none
   */
  public ConfigurationException(String message, String source, int line, String key) {
    super(message);
    this.source = source;
    this.line = line;
    this.key = key;
  }

  /** The file, {@code environment}, or what a program calls its own texts. */
  public String source() {
    return source;
  }

  /** The line, counted from 1; 0 if there is none. */
  public int line() {
    return line;
  }

  /** The setting or the environment variable; empty if the line has none. */
  public String key() {
    return key;
  }
}
