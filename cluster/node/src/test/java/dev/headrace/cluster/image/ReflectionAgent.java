package dev.headrace.cluster.image;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

/**
 * Makes the classes of Headrace and its libraries call {@link ReflectionLog} where they call
 * reflection. A method of the log has the name and the parameters of the one that it stands for,
 * with its object as the first.
 */
public final class ReflectionAgent implements ClassFileTransformer {
  private static final int ASM = Opcodes.ASM9;
  private static final String LOG = Type.getInternalName(ReflectionLog.class);
  private static final String OWN = LOG.substring(0, LOG.lastIndexOf('/') + 1);

  /** The descriptors of the log's methods, by owner, name and descriptor of what they stand for. */
  private final Map<String, String> descriptors = new HashMap<>();

  private ReflectionAgent() {
    for (Method method : ReflectionLog.class.getDeclaredMethods()) {
      ReflectionLog.StandsFor original = method.getAnnotation(ReflectionLog.StandsFor.class);
      if (original != null) {
        Type[] parameters = Type.getArgumentTypes(method);
        int first = original.isStatic() ? 0 : 1;
        String descriptor =
            Type.getMethodDescriptor(
                Type.getReturnType(method),
                Arrays.copyOfRange(parameters, first, parameters.length));
        descriptors.put(
            Type.getInternalName(original.value()) + '.' + method.getName() + descriptor,
            Type.getMethodDescriptor(method));
      }
    }
  }

  /** Begins, before the first class of the program is loaded. */
  public static void premain(String arguments, Instrumentation instrumentation) {
    instrumentation.addTransformer(new ReflectionAgent());
  }

  @Override
  public byte @Nullable [] transform(
      Module module,
      @Nullable ClassLoader loader,
      String name,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] bytes) {
    if (loader == null
        || loader == ClassLoader.getPlatformClassLoader()
        || name.startsWith("net/bytebuddy/")
        || name.contains("$Proxy") // of annotations, made by the JDK
        || name.startsWith(OWN)) {
      return null;
    }
    ClassReader reader = new ClassReader(bytes);
    ClassWriter writer = new ClassWriter(reader, 0); // the stack is as high as it was
    reader.accept(new Calls(writer), 0);
    return writer.toByteArray();
  }

  /** Changes the calls of a class. */
  private final class Calls extends ClassVisitor {
    Calls(ClassWriter writer) {
      super(ASM, writer);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      return new MethodVisitor(
          ASM, super.visitMethod(access, name, descriptor, signature, exceptions)) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String called, String type, boolean isInterface) {
          String logged = descriptors.get(owner + '.' + called + type);
          if (logged == null || opcode == Opcodes.INVOKESPECIAL) { // that is: super.called()
            super.visitMethodInsn(opcode, owner, called, type, isInterface);
          } else {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, LOG, called, logged, false);
          }
        }

        @Override
        public void visitInvokeDynamicInsn(
            String called, String type, Handle bootstrap, Object... arguments) {
          Object[] changed = Arrays.stream(arguments).map(ReflectionAgent.this::handle).toArray();
          super.visitInvokeDynamicInsn(called, type, bootstrap, changed);
        }
      };
    }
  }

  /** The method reference to the log that stands for another one. */
  private Object handle(Object argument) {
    if (argument instanceof Handle handle) {
      String logged =
          descriptors.get(handle.getOwner() + '.' + handle.getName() + handle.getDesc());
      if (logged != null) {
        return new Handle(Opcodes.H_INVOKESTATIC, LOG, handle.getName(), logged, false);
      }
    }
    return argument;
  }
}
