/**
 * Publishers and iterators over what is pulled: the Reactive Streams side of a stream.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.stream.publisher.EntryPublisher} makes a {@code
 * StreamSubscription} (the drain loop) or a {@link dev.headrace.stream.publisher.StreamIterator}
 * for each reader; {@code RailPublisher} gives several readers one stream. All pull a {@link
 * dev.headrace.stream.pull.Pulled}, which is a pull engine or a form of one: {@link
 * dev.headrace.stream.publisher.Flattened}, {@code RecordedPull}.
 *
 * <p><b>Threading.</b> A drain runs on one thread at a time; a count of signals hands it on. An
 * iterator runs on the thread that calls it, without a signal per entry.
 *
 * <p><b>Invariants.</b> Signals are serial, and never more than were requested. Cancelling releases
 * everything, whoever is at work meanwhile.
 */
@NullMarked
package dev.headrace.stream.publisher;

import org.jspecify.annotations.NullMarked;
