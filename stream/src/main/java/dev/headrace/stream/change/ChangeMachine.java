package dev.headrace.stream.change;

import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership;
import dev.headrace.stream.entry.Cursor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One stream of changes as a machine: which owner is asked for what, and in which order answers
 * count. Owned by the drain; it knows no clock and no threads.
 *
 * <pre>
 * part         guard                                    effects
 * -----------  ---------------------------------------  ------------------------------------------
 * POSITION                                              changes are asked for from there on
 * CHANGES                                               handed over; while content is being read,
 *                                                       those up to the cursor
 * CONTENT      as of a number that is not stable, or    held; the changes up to that number are
 *              behind what was handed over              asked for
 * CONTENT      as of a number before what was handed    dropped; another owner is asked
 *              over
 * CONTENT      any other                                handed over; the cursor moves on
 * CHANGES      up to the number of what is held, and    handed over, and then what is held
 *              of its term
 * CHANGES      the same, of another term                handed over; what is held was undone, and
 *                                                       is asked for again
 * FORGOTTEN    another owner may retain more            that is asked
 * FORGOTTEN    none does                                the range that was handed over is replaced:
 *                                                       its content is read anew
 * UNDONE       only what is held was                    dropped, and asked for again
 * UNDONE       what was handed over was                 the range that was handed over is replaced
 * NOT_HELD     or no answer                             another owner is asked after a while
 * </pre>
 *
 * <p>This is why nothing is lost or told twice where content and changes meet. A batch of entries
 * is exactly what a range of the segment was after mutation R. Before it is handed over, the
 * changes up to R of all ranges before it are; after it, all that was handed over is as of R, and
 * changes go on behind R. A batch may contain mutations that a crash undoes, so it waits until
 * mutation R is known to be stable, in the term in which the batch saw it: then whatever is before
 * R is, too.
 */
final class ChangeMachine {
  /** After so long an owner that could not tell is asked again. */
  private static final long REST_NANOS = 10_000_000;

  private static final long MAX_REST_NANOS = 200_000_000;

  /** A node that has told little is given so long to gather more. */
  private static final long LINGER_NANOS = 3_000_000;

  /** A node is asked again after so long if it could not keep the question until there was more. */
  private static final long UNKEPT_NANOS = 5_000_000;

  /** How long nodes keep a question. Before the first write the owners are not final. */
  private static final int WAIT_MILLIS = 1_000;

  private static final int WAIT_BEFORE_FIRST_WRITE_MILLIS = 20;

  private final Terms terms;
  private final @Nullable SegmentFeed[] feeds;

  /** Those of which something came last stand last: answers have room for the first. */
  private final Set<SegmentFeed> turns;

  private final Supplier<String> token;
  private final Map<NodeId, NodeReads> nodes = new HashMap<>();
  private final Deque<Chunk> ready = new ArrayDeque<>();
  private int unpositioned;
  private long rests;
  private long alarmNanos;
  private boolean alarmed;

  /** Whether all segments were level when nodes were asked last. */
  private boolean level;

  /** Whether a node may be free to be asked since this was last done. */
  private boolean freed = true;

  private @Nullable Throwable failure;

  /**
   * What all questions of a stream have in common.
   *
   * @param reader what nodes recognise the stream by
   * @param batchBytes the most bytes buffered or in flight
   */
  record Terms(String cache, int format, int reader, boolean previous, int batchBytes) {}

  /** A question for a node. */
  record Question(NodeId node, ChangeQuery query) {}

  private static final class NodeReads {
    private @Nullable ChangeQuery asked;
    private @Nullable ChangeQuery interrupting;
    private long askedNanos;
    private int chunks;
    private long notBeforeNanos;
    private boolean rests;
  }

  /**
   * @param feeds by segment, ascending
   * @param token makes the resume token, for errors
   */
  ChangeMachine(Terms terms, Map<Integer, SegmentFeed> feeds, Supplier<String> token) {
    this.terms = terms;
    int last = feeds.keySet().stream().mapToInt(segment -> segment).max().orElse(-1);
    this.feeds = new SegmentFeed[last + 1];
    feeds.forEach((segment, feed) -> this.feeds[segment] = feed);
    this.turns = new LinkedHashSet<>(feeds.values());
    this.token = token;
    for (SegmentFeed feed : feeds.values()) {
      unpositioned += feed.next == 0 && feed.content == null ? 1 : 0;
    }
  }

  private @Nullable SegmentFeed feed(int segment) {
    return segment >= 0 && segment < feeds.length ? feeds[segment] : null;
  }

  /** Whether it is known of every segment from where on changes are told. */
  boolean started() {
    return unpositioned == 0;
  }

  /** Why the stream cannot go on; null if it can. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** When something is to be asked again although nothing has come; only if {@link #alarmed}. */
  long alarmNanos() {
    return alarmNanos;
  }

  boolean alarmed() {
    return alarmed;
  }

  // ---- Questions

  /**
   * Whether there may be something to ask although something is ready: each node's answer has many
   * chunks, and looking at all segments after each of them would cost more than these.
   */
  boolean mayAsk() {
    return freed;
  }

  /** What to ask now. */
  List<Question> ask(Ownership.View view, long nowNanos) {
    alarmed = false;
    freed = false;
    level = false;
    boolean all = true;
    Map<NodeId, List<ChangeQuery.Part>> parts = new LinkedHashMap<>();
    for (SegmentFeed feed : turns) {
      if (view.incarnation(feed.segment) != feed.incarnation) {
        lost(feed);
        return List.of();
      }
      all &= feed.isLevel();
      if (!feed.idle(nowNanos)) {
        if (feed.rests && !feed.asked && feed.ready.isEmpty()) {
          wakeAt(feed.notBeforeNanos);
        }
        continue;
      }
      int owners = view.ownerCount(feed.segment);
      if (owners == 0) {
        all = false;
        wakeAt(nowNanos + MAX_REST_NANOS);
        continue;
      }
      NodeId node = view.owner(feed.segment, feed.owner % owners);
      if (!isFree(node, nowNanos)) {
        continue;
      }
      List<ChangeQuery.Part> ofNode = parts.computeIfAbsent(node, first -> new ArrayList<>());
      if (ofNode.size() < ChangeQuery.MAX_PARTS) {
        ofNode.add(feed.question());
      }
    }
    level = all;
    if (parts.isEmpty()) {
      return List.of();
    }
    int share = Math.max(1, terms.batchBytes / Math.max(1, 2 * primaries(view)));
    int waitMillis = view.written() ? WAIT_MILLIS : WAIT_BEFORE_FIRST_WRITE_MILLIS;
    List<Question> questions = new ArrayList<>();
    parts.forEach(
        (node, ofNode) ->
            questions.add(new Question(node, begin(node, ofNode, share, waitMillis, nowNanos))));
    return questions;
  }

  private int primaries(Ownership.View view) {
    Set<NodeId> primaries = new HashSet<>();
    for (SegmentFeed feed : turns) {
      if (view.ownerCount(feed.segment) > 0) {
        primaries.add(view.owner(feed.segment, 0));
      }
    }
    return primaries.size();
  }

  /** Whether a node may be asked now; if it rests, it is asked later. */
  private boolean isFree(NodeId node, long nowNanos) {
    NodeReads reads = nodes.get(node);
    if (reads == null) {
      return true;
    } else if (reads.interrupting != null || reads.chunks > 0) {
      return false;
    }
    boolean rests = reads.rests && nowNanos - reads.notBeforeNanos < 0;
    if (rests) {
      wakeAt(reads.notBeforeNanos);
    }
    return !rests;
  }

  /**
   * A node has one question at a time, which may wait there. If there is more to ask meanwhile, a
   * second one ends that wait, so that the next one asks for everything.
   */
  private ChangeQuery begin(
      NodeId node, List<ChangeQuery.Part> parts, int bytes, int waitMillis, long nowNanos) {
    NodeReads reads = nodes.computeIfAbsent(node, first -> new NodeReads());
    boolean interrupts = reads.asked != null;
    ChangeQuery query =
        new ChangeQuery(
            terms.cache,
            terms.format,
            terms.reader,
            terms.previous,
            bytes,
            interrupts ? 0 : waitMillis,
            parts);
    for (ChangeQuery.Part part : parts) {
      SegmentFeed feed = feed(part.segment());
      if (feed != null) {
        feed.asked = true;
      }
    }
    if (interrupts) {
      reads.interrupting = query;
    } else {
      reads.asked = query;
      reads.askedNanos = nowNanos;
    }
    return query;
  }

  private void wakeAt(long nanos) {
    if (!alarmed || nanos - alarmNanos < 0) {
      alarmNanos = nanos;
      alarmed = true;
    }
  }

  // ---- Answers

  /** A node has answered, or will not. */
  @SuppressWarnings("ReferenceEquality") // Which of two questions it is, not what it asks.
  void answered(Question question, @Nullable ChangeAnswer answer, long nowNanos) {
    NodeReads reads = nodes.computeIfAbsent(question.node, first -> new NodeReads());
    if (reads.asked == question.query) {
      reads.asked = null;
    } else {
      reads.interrupting = null;
    }
    boolean isFull = answer != null && isFull(question.query, answer);
    for (ChangeQuery.Part part : question.query.parts()) {
      SegmentFeed feed = feed(part.segment());
      if (feed != null) {
        feed.asked = false;
        feed.behind = isFull;
        if (answer == null) {
          another(feed, nowNanos);
        }
      }
    }
    if (answer == null) {
      freed = true;
      return;
    }
    pace(reads, question.query, answer, nowNanos);
    BitSet told = new BitSet();
    for (ChangeAnswer.Part part : answer.parts()) {
      if (feed(part.segment()) != null) {
        told.set(part.segment());
      }
    }
    for (ChangeQuery.Part part : question.query.parts()) {
      SegmentFeed feed = feed(part.segment());
      if (feed != null && !told.get(part.segment())) {
        feed.owner = 0; // a backup may hear late of what is stable
      }
    }
    int from = 0;
    for (ChangeAnswer.Part part : answer.parts()) {
      SegmentFeed feed = feed(part.segment());
      if (feed != null && feed.ready.isEmpty() && failure == null) {
        if (part.length() > 0) {
          turns.remove(feed);
          turns.add(feed);
        }
        take(feed, question, part, answer.bytes(), from, nowNanos);
      }
      from += part.length();
    }
    freed |= reads.chunks == 0; // else the node is free when these are consumed
  }

  /**
   * Whether there may be more than was told. An answer that ended before a change of more than half
   * its room is not recognised: the reader counts as level until that change comes.
   */
  private static boolean isFull(ChangeQuery query, ChangeAnswer answer) {
    return answer.bytes().length > Math.min(query.maxBytes(), ChangeAnswer.MAX_BYTES) / 2;
  }

  private static void pace(NodeReads reads, ChangeQuery query, ChangeAnswer answer, long nowNanos) {
    long pauseNanos = answer.bytes().length < query.maxBytes() / 4 ? LINGER_NANOS : 0;
    boolean soon = nowNanos - reads.askedNanos < 500_000L * query.waitMillis();
    if (answer.parts().isEmpty() && soon) {
      pauseNanos = UNKEPT_NANOS;
    }
    boolean goesOn = answer.parts().stream().anyMatch(part -> isFollowed(part.status()));
    if (goesOn) {
      pauseNanos = 0;
    }
    reads.rests = pauseNanos > 0;
    reads.notBeforeNanos = nowNanos + pauseNanos;
  }

  /** Whether there is more to ask as soon as an answer has come. */
  private static boolean isFollowed(ChangeAnswer.Status status) {
    return switch (status) {
      case CONTENT, CONTENT_END, POSITION, FORGOTTEN, UNDONE -> true;
      default -> false;
    };
  }

  private void take(
      SegmentFeed feed,
      Question question,
      ChangeAnswer.Part part,
      byte[] bytes,
      int from,
      long nowNanos) {
    NodeId node = question.node;
    switch (part.status()) {
      case POSITION -> {
        if (feed.next == 0 && feed.content == null) {
          feed.next = part.next();
          feed.term = part.term();
          unpositioned--;
        }
        succeeded(feed);
      }
      case CHANGES -> changes(feed, node, part, bytes, from);
      case CONTENT, CONTENT_END -> {
        if (feed.content != null && feed.held == null) {
          entries(feed, node, part, bytes, from, nowNanos);
        }
      }
      case FORGOTTEN -> forgotten(feed, node, nowNanos);
      case UNDONE -> undone(feed, node, part.next());
      case NOT_HELD -> another(feed, nowNanos);
      case WRONG_FORMAT ->
          failure =
              new CodecException(
                  "Cache \"%s\" holds keys or values of another format: open it with the codecs that wrote it"
                      .formatted(terms.cache),
                  FaultScope.ofCache(terms.cache));
      case NOT_RETAINED ->
          failure =
              unavailable(
                  "node %s retains no changes: set retainedChanges above 0 on every node", node);
      case NO_PREVIOUS ->
          failure =
              unavailable(
                  "node %s retains no previous values: set retainedChanges with previousValues on"
                      + " every node, or leave withPrevious out",
                  node);
    }
  }

  private HeadraceException unavailable(String reason, NodeId node) {
    return new UnavailableException(
        "The changes of \"%s\" cannot be told: ".formatted(terms.cache) + reason.formatted(node),
        FaultScope.ofCache(terms.cache));
  }

  private void lost(SegmentFeed feed) {
    failure =
        new StreamInterruptedException(
            "The changes of \"%s\" cannot go on: segment %d has lost its content with all its owners. What was handed over is correct; begin anew, with the content"
                .formatted(terms.cache, feed.segment),
            FaultScope.ofSegment(terms.cache, feed.segment),
            token.get(),
            null);
  }

  private void succeeded(SegmentFeed feed) {
    feed.owner = 0;
    feed.forgottenBy = 0;
    feed.rests = false;
    rests = 0;
  }

  private void another(SegmentFeed feed, long nowNanos) {
    feed.owner++;
    feed.behind = true;
    rests = Math.min(MAX_REST_NANOS, Math.max(REST_NANOS, rests + rests / 64));
    feed.rest(nowNanos + rests);
  }

  private void changes(
      SegmentFeed feed, NodeId node, ChangeAnswer.Part part, byte[] bytes, int from) {
    succeeded(feed);
    SegmentFeed.Held waiting = feed.held;
    if (waiting == null || !feed.atStart()) {
      Cursor upTo = feed.content;
      add(
          new Chunk(
              feed,
              node,
              Chunk.What.CHANGES,
              bytes,
              from,
              from + part.length(),
              part.next(),
              part.term(),
              upTo));
    }
    if (waiting != null && part.next() > waiting.sequence()) {
      feed.held = null;
      if (part.term() == waiting.term()) {
        release(feed, node, waiting);
      }
    }
  }

  private void entries(
      SegmentFeed feed,
      NodeId node,
      ChangeAnswer.Part part,
      byte[] bytes,
      int from,
      long nowNanos) {
    long sequence = part.next() - 1;
    boolean begun = !feed.atStart();
    boolean level = begun && feed.next == part.next();
    boolean differs = level && feed.term >= 0 && feed.term != part.term();
    if (differs || (begun && feed.next > part.next())) {
      another(feed, nowNanos); // it lacks changes that were handed over
      return;
    }
    succeeded(feed);
    Cursor end = part.status() == ChangeAnswer.Status.CONTENT ? part.cursor() : null;
    SegmentFeed.Held come =
        new SegmentFeed.Held(bytes, from, from + part.length(), sequence, part.term(), end);
    if (level || (part.stable() && !begun)) {
      release(feed, node, come);
    } else {
      feed.held = come;
    }
  }

  private void release(SegmentFeed feed, NodeId node, SegmentFeed.Held held) {
    add(
        new Chunk(
            feed,
            node,
            Chunk.What.ENTRIES,
            held.bytes(),
            held.from(),
            held.to(),
            held.sequence() + 1,
            held.term(),
            held.end()));
  }

  /** A node that knows no more by what entries could be verified is asked for them itself. */
  private void forgotten(SegmentFeed feed, NodeId node, long nowNanos) {
    boolean verifying = feed.held != null && feed.atStart();
    if (verifying) {
      feed.held = null;
      feed.rest(nowNanos + REST_NANOS);
      return;
    }
    feed.owner++;
    feed.forgottenBy++;
    if (feed.forgottenBy > 1) {
      replace(feed, node);
    }
  }

  /**
   * @param first the first mutation that was undone, as far as the node knows; else 0
   */
  private void undone(SegmentFeed feed, NodeId node, long first) {
    boolean onlyHeld = feed.held != null && (feed.atStart() || first >= feed.next);
    if (onlyHeld) {
      feed.held = null;
      succeeded(feed);
    } else if (!feed.atStart()) {
      replace(feed, node);
    }
  }

  private void replace(SegmentFeed feed, NodeId node) {
    feed.held = null;
    feed.forgottenBy = 0;
    feed.owner = 0;
    add(new Chunk(feed, node, Chunk.What.REPLACEMENT, NOTHING, 0, 0, 0, -1, feed.content));
  }

  private static final byte[] NOTHING = {};

  // ---- What is ready

  /**
   * Whether all that has happened was handed over when this machine asked last, as far as nodes
   * have told: each segment has an owner, which has been asked for more and had no more before.
   */
  boolean isLevel() {
    return level && ready.isEmpty();
  }

  private void add(Chunk chunk) {
    chunk.feed().ready.add(chunk);
    ready.add(chunk);
    NodeReads reads = nodes.get(chunk.node());
    if (reads != null) {
      reads.chunks++;
    }
  }

  /** The next chunk to be handed over; null if there is none. */
  @Nullable Chunk poll() {
    return ready.poll();
  }

  /** A chunk was handed over to its end; the place in its segment is behind it. */
  void consumed(Chunk chunk) {
    SegmentFeed feed = chunk.feed();
    switch (chunk.what()) {
      case CHANGES -> {
        feed.next = chunk.next();
        feed.term = chunk.term();
      }
      case ENTRIES -> {
        feed.next = chunk.next();
        feed.term = chunk.term();
        feed.content = chunk.cursor();
      }
      case REPLACEMENT -> {
        feed.next = 0;
        feed.term = -1;
        feed.content = Cursor.START;
      }
    }
    feed.ready.remove(chunk);
    NodeReads reads = nodes.get(chunk.node());
    if (reads != null && --reads.chunks == 0) {
      freed = true;
    }
  }
}
