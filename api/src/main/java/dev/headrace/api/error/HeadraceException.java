package dev.headrace.api.error;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The root of everything that Headrace throws about itself. Its message is for people: what
 * happened, to what, and what to do next. Its fields are for programs: {@link #isRetryable}, and,
 * where they are known, {@link #cache}, {@link #segments} and {@link #missingNodes}.
 *
 * <p>What to do is told by the types. An exception of this type itself comes from settings or an
 * environment in which a node cannot work, or from a thread that was interrupted while it waited
 * for a read: change what the message names.
 */
public class HeadraceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final FaultScope scope;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public HeadraceException(String message) {
    this(message, FaultScope.NONE, null);
  }

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   * @param cause what led to it
   */
  public HeadraceException(String message, Throwable cause) {
    this(message, FaultScope.NONE, cause);
  }

  /**
   * An exception about something.
   *
   * @param message what happened and what to do
   * @param scope what it is about
   * @param cause what led to it, or null; without one {@link #initCause} can add it
   */
  public HeadraceException(String message, FaultScope scope, @Nullable Throwable cause) {
    super(message);
    this.scope = scope;
    if (cause != null) {
      initCause(cause);
    }
  }

  /**
   * Whether the call has had no effect, and the same call may succeed later without a change of the
   * program or its settings: when nodes are back, segments have their owners again, or others need
   * less. A program may wait and try again; how long that takes is not known. For a method over
   * many keys it is about the key that failed: others may have been written, and can be written
   * again.
   */
  public boolean isRetryable() {
    return false;
  }

  /** The name of the cache that it is about; null if it is about none, or about all. */
  public @Nullable String cache() {
    return scope.cache();
  }

  /** The numbers of the segments that it is about, in order; empty if that is not known. */
  public List<Integer> segments() {
    return scope.segments();
  }

  /**
   * The names of nodes whose absence or silence is the reason, as far as this node knows; empty if
   * there are none, or it does not know. They are those of {@code NodeSettings.nodeName}.
   */
  public List<String> missingNodes() {
    return scope.missingNodes();
  }
}
