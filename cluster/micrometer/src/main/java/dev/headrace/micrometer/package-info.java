/**
 * The figures of a node in a registry of Micrometer.
 *
 * <p>{@link dev.headrace.micrometer.HeadraceMetrics} binds them; {@code StatusFigure} lists those
 * that come from the node's status, and {@code IngestMeters} has those of its loads.
 *
 * <p><b>Threading.</b> Everything is thread-safe. Figures are read by whoever reads the registry.
 *
 * <p><b>Invariants.</b> Nothing here sends a message to another node but the sizes of caches, which
 * are asked for once in ten seconds however often figures are read.
 */
@NullMarked
package dev.headrace.micrometer;

import org.jspecify.annotations.NullMarked;
