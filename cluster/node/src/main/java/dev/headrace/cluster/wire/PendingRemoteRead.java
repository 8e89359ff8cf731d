package dev.headrace.cluster.wire;

import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;

/** A request, and the handler that waits for its answer. */
record PendingRemoteRead(ReadRequest request, ReadHandler handler) {}
