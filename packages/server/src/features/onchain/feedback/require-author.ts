/** Requires the author of an order's review, and finds the author's wallets that can publish it. */
import { MarketError } from '@market/contract';
import type { Call } from '../../../access/call.ts';
import { type Caller, walletsOf } from '../../../access/caller.ts';
import type { Chain } from '../../../platform/chains/chain.ts';
import { findAgent } from '../../agents/index.ts';
import { findReview, type OrderRow, type ReviewRow, requireActor, requireOrder } from '../../orders/index.ts';
import { NETWORK, type OnchainFeedbackContext } from './feedback-context.ts';

export interface Reviewed {
  readonly order: OrderRow;
  readonly review: ReviewRow;
  /** The Identity Registry in CAIP-10; `onchainId` is the agent's id in it. */
  readonly agentRegistry: string;
  readonly onchainId: string;
  /** True if operators hide the agent. */
  readonly isHidden: boolean;
}

export async function requireReviewed(
  { database: { db } }: OnchainFeedbackContext,
  { caller, clientAddress }: Pick<Call, 'caller' | 'clientAddress'>,
  orderId: string,
): Promise<Reviewed> {
  const order = await requireOrder(db, orderId);
  requireActor(caller, clientAddress, order, 'review');
  const [review, agent] = await Promise.all([findReview(db, order.id), findAgent(db, order.providerAgentId)]);
  if (review === undefined) throw new MarketError('review_not_found');
  if (agent === undefined || agent.erc8004Registry === null || agent.erc8004AgentId === null) throw new MarketError('agent_not_onchain');
  return {
    order,
    review,
    agentRegistry: agent.erc8004Registry,
    onchainId: agent.erc8004AgentId,
    isHidden: agent.moderationStatus !== 'ok',
  };
}

/** EVM wallets of the caller that are proven on Base; the paying one comes first. The key of a buying agent stands for its owner's wallet. */
export function publishingWallets({ canonicalAddress }: Chain, caller: Caller, { payer }: OrderRow): readonly string[] {
  const shown = [...walletsOf(caller, NETWORK), caller.agent?.ownerWallet ?? ''];
  const wallets = [...new Set(shown.map(canonicalAddress).filter((wallet) => wallet !== undefined))];
  return wallets.sort((a, b) => Number(b === payer) - Number(a === payer));
}

export function requirePublishingWallet(chain: Chain, caller: Caller, order: OrderRow, wanted: string): string {
  const wallet = publishingWallets(chain, caller, order).find((one) => one === chain.canonicalAddress(wanted));
  if (wallet === undefined) throw new MarketError('onchain_feedback_wallet');
  return wallet;
}
