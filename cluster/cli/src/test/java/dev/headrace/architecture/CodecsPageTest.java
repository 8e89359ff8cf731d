package dev.headrace.architecture;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headrace.api.Headrace;
import dev.headrace.guide.GuideSnippets;
import dev.headrace.jackson.JacksonCodec;
import dev.headrace.jackson3.Jackson3Codec;
import dev.headrace.protostream.ProtoStreamCodec;
import io.reactivex.rxjava3.core.Flowable;
import java.nio.file.Path;
import java.util.List;
import org.infinispan.protostream.SerializationContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Publisher;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.databind.json.JsonMapper;

/** What the guide to codecs shows compiles when it is copied, with the modules that it names. */
final class CodecsPageTest {
  @TempDir private Path classes;

  @Test
  void everySnippetCompiles() throws Exception {
    GuideSnippets.assertCompile(
        List.of(GuideSnippets.root().resolve("site/src/guide/codecs.md")),
        classes,
        List.of(
            Headrace.class,
            Flowable.class,
            Publisher.class,
            JacksonCodec.class,
            ObjectMapper.class,
            JsonFactory.class,
            JsonProperty.class,
            Jackson3Codec.class,
            JsonMapper.class,
            TokenStreamFactory.class,
            ProtoStreamCodec.class,
            SerializationContext.class));
  }
}
