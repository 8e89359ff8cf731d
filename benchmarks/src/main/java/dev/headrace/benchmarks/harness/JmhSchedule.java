package dev.headrace.benchmarks.harness;

/**
 * How long JMH measures a cell in one fork.
 *
 * @param warmups number of iterations that are thrown away
 * @param warmupMillis length of each of these
 * @param iterations number of measured iterations
 * @param iterationMillis length of each of these
 */
public record JmhSchedule(int warmups, int warmupMillis, int iterations, int iterationMillis) {}
