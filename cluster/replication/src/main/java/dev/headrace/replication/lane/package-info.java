/**
 * The write protocol: how an operation reaches every owner of its segment, exactly once, whatever
 * fails.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.replication.lane.Lanes} is the entrance: it holds a lane
 * for every segment that needed one, and takes every message that owners and callers send. The
 * caller's side, {@code dev.headrace.replication.client}, asks the lanes of this node and others.
 * Repairs look into a lane, and change a backup's replica, by a {@link
 * dev.headrace.replication.lane.LaneVisit}.
 *
 * <p><b>Shape.</b> A segment has one history: mutations numbered without gaps, the same on every
 * owner. The primary makes them, the backups apply them in order, and the caller hears of one when
 * every owner of the epoch has it. The term of a primary is the epoch at which the segment's owners
 * last changed; whenever they change, the primary becomes primary anew: it hears from all other
 * owners how far they are, fetches what it lacks, sends what they lack, and only then serves. So of
 * two owners one always has the other's history as its beginning, and no number is given twice.
 *
 * <p>Former owners are heard, too, and keep what they have until all owners know that they have
 * everything. If nobody is left who has, the segment begins anew under the next incarnation.
 *
 * <p><b>Threading.</b> A lane is a pure machine and runs under its own monitor; no lock is held
 * while something is sent. Nothing here has a thread or a clock: ticks bring the time.
 *
 * <p><b>Invariants.</b> An acknowledged mutation has been applied by every owner of the epoch in
 * which it was acknowledged. An operation id is applied at most once in a history. What a primary
 * calls stable, every owner has.
 */
@NullMarked
package dev.headrace.replication.lane;

import org.jspecify.annotations.NullMarked;
