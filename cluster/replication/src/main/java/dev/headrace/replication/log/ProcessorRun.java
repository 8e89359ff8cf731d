package dev.headrace.replication.log;

import dev.headrace.replication.message.Operation;
import org.jspecify.annotations.Nullable;

/**
 * A processor that a primary wants run on an entry, beside its lane. It is told from others by its
 * identity: its decision is of use only to the primary that has asked, and only as long as the
 * entry is the one that was found.
 *
 * @param operation says which processor, and with what argument
 * @param value what was found; null if the key is absent
 * @param versionTerm the version of that, 0 if the key is absent
 * @param versionCounter see {@code versionTerm}
 * @param expiryMillis when it expires, in cluster time; 0 for never
 */
@SuppressWarnings("ArrayRecordComponent") // It is handed over, never compared.
public record ProcessorRun(
    Operation operation,
    byte @Nullable [] value,
    long versionTerm,
    long versionCounter,
    long expiryMillis) {}
