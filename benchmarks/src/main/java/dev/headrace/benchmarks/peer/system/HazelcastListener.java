package dev.headrace.benchmarks.peer.system;

import com.hazelcast.core.EntryEvent;
import com.hazelcast.map.listener.EntryAddedListener;
import com.hazelcast.map.listener.EntryUpdatedListener;
import java.util.function.Consumer;

/** An entry listener of Hazelcast's, with values. Its event threads call it. */
record HazelcastListener(Consumer<byte[]> told)
    implements EntryAddedListener<String, byte[]>, EntryUpdatedListener<String, byte[]> {

  @Override
  public void entryAdded(EntryEvent<String, byte[]> event) {
    told.accept(event.getValue());
  }

  @Override
  public void entryUpdated(EntryEvent<String, byte[]> event) {
    told.accept(event.getValue());
  }
}
