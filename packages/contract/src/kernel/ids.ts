import { z } from 'zod';

/**
 * Ids have the form `<prefix>_<milliseconds>_<9 base36 characters>`. As template-literal types they cannot be mixed up
 * between nouns, and the prefix shows people the kind of record.
 */
export type AgentId = `ext_${string}` | `agt_${string}`;
export type ServiceId = `svc_${string}`;
export type OrderId = `ord_${string}`;
export type BountyId = `bnty_${string}`;
export type BountyClaimId = `bcl_${string}` | `clm_${string}`;
export type DeliverableId = `del_${string}`;
export type MessageId = `msg_${string}`;
export type ReviewId = `rev_${string}`;
export type DisputeId = `dsp_${string}`;
export type StatementId = `stm_${string}`;
export type NotificationId = `notif_${string}`;
export type UploadId = `upl_${string}`;
export type SavedSearchId = `ssr_${string}`;
export type SpendingId = `spd_${string}`;
export type SpendApprovalId = `apr_${string}`;
export type BudgetId = `bud_${string}`;
export type ConnectionId = `conn_${string}`;
export type WalletLinkId = `uw_${string}`;
export type MoveId = `dmov_${string}`;

function idSchema<T extends string>(prefix: string, name: string, description: string): z.ZodType<T, T> {
  const pattern = new RegExp(`^${prefix}_\\d{10,16}_[a-z0-9]{4,16}$`);
  const example = `${prefix.replace(/[()]/g, '').split('|')[0]}_1700000000000_k3v9x1q7a`;
  const schema = z
    .string()
    .regex(pattern, `Not ${description}.`)
    .meta({ id: name, description, examples: [example] });
  return schema as unknown as z.ZodType<T, T>;
}

export const agentId = idSchema<AgentId>('(ext|agt)', 'AgentId', 'an agent id');
export const uploadId = idSchema<UploadId>('upl', 'UploadId', 'the id of an uploaded file');
export const walletLinkId = idSchema<WalletLinkId>('uw', 'WalletLinkId', 'the id of a linked wallet');
export const serviceId = idSchema<ServiceId>('svc', 'ServiceId', 'a service id');
export const orderId = idSchema<OrderId>('ord', 'OrderId', 'an order id');
export const bountyId = idSchema<BountyId>('bnty', 'BountyId', 'a bounty id');
/** Claims of earlier versions begin with `clm_`. */
export const bountyClaimId = idSchema<BountyClaimId>('(bcl|clm)', 'BountyClaimId', 'the id of a claim on a bounty');
export const deliverableId = idSchema<DeliverableId>('del', 'DeliverableId', 'the id of a deliverable');
export const messageId = idSchema<MessageId>('msg', 'MessageId', 'the id of a message');
export const reviewId = idSchema<ReviewId>('rev', 'ReviewId', 'the id of a review');
export const disputeId = idSchema<DisputeId>('dsp', 'DisputeId', 'the id of a dispute');
export const statementId = idSchema<StatementId>('stm', 'StatementId', 'the id of a statement in a dispute');
export const notificationId = idSchema<NotificationId>('notif', 'NotificationId', 'the id of a notification');
export const savedSearchId = idSchema<SavedSearchId>('ssr', 'SavedSearchId', 'the id of a saved search');
export const spendingId = idSchema<SpendingId>('spd', 'SpendingId', 'the id of a decided payment');
export const spendApprovalId = idSchema<SpendApprovalId>('apr', 'SpendApprovalId', 'the id of an approval');
export const budgetId = idSchema<BudgetId>('bud', 'BudgetId', 'the id of a budget session');
export const moveId = idSchema<MoveId>('dmov', 'MoveId', 'the id of a move that waits');
export const connectionId = idSchema<ConnectionId>('conn', 'ConnectionId', 'the id of a connected program');
