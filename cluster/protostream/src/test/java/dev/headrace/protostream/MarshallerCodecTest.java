package dev.headrace.protostream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.error.CodecException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import org.infinispan.commons.marshall.JavaSerializationMarshaller;
import org.junit.jupiter.api.Test;

final class MarshallerCodecTest {
  private record Person(String name, Address address) implements Serializable {}

  private record Address(String street) implements Serializable {}

  /** Stands for a class whose mere deserialization does harm. */
  private static final class Gadget implements Serializable {
    private static final long serialVersionUID = 1L;
    private static int awakened;

    private void readObject(ObjectInputStream in) {
      awakened++;
    }
  }

  private final Codec<Person> codec =
      MarshallerCodec.of(new JavaSerializationMarshaller(), Person.class, Address.class);

  @Test
  void valuesComeBack() {
    Person ada = new Person("Ada", new Address("St James's Square"));
    ByteOutput out = new ByteOutput();
    codec.encode(ada, out);
    assertThat(codec.decode(ByteInput.of(out.toByteArray()))).isEqualTo(ada);
  }

  @Test
  void aClassThatIsNotListedIsNotEvenLoaded() throws IOException {
    byte[] bytes = serialized(new Gadget());
    assertThatThrownBy(() -> codec.decode(ByteInput.of(bytes)))
        .hasStackTraceContaining("allow list")
        .hasStackTraceContaining(Gadget.class.getName());
    assertThat(Gadget.awakened).isZero();
  }

  @Test
  void aListedClassInTheWrongPlaceIsRefused() throws IOException {
    byte[] bytes = serialized(new Address("Elsewhere"));
    assertThatThrownBy(() -> codec.decode(ByteInput.of(bytes)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining(Address.class.getName())
        .hasMessageContaining("where a " + Person.class.getName() + " was expected");
  }

  @Test
  void bytesThatAreNoObjectAreRefused() {
    assertThatThrownBy(() -> codec.decode(ByteInput.of(new byte[] {1, 2, 3})))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("could not decode");
  }

  private static byte[] serialized(Object value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    return bytes.toByteArray();
  }
}
