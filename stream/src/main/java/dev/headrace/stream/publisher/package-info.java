/**
 * Publishers and iterators over what is pulled: the Reactive Streams side of a stream.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.stream.publisher.EntryPublisher} makes a {@code
 * StreamSubscription} (the drain loop) or a {@link dev.headrace.stream.publisher.StreamIterator}
 * for each reader; each {@code RailPublisher} serves one of several readers that share a stream.
 * All pull a {@link dev.headrace.stream.pull.Pulled}: a pull engine, an engine of changes, or a
 * wrapper of one, such as {@link dev.headrace.stream.publisher.Flattened}. {@link
 * dev.headrace.stream.publisher.PulledPublisher} publishes any of them.
 *
 * <p><b>Threading.</b> A drain runs on one thread at a time; a count of signals hands it on. An
 * iterator runs on the thread that calls it, without a signal per entry.
 *
 * <p><b>Invariants.</b> Signals are serial, and {@code onNext} is never called more often than was
 * requested. Cancelling releases everything, whoever is at work meanwhile.
 */
@NullMarked
package dev.headrace.stream.publisher;

import org.jspecify.annotations.NullMarked;
