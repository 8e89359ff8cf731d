package dev.headrace.cluster.wire;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Fails the tests if a Netty buffer was garbage before it was released. JUnit finds it by itself
 * and puts it around every test class: what is noticed while a class runs, or after the one before
 * it, fails that class; what is left when all classes have run fails them as a whole.
 */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {

  @Override
  public void beforeAll(ExtensionContext context) {
    var unused = found(context); // Installs it before the first buffer is made.
  }

  @Override
  public void afterAll(ExtensionContext context) {
    found(context).failIfAny("while or before " + context.getDisplayName() + " ran");
  }

  private static Found found(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(Namespace.create(LeakCheck.class))
        .getOrComputeIfAbsent(Found.class, key -> Found.installed(), Found.class);
  }

  /** What was found, of all classes. JUnit closes it when all of them have run. */
  private static final class Found extends ResourceLeakDetectorFactory implements AutoCloseable {
    private static final int COLLECTIONS = 3;
    private static final long COLLECTION_MILLIS = 30_000;

    private final Queue<String> leaks = new ConcurrentLinkedQueue<>();

    static Found installed() {
      Found found = new Found();
      setResourceLeakDetectorFactory(found);
      return found;
    }

    @Override
    @SuppressWarnings("deprecation") // The only form that has to be there.
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
        Class<T> resource, int samplingInterval, long maxActive) {
      return new Detector<>(resource, samplingInterval, leaks);
    }

    void failIfAny(String when) {
      List<String> noticed = new ArrayList<>();
      for (String leak = leaks.poll(); leak != null; leak = leaks.poll()) {
        noticed.add(leak);
      }
      if (!noticed.isEmpty()) {
        throw new AssertionError(
            noticed.size()
                + " buffers were not released, noticed "
                + when
                + ":"
                + System.lineSeparator()
                + String.join(System.lineSeparator(), noticed));
      }
    }

    @Override
    public void close() throws InterruptedException {
      for (int i = 0; i < COLLECTIONS; i++) {
        collectGarbage();
        UnpooledByteBufAllocator.DEFAULT.directBuffer(1).release(); // Has the detector look.
      }
      failIfAny("when all tests had run");
    }

    private static void collectGarbage() throws InterruptedException {
      ReferenceQueue<Object> queue = new ReferenceQueue<>();
      WeakReference<Object> garbage = new WeakReference<>(new Object(), queue);
      System.gc();
      if (queue.remove(COLLECTION_MILLIS) != garbage) {
        throw new IllegalStateException("no garbage was collected");
      }
    }
  }

  private static final class Detector<T> extends ResourceLeakDetector<T> {
    private final Queue<String> leaks;

    Detector(Class<T> resource, int samplingInterval, Queue<String> leaks) {
      super(resource, samplingInterval);
      this.leaks = leaks;
    }

    @Override
    protected boolean needReport() {
      return true;
    }

    @Override
    protected void reportTracedLeak(String resource, String records) {
      leaks.add("a " + resource + " was not released. " + records);
    }

    @Override
    protected void reportUntracedLeak(String resource) {
      leaks.add("a " + resource + " was not released");
    }
  }
}
