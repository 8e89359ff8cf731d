package dev.headrace.benchmarks.codec;

import dev.headrace.benchmarks.harness.WrongContentException;
import java.util.Arrays;
import java.util.List;

/** Objects of one type and what they are encoded as; they take turns. Used by one thread. */
final class EncodedObjects<T> {
  private final Serialization<T> serialization;
  private final List<T> objects;

  /** Where each object begins, and where the last one ends. */
  private final int[] starts = new int[CodecSubject.COUNT + 1];

  private int next;

  EncodedObjects(CodecSubject<T> subject) {
    this.serialization = subject.serialization();
    this.objects = subject.objects();
    byte[] all = {};
    for (int i = 0; i < CodecSubject.COUNT; i++) {
      int lengthBytes = serialization.encode(objects.get(i));
      starts[i + 1] = starts[i] + lengthBytes;
      all = Arrays.copyOf(all, Math.max(all.length, 2 * starts[i + 1]));
      System.arraycopy(serialization.bytes(), 0, all, starts[i], lengthBytes);
    }
    serialization.load(all);
    for (T object : objects) {
      T copy = decodeNext();
      if (copy instanceof Record && !copy.equals(object)) {
        throw new WrongContentException(object + " came back as " + copy);
      }
    }
  }

  /** Bytes of an object on average. */
  double averageBytes() {
    return (double) starts[CodecSubject.COUNT] / CodecSubject.COUNT;
  }

  private int advance() {
    int current = next;
    next = (current + 1) & (CodecSubject.COUNT - 1);
    return current;
  }

  int encodeNext() {
    return serialization.encode(objects.get(advance()));
  }

  T decodeNext() {
    int current = advance();
    return serialization.decode(starts[current], starts[current + 1] - starts[current]);
  }
}
