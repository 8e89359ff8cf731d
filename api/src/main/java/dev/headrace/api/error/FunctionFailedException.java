package dev.headrace.api.error;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * A function of the user has thrown on a node, a codec has for it, or what it returned is too
 * large. A stream has ended; what was handed over until then is correct. A processor ({@code
 * Cache.process}) has left the entry as it was. What the function has thrown, and where, is in the
 * message.
 *
 * <p>Fix the function, or leave the entry out of the stream by a filter in front of it.
 */
public final class FunctionFailedException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  private final Call call;
  private final @Nullable String resumeToken;

  /**
   * Which call has failed.
   *
   * @param function the function's name
   * @param node the name of the node that ran it
   * @param key the entry's key as text, cut off if it is long
   */
  public record Call(String function, String node, String key) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  /**
   * The end of a stream, or of a call for one entry.
   *
   * @param message what happened and what to do
   * @param scope the cache
   * @param call which call has failed
   * @param resumeToken the stream's remaining work, with this entry; null of a reduction and of a
   *     processor
   */
  public FunctionFailedException(
      String message, FaultScope scope, Call call, @Nullable String resumeToken) {
    super(message, scope, null);
    this.call = call;
    this.resumeToken = resumeToken;
  }

  /** The same, with a token for the stream's remaining work. */
  public FunctionFailedException withResumeToken(String token) {
    FaultScope scope = new FaultScope(cache(), segments(), missingNodes());
    return new FunctionFailedException(String.valueOf(getMessage()), scope, call, token);
  }

  /** Which call has failed. */
  public Call call() {
    return call;
  }

  /**
   * The stream's remaining work, this entry included; see {@code CacheStream.resumeFrom}. Null of a
   * reduction and of a processor, which begin anew.
   */
  public @Nullable String resumeToken() {
    return resumeToken;
  }
}
