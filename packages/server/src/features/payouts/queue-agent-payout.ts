/** Pays an agent what it earned, on the chain the money came in on. Where our own money covers it, the agent may choose another chain. */
import type { NetworkName } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { LedgerAccount } from '../ledger/index.ts';
import type { PaidBy } from '../payments/index.ts';
import type { PayoutsContext } from './payouts-context.ts';
import { queueFirstPayout } from './queue-payout.ts';
import { type PaidAgent, routePayout } from './route-payout.ts';

interface AgentPayoutRequest {
  /** The subject of the payout. Each subject is paid once. */
  readonly subjectId: string;
  readonly paidBy: PaidBy;
  readonly agent: PaidAgent;
  readonly sourceNetwork: NetworkName;
  readonly amountMicros: bigint;
  /** The account that owes it, on `sourceNetwork`. */
  readonly from: LedgerAccount;
}

/** Only for the first payout of its subject: a second one fails the transaction. */
export async function queueAgentPayout(
  tx: Tx,
  context: Pick<PayoutsContext, 'chains' | 'secrets'>,
  { subjectId, paidBy, agent, sourceNetwork, amountMicros, from }: AgentPayoutRequest,
): Promise<void> {
  const route = await routePayout(tx, context, agent, sourceNetwork, amountMicros);
  await queueFirstPayout(tx, { purpose: 'payout', subjectId, paidBy, amountMicros, from, ...route });
}
