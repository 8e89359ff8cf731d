package dev.headrace.benchmarks.guide;

import com.hazelcast.core.Hazelcast;
import dev.headrace.api.Headrace;
import dev.headrace.guide.GuideSnippets;
import io.lettuce.core.RedisClient;
import io.lettuce.core.json.JsonParser;
import io.reactivex.rxjava3.core.Flowable;
import java.nio.file.Path;
import java.util.List;
import org.infinispan.Cache;
import org.infinispan.commons.util.IntSet;
import org.infinispan.protostream.annotations.ProtoTypeId;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;

/** Both sides of the pages for those who come from another system compile, in its present API. */
final class ComingFromPeersTest {
  @TempDir private Path classes;

  @ParameterizedTest
  @ValueSource(strings = {"hazelcast", "infinispan", "redis"})
  void bothSidesCompile(String peer) throws Exception {
    GuideSnippets.assertCompile(
        List.of(GuideSnippets.root().resolve("site/src/guide/coming-from-" + peer + ".md")),
        classes,
        List.of(
            Headrace.class,
            Flowable.class,
            IntSet.class,
            Publisher.class,
            Hazelcast.class,
            Cache.class,
            ProtoTypeId.class,
            RedisClient.class,
            JsonParser.class));
  }
}
