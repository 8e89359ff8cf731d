/**
 * Hashes of keys: what a locator looks up.
 *
 * <p>A key is bytes or a text, and a text has the hash of its UTF-8 bytes. Once a thread has used a
 * hasher it allocates nothing for keys of up to 1024 bytes, texts outside ASCII apart. Hashers hold
 * no state but a buffer for each thread; all of them are safe for any thread.
 */
@NullMarked
package dev.headrace.rebalance.placement.hash;

import org.jspecify.annotations.NullMarked;
