package dev.headrace.cluster.node.simulation.oracle;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.api.stream.TokenedElement;
import dev.headrace.cluster.node.simulation.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * The rails of a stream for one reader, who requests of any of them. Its tokens are the newest ones
 * of all rails, with commas between them. If one rail fails the others are cancelled.
 */
final class MergedRails<T> implements Subscription {
  private final World world;
  private final Subscriber<TokenedElement<T>> reader;
  private final List<Rail> rails = new ArrayList<>();
  private boolean over;

  private MergedRails(World world, Subscriber<TokenedElement<T>> reader) {
    this.world = world;
    this.reader = reader;
  }

  /** Begins to read. */
  static <T> void read(
      World world,
      List<StreamPublisher<TokenedElement<T>>> publishers,
      Subscriber<TokenedElement<T>> reader) {
    MergedRails<T> merged = new MergedRails<>(world, reader);
    for (StreamPublisher<TokenedElement<T>> each : publishers) {
      MergedRails<T>.Rail rail = merged.new Rail();
      merged.rails.add(rail);
      each.subscribe(rail);
    }
    reader.onSubscribe(merged);
  }

  private record Joined<T>(T element, String token) implements TokenedElement<T> {}

  private final class Rail implements Subscriber<TokenedElement<T>> {
    private @Nullable Subscription subscription;
    private @Nullable String newest;
    private long demand;
    private boolean completed;

    @Override
    public void onSubscribe(Subscription given) {
      subscription = given;
    }

    @Override
    public void onNext(TokenedElement<T> element) {
      world.check(demand-- > 0, "more entries than were asked of a rail");
      newest = element.token();
      if (!over) {
        reader.onNext(new Joined<>(element.element(), tokens()));
      }
    }

    @Override
    public void onError(Throwable error) {
      if (over) {
        return;
      }
      over = true;
      cancelAll();
      if (error instanceof StreamInterruptedException interrupted) {
        newest = interrupted.resumeToken();
        FaultScope scope =
            new FaultScope(interrupted.cache(), interrupted.segments(), interrupted.missingNodes());
        reader.onError(
            new StreamInterruptedException(
                String.valueOf(error.getMessage()), scope, tokens(), error));
      } else {
        reader.onError(error);
      }
    }

    @Override
    public void onComplete() {
      completed = true;
      if (rails.stream().allMatch(rail -> rail.completed)) {
        over = true;
        reader.onComplete();
      } else if (demand > 0) {
        long unused = demand;
        demand = 0;
        request(unused);
      }
    }
  }

  private String tokens() {
    return rails.stream()
        .map(rail -> rail.newest)
        .filter(Objects::nonNull)
        .collect(Collectors.joining(","));
  }

  @Override
  public void request(long more) {
    for (long i = 0; i < more && !over; i++) {
      List<Rail> open = rails.stream().filter(rail -> !rail.completed).toList();
      if (!open.isEmpty()) {
        Rail rail = open.get(world.time.random.nextInt(open.size()));
        rail.demand++;
        Objects.requireNonNull(rail.subscription).request(1);
      }
    }
  }

  @Override
  public void cancel() {
    over = true;
    cancelAll();
  }

  private void cancelAll() {
    rails.forEach(rail -> Objects.requireNonNull(rail.subscription).cancel());
  }
}
