/** Notifies the payer of a transfer, and the accounts its wallet is linked to, that somebody presented it without proof. */
import { type NetworkName, toWireTime } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { PaymentsContext } from './payments-context.ts';
import { listAccountsOf, notePresentation, type Presentation } from './presentations-repository.ts';

export interface BarePresentation extends Presentation {
  readonly network: NetworkName;
  readonly purpose: string;
  /** The time until which the payer can move the payment to another request. */
  readonly contestableUntil: Date | null;
}

/** Notifies once of a refused transfer and once of its purchase: repetitions by strangers write nothing. */
export async function announceBare(tx: Tx, { events }: Pick<PaymentsContext, 'events'>, presented: BarePresentation): Promise<void> {
  if (!(await notePresentation(tx, presented))) return;
  const { network, reference, payer, purpose, subjectId, contestableUntil, caip2 } = presented;
  const owners = [`wallet:${payer}` as const, ...(await listAccountsOf(tx, payer)).map((id) => `user:${id}` as const)];
  await events.append(tx, [
    {
      type: 'payment.presented_bare',
      subjectId: subjectId ?? `${caip2}/${reference}`,
      readers: owners,
      data: {
        network,
        reference,
        payer,
        purpose,
        outcome: subjectId === null ? 'refused' : 'accepted',
        ...(subjectId !== null && (purpose === 'registration' ? { agent_id: subjectId } : { order_id: subjectId })),
        contestable_until: contestableUntil === null ? null : toWireTime(contestableUntil),
      },
      context: { owners },
    },
  ]);
}
