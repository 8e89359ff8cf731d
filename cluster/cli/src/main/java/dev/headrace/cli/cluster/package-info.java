/**
 * The way to a cluster and to its caches: the options that commands share, and what the settings of
 * a node are called on the command line.
 *
 * <p>The command line knows no types. {@link dev.headrace.cluster.catalogue.Catalogue} tells it the
 * formats of caches.
 */
@NullMarked
package dev.headrace.cli.cluster;

import org.jspecify.annotations.NullMarked;
