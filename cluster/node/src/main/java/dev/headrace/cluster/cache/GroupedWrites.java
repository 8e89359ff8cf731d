package dev.headrace.cluster.cache;

import dev.headrace.replication.client.EncodedWrites;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.client.WriteGroups;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes few operations of many writes, some thousands at a time: those of one segment are one, and
 * those for one node follow each other. Used by one thread at a time.
 */
final class GroupedWrites implements Iterator<Request> {
  private final Iterator<EncodedWrites> slices;
  private final Function<EncodedWrites, WriteGroups> grouping;
  private final Requests<?, ?> requests;
  private @Nullable WriteGroups groups;
  private int next;

  /**
   * @param slices none of which is empty; taken one by one, perhaps ahead of {@link #next}
   */
  GroupedWrites(
      Iterator<EncodedWrites> slices,
      Function<EncodedWrites, WriteGroups> grouping,
      Requests<?, ?> requests) {
    this.slices = slices;
    this.grouping = grouping;
    this.requests = requests;
  }

  @Override
  public boolean hasNext() {
    return (groups != null && next < groups.count()) || slices.hasNext();
  }

  @Override
  public Request next() {
    WriteGroups present = groups;
    if (present == null || next == present.count()) {
      if (!slices.hasNext()) {
        throw new NoSuchElementException("all writes were taken");
      }
      present = grouping.apply(slices.next());
      groups = present;
      next = 0;
    }
    return requests.put(present, next++);
  }
}
