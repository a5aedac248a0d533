import { agentOperations } from './agents/operations.ts';
import { bountyOperations } from './bounties/operations.ts';
import { cardOperations } from './cards/operations.ts';
import { accountOperations } from './closing/operations.ts';
import { connectionOperations } from './connections/operations.ts';
import type { OperationSpec } from './define-operation.ts';
import { disputeOperations } from './disputes/operations.ts';
import { earnOperations } from './earn/operations.ts';
import { eventOperations } from './events/operations.ts';
import { feeOperations } from './fees/operations.ts';
import { identityOperations } from './identity/operations.ts';
import { messageOperations } from './messages/operations.ts';
import { moderationOperations } from './moderation/operations.ts';
import { moneyOperations } from './money/operations.ts';
import { moveOperations } from './moves/operations.ts';
import { notificationOperations } from './notifications/operations.ts';
import { onchainFeedbackOperations } from './onchain-feedback/operations.ts';
import { onchainIdentityOperations } from './onchain-identity/operations.ts';
import { orderOperations } from './orders/operations.ts';
import { paymentOperations } from './payments/operations.ts';
import { portfolioOperations } from './portfolio/operations.ts';
import { profileOperations } from './profiles/operations.ts';
import { reviewOperations } from './reviews/operations.ts';
import { saidOperations } from './said/operations.ts';
import { sandboxOperations } from './sandbox/operations.ts';
import { savedSearchOperations } from './saved-searches/operations.ts';
import { searchOperations } from './search/operations.ts';
import { serviceOperations } from './services/operations.ts';
import { spendingOperations } from './spending/operations.ts';
import { statsOperations } from './stats/operations.ts';
import { swapOperations } from './swap/operations.ts';
import { tokenOperations } from './tokens/operations.ts';
import { uploadOperations } from './uploads/operations.ts';
import { walletOperations } from './wallets/operations.ts';
import { webhookOperations } from './webhooks/operations.ts';
import { workspaceOperations } from './workspaces/operations.ts';
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
