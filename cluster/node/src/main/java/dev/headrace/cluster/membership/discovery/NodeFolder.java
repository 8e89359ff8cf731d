package dev.headrace.cluster.membership.discovery;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.stream.NodeId;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A folder in which each node of a cluster keeps one file about itself, replaced as a whole and
 * refreshed while the node lives.
 *
 * <p>A file only tells where to connect to. Still, the default folder must belong to the user
 * alone, so that nobody else's files mislead a node.
 */
public final class NodeFolder {
  private static final String SUFFIX = ".node";
  private static final String UNFINISHED = ".tmp";

  private final Path folder;

  private NodeFolder(Path folder) {
    this.folder = folder;
  }

  /**
   * The folder of a cluster, created if need be.
   *
   * @param parent an absolute path; empty for a folder of this user in the system's temporary
   *     folder
   * @throws HeadraceException if it cannot be used
   */
  public static NodeFolder of(String parent, String clusterName) {
    boolean shared = parent.isEmpty();
    Path above =
        shared
            ? Path.of(
                System.getProperty("java.io.tmpdir"),
                "headrace-" + fileName(System.getProperty("user.name")))
            : Path.of(parent).toAbsolutePath();
    Path folder = above.resolve(fileName(clusterName));
    try {
      if (shared) {
        createPrivate(above);
        checkOwner(above);
      } else {
        Files.createDirectories(above);
      }
      createPrivate(folder);
    } catch (IOException | UnsupportedOperationException e) {
      throw new HeadraceException(
          "The folder "
              + folder
              + ", through which nodes of this machine find each other, cannot be"
              + " used ("
              + e
              + "): make it writable, or name another folder in Discovery.Local",
          e);
    }
    return new NodeFolder(folder);
  }

  @Override
  public String toString() {
    return folder.toString();
  }

  /** Writes a node's file, or replaces it. Readers see the old line or the new one. */
  public void write(NodeEntry entry) throws IOException {
    Path unfinished = folder.resolve(entry.id() + UNFINISHED);
    Files.writeString(unfinished, entry.toLine());
    Files.move(
        unfinished,
        folder.resolve(entry.id() + SUFFIX),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  /** Deletes a node's file, if there is one. */
  void delete(NodeId id) throws IOException {
    Files.deleteIfExists(folder.resolve(id + SUFFIX));
  }

  /** The nodes whose files are intact and not older than this. */
  List<NodeEntry> read(Duration maxAge) throws IOException {
    List<NodeEntry> entries = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
      for (Path file : files) {
        readOne(file, maxAge, entries);
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return entries;
  }

  private static void readOne(Path file, Duration maxAge, List<NodeEntry> entries)
      throws IOException {
    try {
      // Files have wall-clock times only. A jump of a clock hides nodes until they refresh.
      long ageMillis = System.currentTimeMillis() - Files.getLastModifiedTime(file).toMillis();
      NodeEntry entry = NodeEntry.parse(Files.readString(file));
      if (entry != null && ageMillis <= maxAge.toMillis()) {
        entries.add(entry);
      }
    } catch (NoSuchFileException e) {
      return; // its node has left since the folder was listed
    }
  }

  private static void createPrivate(Path path) throws IOException {
    try {
      Files.createDirectory(path, onlyOwner(path));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        throw e;
      }
    }
  }

  private static FileAttribute<?>[] onlyOwner(Path path) {
    if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return new FileAttribute<?>[0];
    }
    return new FileAttribute<?>[] {
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
    };
  }

  /** Compares with the owner of a new file, since an owner's name need not be the user's. */
  private static void checkOwner(Path path) throws IOException {
    Path probe = Files.createTempFile(path, "owner", UNFINISHED);
    try {
      if (!Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(probe))) {
        throw new IOException("it belongs to another user");
      }
    } finally {
      Files.delete(probe);
    }
  }

  /** Makes a file name of any name: without separators and without a leading dot. */
  private static String fileName(String name) {
    String encoded = URLEncoder.encode(name, StandardCharsets.UTF_8).replace("*", "%2A");
    return encoded.startsWith(".") ? "%2E" + encoded.substring(1) : encoded;
  }
}
