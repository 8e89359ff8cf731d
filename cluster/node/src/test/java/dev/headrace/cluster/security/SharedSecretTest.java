package dev.headrace.cluster.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.security.SharedSecret.Exchange;
import dev.headrace.cluster.security.SharedSecret.Port;
import dev.headrace.cluster.security.SharedSecret.Role;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a proof is bound to. */
final class SharedSecretTest {
  private static final byte[] ABOUT = {1, 2, 3};

  private final SharedSecret ours = secret("the mill's secret", "mill");
  private final Exchange exchange = new Exchange(Port.DATA, ours.nonce(), ours.nonce());
  private final byte[] proof = ours.proof(Role.CALLER, exchange, ABOUT);

  private static SharedSecret secret(String text, String cluster) {
    return new SharedSecret(text.getBytes(StandardCharsets.UTF_8), cluster);
  }

  @Test
  void whoKnowsTheSecretProvesIt() {
    SharedSecret same = secret("the mill's secret", "mill");
    assertThat(same.proves(proof, Role.CALLER, exchange, ABOUT)).isTrue();
  }

  @Test
  void anotherSecretOrClusterProvesNothing() {
    for (SharedSecret other :
        new SharedSecret[] {
          secret("the mill's secreT", "mill"), secret("the mill's secret", "m")
        }) {
      assertThat(other.proves(proof, Role.CALLER, exchange, ABOUT)).isFalse();
    }
  }

  @Test
  void aProofSentBackToWhomItCameFromProvesNothing() {
    assertThat(ours.proves(proof, Role.CALLEE, exchange, ABOUT)).isFalse();
  }

  @Test
  void aProofOfAnotherExchangePortOrSubjectProvesNothing() {
    byte[] caller = exchange.callerNonce();
    byte[] callee = exchange.calleeNonce();
    for (Exchange other :
        new Exchange[] {
          new Exchange(Port.MEMBERSHIP, caller, callee),
          new Exchange(Port.DATA, ours.nonce(), callee),
          new Exchange(Port.DATA, caller, ours.nonce()),
          new Exchange(Port.DATA, callee, caller)
        }) {
      assertThat(ours.proves(proof, Role.CALLER, other, ABOUT)).isFalse();
    }
    assertThat(ours.proves(proof, Role.CALLER, exchange, new byte[] {1, 2, 4})).isFalse();
  }

  @Test
  void damagedAndShortProofsProveNothing() {
    byte[] damaged = proof.clone();
    damaged[31] ^= 1;
    assertThat(ours.proves(damaged, Role.CALLER, exchange, ABOUT)).isFalse();
    assertThat(ours.proves(new byte[0], Role.CALLER, exchange, ABOUT)).isFalse();
  }
}
