/**
 * Writes and replicas of a segment: from a caller to every owner, exactly once. It knows no
 * network; it names ports that the node implements, and of what decides on ownership it sees the
 * table only.
 */
@NullMarked
package dev.headrace.replication;

import org.jspecify.annotations.NullMarked;
