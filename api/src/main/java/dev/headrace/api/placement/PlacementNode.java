package dev.headrace.api.placement;

import java.util.UUID;

/**
 * A node that may own segments.
 *
 * @param id its identity, drawn anew whenever it starts
 * @param name its name. It survives restarts if it was given; of several nodes of one name all but
 *     the oldest are told apart by the beginning of their identity, such as {@code one~3fa2c4}
 * @param address where it listens for operations, {@code host:port}
 * @param capacity its weight, greater than 0
 * @param zone its zone, may be empty
 */
public record PlacementNode(UUID id, String name, String address, double capacity, String zone) {}
