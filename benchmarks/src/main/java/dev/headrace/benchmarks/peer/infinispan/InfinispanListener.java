package dev.headrace.benchmarks.peer.infinispan;

import java.util.function.Consumer;
import org.infinispan.notifications.Listener;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryCreated;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryModified;
import org.infinispan.notifications.cachelistener.event.CacheEntryCreatedEvent;
import org.infinispan.notifications.cachelistener.event.CacheEntryModifiedEvent;

/** A clustered listener of Infinispan's, as it is by default: writes wait for it. */
@Listener(clustered = true)
public final class InfinispanListener {
  private final Consumer<byte[]> told;

  InfinispanListener(Consumer<byte[]> told) {
    this.told = told;
  }

  /** A key was written for the first time. */
  @CacheEntryCreated
  public void created(CacheEntryCreatedEvent<String, byte[]> event) {
    told.accept(event.getValue());
  }

  /** A key was written again. */
  @CacheEntryModified
  public void modified(CacheEntryModifiedEvent<String, byte[]> event) {
    told.accept(event.getNewValue());
  }
}
