package dev.headrace.cluster.node;

import dev.headrace.api.Cache;
import dev.headrace.api.stream.Change;
import dev.headrace.api.stream.ChangeListener;
import dev.headrace.api.stream.CloseableIterator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** The Reactive Streams rules for the publisher of changes, which has no end. */
public class ChangeVerificationTest extends PublisherVerification<Change<Integer, String>> {
  private static final int ENTRIES = 3_000;

  /** A bound on hangs. */
  private static final int LIMIT_MILLIS = 60_000;

  /** How long nothing may come where nothing must come. */
  private static final int SILENCE_MILLIS = 100;

  /**
   * How often it is looked whether an error has come: the TCK waits for so long, whatever comes.
   */
  private static final int POLL_MILLIS = 50;

  /** How long a cancelled stream has for letting go of its subscriber before each collection. */
  private static final int GC_MILLIS = 300;

  /** A bound on hangs, of a minute and more. */
  private static final int MOST_COLLECTIONS = 150;

  private NodeCluster cluster;
  private Cache<Integer, String> cache;
  private String foreignToken;

  public ChangeVerificationTest() {
    super(new TestEnvironment(LIMIT_MILLIS, SILENCE_MILLIS, POLL_MILLIS), GC_MILLIS);
  }

  @BeforeClass
  public void start() {
    try (NodeCluster other = NodeCluster.of(1)) {
      foreignToken = token(fill(other));
    }
    cluster = NodeCluster.of(2);
    cache = fill(cluster);
  }

  @AfterClass
  public void stop() {
    cluster.close();
  }

  private static Cache<Integer, String> fill(NodeCluster cluster) {
    Cache<Integer, String> cache = cluster.node(0).cache("c", Integer.class, String.class);
    Map<Integer, String> content = new HashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      content.put(i, "value " + i);
    }
    cache.putAll(content);
    return cache;
  }

  private static String token(Cache<Integer, String> cache) {
    AtomicReference<String> token = new AtomicReference<>();
    ChangeListener listener =
        new ChangeListener() {
          @Override
          public void consumed(Supplier<String> after) {
            token.set(after.get());
          }
        };
    try (CloseableIterator<Change<Integer, String>> changes =
        cache.changes().withContent().listener(listener).changes().iterator()) {
      changes.next();
      changes.next();
    }
    return token.get();
  }

  @Override
  public long maxElementsFromPublisher() {
    return publisherUnableToSignalOnComplete();
  }

  @Override
  public Publisher<Change<Integer, String>> createPublisher(long elements) {
    return cache.stream().batchBytes(4096).thenChanges().changes();
  }

  /** One that fails when it is subscribed to: its resume token is another cluster's. */
  @Override
  public Publisher<Change<Integer, String>> createFailedPublisher() {
    return cache.changes().resumeFrom(foreignToken).changes();
  }

  /** The TCK looks once, a moment after a collection; a busy machine may take longer. */
  @Override
  @Test
  public void
      required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber()
          throws Throwable {
    for (int attempt = 1; ; attempt++) {
      try {
        super
            .required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber();
        return;
      } catch (AssertionError stillThere) {
        if (attempt == MOST_COLLECTIONS) {
          throw stillThere;
        }
        setUp(); // forgets the failure
      }
    }
  }
}
