/**
 * How fast ownership moves when nodes come and go, and what that costs those who use the cache.
 *
 * <p>The test is the one that Hazelcast's design document <em>Speed-Up Partition Migrations</em>
 * describes: 10,000 entries of 1000 bytes lie on one node, the others join, and the coordinator
 * notes when each migration starts; a histogram holds the time from one start to the next. It is
 * run on Headrace, on Headrace with the publisher that the document sets out to replace (one whole
 * table to every member after each migration), and on Hazelcast. Further measurements ask what a
 * migration costs on the wire, how long a write waits at a hand-over, and what streams deliver
 * meanwhile.
 *
 * <p>Every member of a cluster lives in the JVM of its fork, over TCP loopback. Times are taken
 * with one clock, so that the moments at which different members learn of a change can be compared.
 *
 * <p>Threading: {@link dev.headrace.benchmarks.migration.MigrationComparison} measures nothing
 * itself and runs on one thread; see {@link dev.headrace.benchmarks.harness}.
 */
@NullMarked
package dev.headrace.benchmarks.migration;

import org.jspecify.annotations.NullMarked;
