package dev.headrace.spring;

import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;

/**
 * Starts the node of an application and waits until it is in its cluster; closes it when all beans
 * that use it are gone, which is after the application has stopped to take requests. Used by the
 * threads that open and close the application.
 */
final class NodeFactory implements FactoryBean<Headrace>, InitializingBean, DisposableBean {
  private final NodeSettings settings;
  private volatile @Nullable Headrace node;

  NodeFactory(NodeSettings settings) {
    this.settings = settings;
  }

  @Override
  public void afterPropertiesSet() {
    node = Headrace.start(settings);
  }

  @Override
  public @Nullable Headrace getObject() {
    return node;
  }

  @Override
  public Class<?> getObjectType() {
    return Headrace.class;
  }

  @Override
  public void destroy() {
    Headrace present = node;
    if (present != null) {
      present.close(settings.shutdownTimeout());
    }
  }
}
