package dev.headrace.cli.cluster;

import dev.headrace.api.error.PlacementException;
import dev.headrace.api.placement.SegmentPlacement;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What a cluster's segment table is made by. */
public final class TableOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--segments",
      paramLabel = "N",
      defaultValue = "256",
      description = "The cluster's number of segments (${DEFAULT-VALUE}).")
  private int segments;

  @Option(
      names = "--owners",
      paramLabel = "N",
      defaultValue = "2",
      description = "How many nodes own each segment (${DEFAULT-VALUE}).")
  private int owners;

  @Option(
      names = "--placement",
      paramLabel = "NAME[:BOUND]",
      defaultValue = "levelled-rendezvous",
      description =
          "How segments are placed on nodes; the guide lists the names. BOUND is the largest "
              + "multiple of its share that a node may hold (${DEFAULT-VALUE}).")
  private String placement = "";

  /** The number of segments, which is not checked. */
  public int segments() {
    return segments;
  }

  /** The number of owners, which is not checked. */
  public int owners() {
    return owners;
  }

  /**
   * What gives segments to nodes.
   *
   * @throws ParameterException if nothing has that name, or the bound is out of its range
   */
  public SegmentPlacement placement() {
    try {
      return SegmentPlacement.named(placement);
    } catch (PlacementException e) {
      String reason = String.valueOf(e.getMessage());
      throw new ParameterException(
          spec.commandLine(),
          "--placement: " + Character.toLowerCase(reason.charAt(0)) + reason.substring(1),
          e);
    }
  }
}
