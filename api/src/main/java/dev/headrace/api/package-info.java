/**
 * What a user programs against: caches, streams and their settings. No implementation lives here.
 */
@NullMarked
package dev.headrace.api;

import org.jspecify.annotations.NullMarked;
