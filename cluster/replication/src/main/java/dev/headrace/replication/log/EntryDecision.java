package dev.headrace.replication.log;

import dev.headrace.replication.message.Mutation.Change;
import org.jspecify.annotations.Nullable;

/**
 * What a processor has decided about an entry.
 *
 * @param change {@link Change#NONE}, {@link Change#PUT} or {@link Change#REMOVE}
 * @param value the encoded new value; null unless {@link Change#PUT}
 * @param expiryMillis when that expires, in cluster time; 0 for never
 * @param answer what the caller gets; only its node understands it
 */
@SuppressWarnings("ArrayRecordComponent") // It is handed over, never compared.
public record EntryDecision(
    Change change, byte @Nullable [] value, long expiryMillis, byte @Nullable [] answer) {}
