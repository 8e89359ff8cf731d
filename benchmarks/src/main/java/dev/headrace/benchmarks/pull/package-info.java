/**
 * Races of the pull engine under jcstress: an answer meets a demand, a waiting iterator or a
 * cancel.
 *
 * <p>Run with {@code java -cp "benchmarks/target/classes:benchmarks/target/lib/*"
 * org.openjdk.jcstress.Main -t dev.headrace.benchmarks.pull -m quick}.
 *
 * <p>Threading: {@code RacedStream} is one stream over one node whose only answer is given by
 * whichever thread calls {@code answer}; its drain runs on whichever thread schedules it.
 */
@NullMarked
package dev.headrace.benchmarks.pull;

import org.jspecify.annotations.NullMarked;
