/** Proves what nodes prove to each other. */
@NullMarked
package dev.headrace.cluster.security;

import org.jspecify.annotations.NullMarked;
