/**
 * Verifies signatures of contract wallets (ERC-1271, ERC-6492) by asking nodes, which costs us and not the sender. So each client address
 * has a budget of checks, and recent refusals are repeated without asking.
 */

import { createHash } from 'node:crypto';
import { MarketError, type NetworkName, type RateLimit, usualNetwork } from '@market/contract';
import type { Chain } from '../platform/chains/chain.ts';
import type { Clock } from '../platform/clock/clock.ts';
import { limitedClient } from '../platform/limits/client-address.ts';
import type { RateLimiter } from '../platform/limits/rate-limiter.ts';
import type { ProvenNetwork } from './caller.ts';
import { refusalOverBudget } from './over-budget.ts';
import type { ContractSignature, SmartWalletVerifier } from './verify-wallet-signature.ts';

export interface ContractWalletsOptions {
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly limiter: RateLimiter;
  readonly limit: RateLimit;
  readonly clock: Clock;
}

const REFUSED_FOR_MS = 60_000;
const MOST_REFUSALS = 10_000;
const BUDGET = 'contract signatures';

export function createContractWallets({ chains, limiter, limit, clock }: ContractWalletsOptions): SmartWalletVerifier {
  const evm = [...chains.values()].filter(({ kind }) => kind === 'evm');
  const refusals = createRefusals();
  return {
    home: chains.has(usualNetwork.evm) ? usualNetwork.evm : evm[0]?.network,
    async verify(question) {
      if (evm.length === 0 || refusals.has(question)) return [];
      const verdict = await limiter.hit(BUDGET, limitedClient(question.clientAddress), limit);
      if (!verdict.allowed) {
        throw refusalOverBudget(
          verdict,
          clock,
          `Your address may have ${verdict.limit} signatures of contract wallets checked per minute.`,
        );
      }
      const proven = await askNetworks(evm, question);
      if (proven.length === 0) refusals.add(question);
      return proven;
    },
  };
}

/** Every network on which the wallet confirms the signature. Throws when none does and one could not be asked. */
async function askNetworks(chains: readonly Chain[], { address, text, signature }: ContractSignature): Promise<readonly ProvenNetwork[]> {
  const answers = await Promise.allSettled(chains.map((chain) => chain.verifyContractSignature(address, text, signature)));
  const proven = chains.filter((_chain, index) => {
    const answer = answers[index];
    return answer?.status === 'fulfilled' && answer.value;
  });
  const failure = answers.find((answer) => answer.status === 'rejected');
  if (proven.length === 0 && failure !== undefined) {
    throw new MarketError('unavailable', {
      message: 'The chain cannot be asked about this contract wallet right now. Try again shortly.',
      retryAfterSeconds: 5,
      cause: failure.reason,
    });
  }
  return proven.map(({ network, caip2 }) => ({ network, caip2 }));
}

/** The latest refusals of this process. A wallet may accept the signature later, so they expire soon. */
function createRefusals() {
  const until = new Map<string, number>();
  const keyOf = ({ address, text, signature }: ContractSignature) =>
    createHash('sha256')
      .update(JSON.stringify([address, text, signature]))
      .digest('base64');
  return {
    has: (question: ContractSignature) => (until.get(keyOf(question)) ?? 0) > performance.now(),
    add(question: ContractSignature) {
      const oldest = until.size >= MOST_REFUSALS ? until.keys().next().value : undefined;
      if (oldest !== undefined) until.delete(oldest);
      until.set(keyOf(question), performance.now() + REFUSED_FOR_MS);
    },
  };
}
