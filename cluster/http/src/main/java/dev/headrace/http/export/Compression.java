package dev.headrace.http.export;

import com.github.luben.zstd.ZstdOutputStream;
import dev.headrace.http.exchange.AcceptedValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes the pieces of a response smaller. What was given is in what is returned, so that a client
 * sees entries when they are sent. Used by one thread at a time; {@link #close} gives memory back
 * that no garbage collector sees.
 */
final class Compression implements AutoCloseable {
  private static final int ZSTD_LEVEL = 3;

  /** The encodings that a client can ask for, the best one first. */
  enum Coding {
    /** Zstandard, RFC 8878. */
    ZSTD,
    /** Gzip, RFC 1952. */
    GZIP;

    /** The name in headers. */
    String token() {
      return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The coding that a client likes best, of those that it names; the better one if it likes both
     * the same.
     *
     * @param header its {@code Accept-Encoding}; null for none
     * @return null for no coding: none is named, or each less liked than {@code identity}
     * @throws dev.headrace.http.exchange.ProblemException 400 if a q of the header is no number
     */
    static @Nullable Coding accepted(@Nullable String header) {
      if (header == null) {
        return null;
      }
      Coding best = null;
      double most = 0;
      double plain = 0;
      for (AcceptedValue value : AcceptedValue.parse(header)) {
        double quality = value.quality();
        if (value.name().equals("identity")) {
          plain = quality;
        }
        for (Coding coding : values()) {
          boolean better = quality > most || (quality == most && coding == ZSTD && quality > 0);
          if (value.name().equals(coding.token()) && better) {
            best = coding;
            most = quality;
          }
        }
      }
      return plain > most ? null : best;
    }
  }

  private final ByteArrayOutputStream compressed = new ByteArrayOutputStream();
  private final OutputStream compressor;

  Compression(Coding coding) {
    try {
      compressor =
          coding == Coding.GZIP
              ? new GZIPOutputStream(compressed, 4 << 10, true)
              : new ZstdOutputStream(compressed, ZSTD_LEVEL).setCloseFrameOnFlush(false);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // it writes into memory
    }
  }

  /** Compresses a piece. */
  byte[] piece(byte[] source, int length) {
    try {
      compressor.write(source, 0, length);
      compressor.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // it writes into memory
    }
    return taken();
  }

  /** The end of everything. */
  byte[] end() {
    close();
    return taken();
  }

  private byte[] taken() {
    byte[] bytes = compressed.toByteArray();
    compressed.reset();
    return bytes;
  }

  @Override
  public void close() {
    try {
      compressor.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // it writes into memory
    }
  }
}
