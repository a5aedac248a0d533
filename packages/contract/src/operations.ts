import { accountOperations } from './accounts/closing/operations.ts';
import { connectionOperations } from './accounts/connections/operations.ts';
import { identityOperations } from './accounts/identity/operations.ts';
import { moveOperations } from './accounts/moves/operations.ts';
import { profileOperations } from './accounts/profiles/operations.ts';
import { walletOperations } from './agent-wallets/operations.ts';
import { cardOperations } from './agents/cards/operations.ts';
import { agentOperations } from './agents/operations.ts';
import { bountyOperations } from './bounties/operations.ts';
import type { OperationSpec } from './define-operation.ts';
import { savedSearchOperations } from './discovery/saved-searches/operations.ts';
import { searchOperations } from './discovery/search/operations.ts';
import { statsOperations } from './discovery/stats/operations.ts';
import { earnOperations } from './earn/operations.ts';
import { eventOperations } from './events/operations.ts';
import { moderationOperations } from './moderation/operations.ts';
import { moneyOperations } from './money/operations.ts';
import { notificationOperations } from './notifications/operations.ts';
import { onchainFeedbackOperations } from './onchain/feedback/operations.ts';
import { onchainIdentityOperations } from './onchain/identity/operations.ts';
import { disputeOperations } from './orders/disputes/operations.ts';
import { messageOperations } from './orders/messages/operations.ts';
import { orderOperations } from './orders/operations.ts';
import { portfolioOperations } from './orders/portfolio/operations.ts';
import { reviewOperations } from './orders/reviews/operations.ts';
import { workspaceOperations } from './orders/workspaces/operations.ts';
import { paymentOperations } from './payments/operations.ts';
import { saidOperations } from './said/operations.ts';
import { sandboxOperations } from './sandbox/operations.ts';
import { serviceOperations } from './services/operations.ts';
import { spendingOperations } from './spending/operations.ts';
import { feeOperations } from './tokens/fees/operations.ts';
import { tokenOperations } from './tokens/operations.ts';
import { swapOperations } from './tokens/swap/operations.ts';
import { uploadOperations } from './uploads/operations.ts';
import { webhookOperations } from './webhooks/operations.ts';
import { x402Operations } from './x402/operations.ts';

/**
 * The only list of operations. A group and a name (`agents.register`) are an operation's identity: the SDK method,
 * the CLI command, the OpenAPI operationId and the handler's key.
 */
export const operations = {
  agents: agentOperations,
  tokens: tokenOperations,
  said: saidOperations,
  onchainIdentity: onchainIdentityOperations,
  onchainFeedback: onchainFeedbackOperations,
  services: serviceOperations,
  search: searchOperations,
  savedSearches: savedSearchOperations,
  orders: orderOperations,
  disputes: disputeOperations,
  bounties: bountyOperations,
  workspaces: workspaceOperations,
  messages: messageOperations,
  reviews: reviewOperations,
  notifications: notificationOperations,
  events: eventOperations,
  portfolio: portfolioOperations,
  uploads: uploadOperations,
  webhooks: webhookOperations,
  auth: identityOperations,
  connections: connectionOperations,
  profiles: profileOperations,
  account: accountOperations,
  payments: paymentOperations,
  money: moneyOperations,
  wallets: walletOperations,
  moves: moveOperations,
  fees: feeOperations,
  swap: swapOperations,
  earn: earnOperations,
  spending: spendingOperations,
  moderation: moderationOperations,
  x402: x402Operations,
  stats: statsOperations,
  cards: cardOperations,
  sandbox: sandboxOperations,
} as const satisfies Record<string, Record<string, OperationSpec>>;

export type Operations = typeof operations;

/** `agents.register`, `auth.signIn`, … */
export type OperationName = { [G in keyof Operations]: `${G}.${keyof Operations[G] & string}` }[keyof Operations];

export type OperationOf<N extends OperationName> = N extends `${infer G extends keyof Operations}.${infer M}`
  ? M extends keyof Operations[G]
    ? Operations[G][M] extends OperationSpec
      ? Operations[G][M]
      : never
    : never
  : never;

export interface NamedOperation {
  readonly name: OperationName;
  readonly group: keyof Operations;
  readonly method: string;
  readonly spec: OperationSpec;
}

export const operationList: readonly NamedOperation[] = Object.entries(operations).flatMap(([group, members]) =>
  Object.entries(members as Record<string, OperationSpec>).map(([method, spec]) => ({
    name: `${group}.${method}` as OperationName,
    group: group as keyof Operations,
    method,
    spec,
  })),
);
