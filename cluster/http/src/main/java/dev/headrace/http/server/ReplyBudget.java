package dev.headrace.http.server;

import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.Problems;
import dev.headrace.http.exchange.Verb;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of all replies of a port that are known as a whole and wait for their readers. A reply
 * of any size goes if no other one is counted. Thread-safe.
 */
final class ReplyBudget {
  /** Replies of at most so many bytes go in any case, and are not counted. */
  static final int SMALL_BYTES = 8 << 10;

  private final long mostBytes;
  private final AtomicLong used = new AtomicLong();

  /** A budget of so many bytes, of which none are used. */
  ReplyBudget(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /**
   * The bytes that a reply has counted, which are to be given back.
   *
   * @param verb of the request
   */
  static long countedBytes(Verb verb, HttpReply reply) {
    int bytes = reply.body().length;
    return verb == Verb.HEAD || bytes <= SMALL_BYTES ? 0 : bytes;
  }

  /**
   * Takes what a reply needs. Whatever was changed has to be told, so only reads are refused.
   *
   * @return the reply, or 503 if there is no room for it
   */
  HttpReply admit(Verb verb, HttpReply reply) {
    long bytes = countedBytes(verb, reply);
    long now = used.addAndGet(bytes);
    if (bytes == 0 || bytes == now || now <= mostBytes || verb != Verb.GET) {
      return reply;
    }
    used.addAndGet(-bytes);
    return Problems.reply(
        new ProblemException(
                503, "Too much waits for clients that read slowly; ask again a little later")
            .with("retry-after", "1"));
  }

  /** Gives back what a reply has counted. */
  void release(long bytes) {
    used.addAndGet(-bytes);
  }
}
