/**
 * Listeners of a cache, and the events that they hear.
 *
 * <p><b>Threading.</b> A synchronous listener hears an event on the thread of the operation, before
 * the operation ends, while the operation has its key; an asynchronous one on the manager's thread
 * for events. Of expired entries both hear on a thread of the node for user code.
 *
 * <p><b>Invariants.</b> Events of one key that come from operations of one manager are in the order
 * of the operations.
 */
@NullMarked
package dev.headrace.jcache.event;

import org.jspecify.annotations.NullMarked;
