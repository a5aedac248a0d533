/**
 * A node can be swapped for one of another network while we run: behind a load balancer, or by a wrong DNS record. So what a node says about
 * money counts only while it has lately proven which network it serves.
 */
import { type Chain, ChainUnavailable } from './chain.ts';

const PROVEN_FOR_MS = 10_000;

/** `provenForMs`: how long one proof is good. The proof runs beside the question, so it costs calls but no time. */
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
    readReceipt: (reference, known) => proven(chain.readReceipt(reference, known)),
    listTreasuryTransfers: (cursor, limit) => proven(chain.listTreasuryTransfers(cursor, limit)),
    signTransfer: (transfer) => proven(chain.signTransfer(transfer)),
    readOutcome: (transfer, signed) => proven(chain.readOutcome(transfer, signed)),
    requireIdentity,
  };
}
