package dev.headrace.api.ingest;

import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Single;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A report as a flow: it begins with a subscription, and is cancelled with it. */
final class ReportFlow {
  private ReportFlow() {}

  static Flowable<IngestReport> of(Supplier<CompletableFuture<IngestReport>> begin) {
    return Single.<IngestReport>create(
            emitter -> {
              CompletableFuture<IngestReport> report = begin.get();
              emitter.setCancellable(() -> report.cancel(false));
              var unused =
                  report.whenComplete(
                      (done, failure) -> {
                        if (failure != null) {
                          emitter.tryOnError(failure);
                        } else {
                          emitter.onSuccess(done);
                        }
                      });
            })
        .toFlowable();
  }
}
