package dev.headrace.cli.export;

import java.io.IOException;

/** What an export does to the disk, step by step; tests stop it between any two. */
public interface ExportFiles {

  /** Appends to the exported file. */
  void append(byte[] bytes) throws IOException;

  /** Returns when all that was appended would survive a loss of power. */
  void force() throws IOException;

  /** Ends the exported file behind so many bytes. */
  void truncate(long bytes) throws IOException;

  /** Writes the next progress beside the last one, and forces it. */
  void prepareProgress(byte[] content) throws IOException;

  /** Puts the prepared progress in the place of the last one, as a whole. */
  void replaceProgress() throws IOException;

  /** Removes the progress. */
  void deleteProgress() throws IOException;
}
