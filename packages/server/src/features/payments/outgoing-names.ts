/**
 * All names under which the books send the money of one transfer out again. Names follow from the transfer, because books restored from an
 * old backup make its purchase again with other ids.
 */
import { createHash } from 'node:crypto';
import type { NetworkName } from '@market/contract';
import { nameIntent } from '../../platform/intent-name.ts';

export interface PaidBy {
  readonly network: NetworkName;
  readonly reference: string;
}

type PayoutPurpose = 'payout' | 'refund' | 'surplus' | 'withdrawal' | 'earn_refund' | 'earn_withdrawal';

export interface NamedPayout {
  readonly purpose: PayoutPurpose;
  readonly subjectId: string;
  readonly paidBy?: PaidBy | undefined;
}

export function payoutIdFor({ purpose, subjectId, paidBy }: NamedPayout): string {
  return nameIntent('pay', `market payout ${purpose} ${paidBy === undefined ? subjectId : `${paidBy.network}/${paidBy.reference}`}`);
}

/** Names of the payout and the refund of a purchase. */
export function namesOfPurchase(paidBy: PaidBy): string[] {
  return [payoutIdFor({ purpose: 'payout', subjectId: '', paidBy }), nameOfRefund(paidBy)];
}

export function nameOfRefund(paidBy: PaidBy): string {
  return payoutIdFor({ purpose: 'refund', subjectId: '', paidBy });
}

/** One transfer makes one deposit, also after a restore. */
export function depositIdOf(caip2: string, reference: string): string {
  return `dep_${createHash('sha256').update(`earn deposit ${caip2} ${reference}`, 'utf8').digest('hex').slice(0, 32)}`;
}

/** Names a request to a venue after what it is for. */
export function intentIdOf(kind: string, subjectId: string, number: number): string {
  return nameIntent('evi', `earn ${kind} ${subjectId} ${number}`);
}

/** A failed deploy is requested again with the next number. */
const MOST_DEPLOYS = 8;

export function namesOfDeploys(depositId: string): string[] {
  return Array.from({ length: MOST_DEPLOYS }, (_, number) => intentIdOf('deposit', depositId, number));
}

/** Names of a deposit's refund and of its transfers to its venue. */
export function namesOfDeposit({ caip2, reference }: { readonly caip2: string; readonly reference: string }): string[] {
  const id = depositIdOf(caip2, reference);
  return [payoutIdFor({ purpose: 'earn_refund', subjectId: id }), ...namesOfDeploys(id)];
}

/** Names a surplus refund after the first transfer it came from. The number tells repeats apart. */
export function surplusSubjectOf({ network, reference }: PaidBy, payer: string, number: number): string {
  return `surplus/${network}/${reference}/${number}/${payer}`;
}

export function payerOfSurplus(subjectId: string): string {
  return subjectId.slice(subjectId.lastIndexOf('/') + 1);
}

/** The surplus of one transfer is seldom given back more than once. */
const MOST_SURPLUSES = 3;

export function namesOfSurplus(network: NetworkName, payer: string, references: readonly string[]): string[] {
  return references.flatMap((reference) =>
    Array.from({ length: MOST_SURPLUSES }, (_, number) =>
      payoutIdFor({ purpose: 'surplus', subjectId: surplusSubjectOf({ network, reference }, payer, number) }),
    ),
  );
}
