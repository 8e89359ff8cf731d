package dev.headrace.stream.pull;

import dev.headrace.api.stream.ContentPublisher;
import dev.headrace.api.stream.StreamPublisher;
import java.util.List;
import java.util.Map;
import org.infinispan.commons.util.CloseableIterator;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;

/** The same rules for results that travel together, and are handed over one by one. */
public final class FlattenedVerificationTest extends PublisherVerificationTest {

  @Override
  Publisher<Map.Entry<String, String>> form(ContentPublisher<Map.Entry<String, String>> plain) {
    return new FlattenedPublisher<>(
        new StreamPublisher<>() {
          @Override
          public void subscribe(Subscriber<? super List<Map.Entry<String, String>>> subscriber) {
            plain.toFlowable().map(List::of).subscribe(subscriber);
          }

          @Override
          public CloseableIterator<List<Map.Entry<String, String>>> iterator() {
            throw new UnsupportedOperationException("The rules are about subscribers");
          }
        },
        task -> executor().execute(task));
  }
}
