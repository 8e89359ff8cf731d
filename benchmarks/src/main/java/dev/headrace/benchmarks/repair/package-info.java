/**
 * What comparing and repairing replicas costs: hashing on one thread, and traffic between a primary
 * and a backup.
 *
 * <p>Hashing goes over 500,000 entries with keys of 10 characters in 64 segments, range by range as
 * a repair does, as they were loaded (keys arrive in random order) and after the store has been
 * compacted. Traffic is counted in bytes of encoded messages between two nodes in one thread, which
 * run everything that nodes run but sockets.
 *
 * <p>Threading: JMH's forks hash on one thread; traffic is counted on the comparison's.
 */
@NullMarked
package dev.headrace.benchmarks.repair;

import org.jspecify.annotations.NullMarked;
