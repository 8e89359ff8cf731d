package dev.headrace.benchmarks.codec;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.serializers.CollectionSerializer;
import com.esotericsoftware.kryo.serializers.DefaultSerializers.URISerializer;
import com.esotericsoftware.kryo.serializers.ImmutableSerializer;
import com.esotericsoftware.kryo.serializers.MapSerializer;
import com.esotericsoftware.kryo.serializers.RecordSerializer;
import dev.headrace.benchmarks.codec.GuideOrders.Item;
import dev.headrace.benchmarks.codec.GuideOrders.Order;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Kryo as its documentation has it for speed and size: one instance and its buffers are used again,
 * all classes are registered, and there are no references. Its serializers of records, collections
 * and maps are told all types, and that nothing in them is null, so that no class is written.
 */
final class KryoOrders implements Serialization<Order> {
  private static final int BUFFER_BYTES = 1024;

  private final Kryo kryo = new Kryo();
  private final Output output = new Output(BUFFER_BYTES, -1);
  private final Input input = new Input();
  private byte[] loaded = {};

  KryoOrders() {
    kryo.register(LocalDate.class);
    kryo.register(Duration.class);
    kryo.register(BigDecimal.class);
    kryo.register(Item.class, record(Item.class));
    kryo.register(List.class, collection(ArrayList::new, Item.class, record(Item.class)));
    Serializer<?> texts = collection(HashSet::new, String.class, kryo.getSerializer(String.class));
    kryo.register(Set.class, texts);
    kryo.register(Map.class, labels(texts));
    kryo.register(Optional.class, new OptionalAddress());
    kryo.register(Order.class, record(Order.class));
  }

  private static <T> RecordSerializer<T> record(Class<T> type) {
    RecordSerializer<T> serializer = new RecordSerializer<>(type);
    serializer.setFixedFieldTypes(true);
    return serializer;
  }

  /** Makes a collection of a size. */
  private interface Maker<C> {
    C ofSize(int size);
  }

  private static <C extends Collection<?>> CollectionSerializer<C> collection(
      Maker<C> maker, Class<?> type, Serializer<?> element) {
    CollectionSerializer<C> serializer =
        new CollectionSerializer<>() {
          @Override
          protected C create(Kryo kryo, Input input, Class<? extends C> type, int size) {
            return maker.ofSize(size);
          }
        };
    serializer.setElementClass(type, element);
    serializer.setElementsCanBeNull(false);
    return serializer;
  }

  private MapSerializer<Map<String, Set<String>>> labels(Serializer<?> texts) {
    MapSerializer<Map<String, Set<String>>> serializer =
        new MapSerializer<>() {
          @Override
          protected Map<String, Set<String>> create(
              Kryo kryo, Input input, Class<? extends Map<String, Set<String>>> type, int size) {
            return new HashMap<>(size * 2);
          }
        };
    serializer.setKeyClass(String.class, kryo.getSerializer(String.class));
    serializer.setValueClass(Set.class, texts);
    serializer.setKeysCanBeNull(false);
    serializer.setValuesCanBeNull(false);
    return serializer;
  }

  /** Kryo's own would write the class of the value, which is always the same here. */
  private static final class OptionalAddress extends ImmutableSerializer<Optional<URI>> {
    private final URISerializer addresses = new URISerializer();

    @Override
    public void write(Kryo kryo, Output output, Optional<URI> object) {
      output.writeBoolean(object.isPresent());
      if (object.isPresent()) {
        addresses.write(kryo, output, object.get());
      }
    }

    @Override
    public Optional<URI> read(Kryo kryo, Input input, Class<? extends Optional<URI>> type) {
      return input.readBoolean()
          ? Optional.of(addresses.read(kryo, input, URI.class))
          : Optional.empty();
    }
  }

  @Override
  public int encode(Order object) {
    output.reset();
    kryo.writeObject(output, object);
    return output.position();
  }

  @Override
  public byte[] bytes() {
    return output.toBytes();
  }

  @Override
  public void load(byte[] all) {
    loaded = all;
  }

  @Override
  public Order decode(int from, int lengthBytes) {
    input.setBuffer(loaded, from, lengthBytes);
    return kryo.readObject(input, Order.class);
  }
}
