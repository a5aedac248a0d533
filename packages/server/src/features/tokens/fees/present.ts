/** Receipts, payouts and lines of creator fees → wire records. */
import { type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { FeeLine } from './reports-repository.ts';
import type { FeePayoutRow, ReceiptRow } from './repository.ts';

type Answers = { [M in keyof Operations['fees']]: OperationAnswer<Operations['fees'][M]>['data'] };

/** The id of a receipt. Further parts of one transaction end in a number: `sweep_…_1`. */
const sweepId = (reference: string, part: number): string => `sweep_${reference.slice(0, 16)}${part === 0 ? '' : `_${part}`}`;

export function presentSweep({ reference, part, lamports, bookedAt, mint }: ReceiptRow): Answers['sweeps'][number] {
  return {
    id: sweepId(reference, part),
    amount_lamports: Number(lamports),
    tx_hash: reference,
    swept_at: toWireTime(bookedAt),
    token_mint: mint,
  };
}

const statusOf = (state: FeePayoutRow['state']) => (state === 'confirmed' ? 'paid' : state === 'failed' ? 'failed' : 'pending');

export function presentFeePayout(row: FeePayoutRow): Answers['payouts'][number] {
  return {
    id: row.id,
    share: row.share,
    recipient_wallet: row.recipientWallet,
    agent_id: row.agentId,
    token_mint: row.mint,
    amount_lamports: Number(row.lamports),
    tx_hash: row.reference,
    status: statusOf(row.state),
    reason: row.reason,
    created_at: toWireTime(row.createdAt),
    paid_at: row.paidAt === null ? null : toWireTime(row.paidAt),
  };
}

export function presentFeeLine({
  at,
  kind,
  id,
  part,
  txHash,
  agentId,
  mint,
  agent,
  partner,
  buyback,
  float,
  status,
}: FeeLine): Answers['history']['lines'][number] {
  return {
    at: toWireTime(at),
    kind,
    id: kind === 'receipt' ? sweepId(id, part) : id,
    tx_hash: txHash,
    agent_id: agentId,
    token_mint: mint,
    agent_lamports: Number(agent),
    partner_lamports: Number(partner),
    buyback_lamports: Number(buyback),
    float_lamports: Number(float),
    status,
  };
}
