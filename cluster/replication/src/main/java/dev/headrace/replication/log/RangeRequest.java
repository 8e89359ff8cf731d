package dev.headrace.replication.log;

import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.ReadRequest;

/**
 * A range of a segment that a learner wants to read. It is told from others by its identity: an
 * answer is of use only to the learner that has asked, and only once.
 *
 * @param primary is asked
 * @param behind the last mutation that the answer contains in any case
 */
public record RangeRequest(NodeId primary, ReadRequest request, long behind) {}
