package dev.headrace.stream.operator;

import dev.headrace.stream.entry.EntryReducer;
import org.jspecify.annotations.Nullable;

/** Adds up the entries that a program chooses. For one thread. */
public final class GroupReducer implements EntryReducer {

  private final EntryFrame frame;
  private final @Nullable Matcher wanted;
  private final GroupTable result;
  private final long roomBytes;

  /**
   * Adds up into a result.
   *
   * @param roomBytes the most bytes that an entry with the result may have
   */
  public GroupReducer(Operators operators, EntryFrame frame, GroupTable result, long roomBytes) {
    this.frame = frame;
    wanted = operators.matcher();
    this.result = result;
    this.roomBytes = roomBytes;
  }

  @Override
  public void begin() {
    result.forgetNoted();
  }

  @Override
  public long note(byte[] page, int offset, int lengthBytes) {
    frame.turnTo(page, offset, lengthBytes);
    Matcher chosen = wanted;
    return chosen == null || chosen.matches(frame) ? result.note(frame, roomBytes) : 0;
  }

  @Override
  public int noted() {
    return result.noted();
  }

  @Override
  public void count() {
    result.countNoted();
  }
}
