package dev.headrace.benchmarks.codec;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.headrace.benchmarks.codec.GuideOrders.Order;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Jackson as its documentation has it for speed: one mapper, a writer and a reader that know the
 * type, straight from and to bytes. Dates and durations are numbers, which is its default.
 */
final class JacksonOrders implements Serialization<Order> {
  private static final int BUFFER_BYTES = 1024;

  private final ObjectWriter writer;
  private final ObjectReader reader;
  private final ByteArrayOutputStream output = new ByteArrayOutputStream(BUFFER_BYTES);
  private byte[] loaded = {};

  /**
   * Of a mapper for JSON or another format.
   *
   * @param mapper gets modules
   */
  JacksonOrders(ObjectMapper mapper) {
    mapper.registerModules(new Jdk8Module(), new JavaTimeModule());
    this.writer = mapper.writerFor(Order.class);
    this.reader = mapper.readerFor(Order.class);
  }

  @Override
  public int encode(Order object) {
    output.reset();
    try {
      writer.writeValue(output, object);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return output.size();
  }

  @Override
  public byte[] bytes() {
    return output.toByteArray();
  }

  @Override
  public void load(byte[] all) {
    loaded = all;
  }

  @Override
  public Order decode(int from, int lengthBytes) {
    try {
      return reader.readValue(loaded, from, lengthBytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
