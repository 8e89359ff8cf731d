package dev.headrace.cluster.wire.codec;

import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.error.WireException;
import dev.headrace.stream.Message;
import dev.headrace.stream.token.ResumeToken;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.CRC32C;

/** Any bytes as a message, a read request, an answer or a resume token; the first says which. */
public final class CodecFuzz {
  private static final int MAX_ENTRIES = 1000;
  private static final int MAX_BYTES = 1 << 20;

  private CodecFuzz() {}

  /** Called by Jazzer with each input. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] body = Arrays.copyOfRange(input, 1, input.length);
    switch (input[0] & 3) {
      case 0 -> message(body);
      case 1 -> request(body);
      case 2 -> answer(body);
      default -> token(body);
    }
  }

  private static void message(byte[] body) {
    MessageCodec codec = new MessageCodec();
    Message message;
    try {
      message = codec.decode(new WireInput().over(Unpooled.wrappedBuffer(body)));
    } catch (WireException e) {
      return; // refused
    }
    ByteBuf again = Unpooled.buffer();
    codec.encode(message, again);
    if (again.writerIndex() > codec.boundBytes(message)) {
      throw new AssertionError("more bytes than the bound for " + message);
    }
  }

  private static void request(byte[] body) {
    try {
      new ReadRequestCodec().decode(new WireInput().over(Unpooled.wrappedBuffer(body)));
    } catch (WireException e) {
      return; // refused
    }
  }

  private static void answer(byte[] body) {
    ByteBuf bytes = Unpooled.wrappedBuffer(body);
    WireInput in = new WireInput();
    try {
      AnswerCodec.skipEntries(bytes, in.over(bytes), MAX_BYTES);
      AnswerCodec.decodeParts(in.over(bytes), MAX_ENTRIES);
    } catch (WireException | IndexOutOfBoundsException | IllegalArgumentException e) {
      return; // refused, as by the receiver of answers
    }
  }

  /** With the checksum that it needs to be looked at. */
  private static void token(byte[] body) {
    CRC32C checksum = new CRC32C();
    checksum.update(body);
    ByteBuf bytes = Unpooled.buffer().writeBytes(body).writeInt((int) checksum.getValue());
    byte[] signed = new byte[bytes.readableBytes()];
    bytes.readBytes(signed);
    try {
      ResumeToken.parse(Base64.getUrlEncoder().withoutPadding().encodeToString(signed));
    } catch (ResumeTokenException e) {
      return; // refused
    }
  }
}
