/**
 * A load balancer or a wrong DNS record can swap a node for one of another network while we run. So a node's answers about money count only
 * if it has recently proven its network.
 */
import type { AgentRegistrar } from './agent-registrar.ts';
import { type Chain, ChainUnavailable } from './chain.ts';
import type { FeedbackRegistry } from './feedback-registry.ts';
import type { TokenLauncher } from './token-launcher.ts';
import type { YieldVenues } from './yield-venues.ts';

const PROVEN_FOR_MS = 10_000;

/** `provenForMs`: how long one proof stays valid. The proof runs concurrently with the call, so it costs requests but no time. */
export function withIdentityWatch(chain: Chain, provenForMs = PROVEN_FOR_MS): Chain {
  let provenAt = Number.NEGATIVE_INFINITY;

  async function requireIdentity(): Promise<void> {
    const askedAt = performance.now();
    await chain.requireIdentity();
    provenAt = askedAt;
  }

  async function prove(): Promise<void> {
    if (performance.now() - provenAt < provenForMs) return;
    try {
      await requireIdentity();
    } catch (error) {
      if (error instanceof ChainUnavailable) throw error;
      throw new ChainUnavailable(chain.network, 'the node serves another network than it should', error);
    }
  }

  async function proven<T>(asked: Promise<T>): Promise<T> {
    const [answer] = await Promise.all([asked, prove()]);
    return answer;
  }

  return {
    ...chain,
    // Pass all arguments on: a lost one would silently lift a limit.
    readReceipt: (...asked) => proven(chain.readReceipt(...asked)),
    listTreasuryTransfers: (...asked) => proven(chain.listTreasuryTransfers(...asked)),
    listOutgoing: (...asked) => proven(chain.listOutgoing(...asked)),
    signTransfer: (...asked) => proven(chain.signTransfer(...asked)),
    replaceTransfer: (...asked) => proven(chain.replaceTransfer(...asked)),
    readOutcome: (...asked) => proven(chain.readOutcome(...asked)),
    ...withProven(chain, proven),
    ...(chain.launcher !== undefined && { launcher: provenLauncher(chain.launcher, proven) }),
    ...(chain.registrar !== undefined && { registrar: provenRegistrar(chain.registrar, proven) }),
    ...(chain.feedback !== undefined && { feedback: provenFeedback(chain.feedback, proven) }),
    ...(chain.venues !== undefined && { venues: provenVenues(chain.venues, proven) }),
    requireIdentity,
  };
}

/** Methods that only some networks have. */
function withProven(
  { isAuthorised, countSent, coins }: Chain,
  proven: <T>(asked: Promise<T>) => Promise<T>,
): Pick<Chain, 'isAuthorised' | 'countSent' | 'coins'> {
  return {
    ...(isAuthorised !== undefined && { isAuthorised: (...asked) => proven(isAuthorised(...asked)) }),
    ...(countSent !== undefined && { countSent: () => proven(countSent()) }),
    ...(coins !== undefined && { coins: { ...coins, listOutgoingCoins: (...asked) => proven(coins.listOutgoingCoins(...asked)) } }),
  };
}

function provenLauncher(launcher: TokenLauncher, proven: <T>(asked: Promise<T>) => Promise<T>): TokenLauncher {
  return {
    signMint: (...asked) => proven(launcher.signMint(...asked)),
    readOutcome: (...asked) => proven(launcher.readOutcome(...asked)),
    isMade: (...asked) => proven(launcher.isMade(...asked)),
    findMaking: (...asked) => proven(launcher.findMaking(...asked)),
  };
}

function provenRegistrar(registrar: AgentRegistrar, proven: <T>(asked: Promise<T>) => Promise<T>): AgentRegistrar {
  return {
    estimate: (...asked) => proven(registrar.estimate(...asked)),
    signRegistration: (...asked) => proven(registrar.signRegistration(...asked)),
    readOutcome: (...asked) => proven(registrar.readOutcome(...asked)),
    readAgentId: (...asked) => proven(registrar.readAgentId(...asked)),
    findRegistered: (...asked) => proven(registrar.findRegistered(...asked)),
  };
}

function provenFeedback(feedback: FeedbackRegistry, proven: <T>(asked: Promise<T>) => Promise<T>): FeedbackRegistry {
  return {
    hashFile: feedback.hashFile,
    prepare: (...asked) => proven(feedback.prepare(...asked)),
    read: (...asked) => proven(feedback.read(...asked)),
  };
}

function provenVenues(venues: YieldVenues, proven: <T>(asked: Promise<T>) => Promise<T>): YieldVenues {
  return {
    check: (...asked) => proven(venues.check(...asked)),
    read: (...asked) => proven(venues.read(...asked)),
    readHeld: (...asked) => proven(venues.readHeld(...asked)),
    previewDeposit: (...asked) => proven(venues.previewDeposit(...asked)),
    previewRedeem: (...asked) => proven(venues.previewRedeem(...asked)),
    valueOf: (...asked) => proven(venues.valueOf(...asked)),
    readAllowance: (...asked) => proven(venues.readAllowance(...asked)),
    sign: (...asked) => proven(venues.sign(...asked)),
    replace: (...asked) => proven(venues.replace(...asked)),
    readOutcome: (...asked) => proven(venues.readOutcome(...asked)),
    readResult: (...asked) => proven(venues.readResult(...asked)),
    listRedeemed: (...asked) => proven(venues.listRedeemed(...asked)),
  };
}
