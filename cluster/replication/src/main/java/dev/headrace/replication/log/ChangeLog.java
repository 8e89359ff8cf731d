package dev.headrace.replication.log;

import dev.headrace.stream.change.ChangeKind;
import dev.headrace.stream.change.ChangeLayout;
import dev.headrace.stream.entry.EncodedEntry;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * What an owner retains of a segment's changes: the end of its history once more, but only what
 * readers of changes are told, as bytes in blocks. It outlives what owners need for each other
 * ({@link RecentMutations}), and is dropped block by block when the node retains too much ({@link
 * ChangeRetention}).
 *
 * <p>Changes are recorded as they are applied, and told when they are stable: when every owner has
 * them, so that no crash undoes them. Up to where they are, the primary knows by what it has
 * acknowledged, and a backup by what the primary tells it with each mutation.
 *
 * <p>Written in the lane. The monitor of this object, under which nothing but that of the retention
 * is locked, guards its fields: readers come from any thread, and blocks are dropped from the lanes
 * of other segments.
 *
 * <p>Invariants: every change of the numbers {@code first} to {@code last} is in the blocks, in
 * order; a mutation that changed nothing has a number and no bytes.
 */
public final class ChangeLog {
  static final int MAX_BLOCK_BYTES = 32 << 10;
  private static final int FIRST_BLOCK_BYTES = 256;

  /** So far apart are the places in a block that are found without a walk, about. */
  private static final int BYTES_PER_MARK = 1 << 10;

  private static final byte[] NOTHING = {};

  private final ChangeRetention retention;
  private final Deque<Block> blocks = new ArrayDeque<>(2);

  /** From which number on which term holds, ascending; the first holds before {@code first}. */
  private final Deque<TermStart> terms = new ArrayDeque<>(2);

  private long first = 1;
  private long last;
  private long stable;

  /** Guarded by the lane. */
  private boolean advanced;

  private record TermStart(long sequence, long term) {}

  ChangeLog(ChangeRetention retention) {
    this.retention = retention;
    terms.add(new TermStart(0, 0));
  }

  /** Some changes in a row of one log. Guarded by the log. */
  static final class Block {
    private final ChangeLog log;
    private byte[] bytes;
    private int used;
    private long lastSequence;
    private boolean dropped;

    /** The numbers of some changes, and where these begin: what is looked for is near one. */
    private long[] markSequences = new long[2];

    private int[] markOffsets = new int[2];
    private int marks;

    private Block(ChangeLog log, int capacity) {
      this.log = log;
      this.bytes = new byte[capacity];
    }

    void drop() {
      log.drop(this);
    }

    /** A change is about to be written behind the others. */
    private void mark(long sequence) {
      if (marks > 0 && used - markOffsets[marks - 1] < BYTES_PER_MARK) {
        return;
      }
      if (marks == markOffsets.length) {
        markSequences = Arrays.copyOf(markSequences, 2 * marks);
        markOffsets = Arrays.copyOf(markOffsets, 2 * marks);
      }
      markSequences[marks] = sequence;
      markOffsets[marks++] = used;
    }

    /** Where the first change of a number or above it begins. */
    private int offsetOf(long sequence) {
      int mark = Arrays.binarySearch(markSequences, 0, marks, sequence);
      int before = mark >= 0 ? mark : Math.max(0, -mark - 2);
      int at = marks == 0 ? 0 : markOffsets[before];
      while (at < used && ChangeLayout.sequence(bytes, at) < sequence) {
        at = ChangeLayout.end(bytes, at);
      }
      return at;
    }
  }

  /**
   * What can be told of changes from a number on.
   *
   * @param forgotten whether the first that was asked for is not retained any more
   * @param next the number behind what is told
   * @param term the term of the mutation before that; -1 if it is not known
   * @param bytes the changes
   */
  @SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
  public record Excerpt(boolean forgotten, long next, long term, byte[] bytes) {}

  // ---- Written in the lane

  /** Nothing is known but where the history stands; what was retained is dropped. */
  synchronized void restart(long sequence, long term, long stableSequence) {
    for (Block block : blocks) {
      forget(block);
    }
    blocks.clear();
    terms.clear();
    terms.add(new TermStart(sequence, term));
    first = sequence + 1;
    last = sequence;
    stable = stableSequence;
  }

  /** The next mutation changed nothing. */
  synchronized void skip(long sequence, long term) {
    follow(sequence, term);
  }

  /** Whether anything is retained; if not, {@link #pass} will do for what changed much. */
  boolean retains() {
    return retention.retains();
  }

  /** The next mutation has several numbers, and nothing of it is retained. */
  synchronized void pass(long from, long to, long term) {
    follow(from, term);
    last = to;
    first = to + 1;
  }

  /**
   * Records what the next mutation has put, which has a number for each entry.
   *
   * @param puts the entries; null for those that were left as they were
   * @param created whether the key was absent before
   * @param previous the values before, null where there was none; null if they are not retained
   */
  void addPuts(
      long from,
      long term,
      @Nullable EncodedEntry[] puts,
      boolean[] created,
      byte @Nullable [] @Nullable [] previous) {
    synchronized (this) {
      for (int i = 0; i < puts.length; i++) {
        follow(from + i, term);
        EncodedEntry entry = puts[i];
        if (entry != null) {
          ChangeKind kind = created[i] ? ChangeKind.CREATED : ChangeKind.UPDATED;
          addPut(kind, from + i, term, entry, previous == null ? null : previous[i]);
        }
      }
    }
    retention.shrink();
  }

  /** The caller holds the monitor. */
  private void addPut(
      ChangeKind kind, long sequence, long term, EncodedEntry entry, byte @Nullable [] before) {
    Block block = blockFor((int) ChangeLayout.bytes(sequence, term, entry, before));
    block.mark(sequence);
    block.used = ChangeLayout.write(block.bytes, block.used, kind, sequence, term, entry, before);
    block.lastSequence = sequence;
  }

  /**
   * Records what the next mutation changed.
   *
   * @param value null unless the kind has one
   * @param previous null if it is not known or not retained
   */
  void add(
      ChangeKind kind,
      long sequence,
      long term,
      byte[] key,
      byte @Nullable [] value,
      byte @Nullable [] previous) {
    synchronized (this) {
      follow(sequence, term);
      if (!retention.retains()) {
        first = sequence + 1;
        return;
      }
      int length = (int) ChangeLayout.bytes(sequence, term, key, value, previous);
      Block block = blockFor(length);
      block.mark(sequence);
      block.used =
          ChangeLayout.write(block.bytes, block.used, kind, sequence, term, key, value, previous);
      block.lastSequence = sequence;
    }
    retention.shrink();
  }

  private void follow(long sequence, long term) {
    if (sequence != last + 1) {
      restart(sequence - 1, -1, stable);
    }
    TermStart newest = terms.peekLast();
    if (newest == null || newest.term != term) {
      terms.addLast(new TermStart(sequence, term));
    }
    last = sequence;
  }

  private Block blockFor(int length) {
    Block block = blocks.peekLast();
    if (block != null && block.used + length <= block.bytes.length) {
      return block;
    }
    int most = retention.blockBytes();
    if (block != null && block.used + length <= most) {
      int wanted = Math.max(block.used + length, 2 * block.bytes.length);
      int capacity = Math.min(most, wanted);
      retention.took(capacity - block.bytes.length);
      block.bytes = Arrays.copyOf(block.bytes, capacity);
      return block;
    }
    int capacity = Math.max(length, Math.min(most, FIRST_BLOCK_BYTES));
    Block begun = new Block(this, block == null ? capacity : Math.max(length, most));
    retention.took(begun.bytes.length);
    retention.begun(begun);
    blocks.addLast(begun);
    return begun;
  }

  /** Up to here every owner has the history. */
  void stable(long sequence) {
    if (sequence > stable) { // only the lane writes it
      synchronized (this) {
        stable = sequence;
      }
      advanced = true;
    }
  }

  /** Whether more has become stable since this was last asked; for those that wait for changes. */
  public boolean takeAdvanced() {
    boolean has = advanced;
    advanced = false;
    return has;
  }

  // ---- The bound

  private synchronized void drop(Block block) {
    if (block.dropped) {
      return;
    }
    // Blocks of a log are begun in order, so this is its first.
    blocks.remove(block);
    forget(block);
    first = Math.max(first, block.lastSequence + 1);
    while (terms.size() > 1 && secondTermStart() < first) {
      terms.removeFirst();
    }
  }

  private long secondTermStart() {
    Iterator<TermStart> all = terms.iterator();
    all.next();
    return all.next().sequence;
  }

  private void forget(Block block) {
    block.dropped = true;
    retention.ended(block);
    retention.gaveBack(block.bytes.length);
    block.bytes = NOTHING;
  }

  // ---- Read on any thread

  /** The number of the last mutation that can be told. */
  public synchronized long lastStable() {
    return Math.min(stable, last);
  }

  /** The term of a mutation, or -1 if it is not known. */
  public synchronized long term(long sequence) {
    if (sequence > last || sequence < first - 1) {
      return -1;
    }
    TermStart newest = terms.peekLast();
    if (newest != null && newest.sequence <= sequence) {
      return newest.term;
    }
    long term = -1;
    for (TermStart start : terms) {
      if (start.sequence > sequence) {
        break;
      }
      term = start.term;
    }
    return term;
  }

  /**
   * Whether there is nothing to tell from a number on, to a reader who was told the same history.
   *
   * @param term what the reader knows as the term of the mutation before that
   */
  public synchronized boolean isQuiet(long next, long term) {
    return next > Math.min(stable, last)
        && next <= last + 1
        && next >= first
        && term >= 0
        && term == term(next - 1);
  }

  /**
   * The stable changes from a number on.
   *
   * @param next the first that is wanted, at least 1
   * @param limit the last that is wanted
   * @param maxBytes the most bytes, or a single larger change
   */
  public synchronized Excerpt read(long next, long limit, int maxBytes) {
    if (next < first) {
      return new Excerpt(true, first, -1, NOTHING);
    }
    long to = Math.min(limit, Math.min(stable, last));
    if (next > to) {
      return new Excerpt(false, next, term(next - 1), NOTHING);
    }
    long reached = to + 1;
    byte[] told = NOTHING;
    for (Block block : blocks) {
      if (block.lastSequence < next) {
        continue;
      }
      int start = block.offsetOf(next);
      int end = start;
      long stop = 0;
      while (end < block.used && stop == 0) {
        long sequence = ChangeLayout.sequence(block.bytes, end);
        int behind = ChangeLayout.end(block.bytes, end);
        boolean fits = told.length + behind - start <= maxBytes || told.length + end == start;
        if (sequence > to || !fits) {
          stop = sequence;
        } else {
          end = behind;
        }
      }
      told = append(told, block.bytes, start, end);
      if (stop != 0) {
        reached = Math.min(reached, stop);
        break;
      }
    }
    return new Excerpt(false, reached, term(reached - 1), told);
  }

  private static byte[] append(byte[] told, byte[] bytes, int from, int to) {
    byte[] longer = Arrays.copyOf(told, told.length + to - from);
    System.arraycopy(bytes, from, longer, told.length, to - from);
    return longer;
  }
}
