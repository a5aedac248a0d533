/** GET /api/explorer/…: payments, hires by machines and payouts, each with its transaction. */
import { formatUsd, type NetworkName, toWireTime } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { type HireRow, listHires, listPayments, listPublicPayouts, type PaymentRow, type PayoutRow } from './explorer-repository.ts';
import { shortenAddress } from './shorten-address.ts';
import type { StatsContext } from './stats-context.ts';

type Explorer = Pick<HandlersOf<'stats'>, 'payments' | 'hires' | 'payouts'>;
type PaymentKind = 'machine' | Exclude<PaymentRow['purpose'], 'x402' | 'earn_deposit'>;

export function explorerHandlers(context: StatsContext): Explorer {
  const { chains, database } = context;
  const { db } = database;
  const onChain = (network: NetworkName, reference: string | null) => ({
    network,
    tx_hash: reference,
    explorer_url: reference === null ? null : context.explorerUrl(network, reference),
  });

  return {
    async payments(input) {
      const caip2 = input.network === undefined ? undefined : chains.get(input.network)?.caip2;
      if (input.network !== undefined && caip2 === undefined) return { data: [], next_cursor: null };
      const purpose = input.kind === undefined ? undefined : purposeOf(input.kind);
      const { rows, nextCursor } = await listPayments(db, { caip2, purpose }, input);
      const data = rows.map((row) => ({
        kind: kindOf(row.purpose),
        ...onChain(row.network, row.reference),
        amount_usd: formatUsd(row.amountMicros),
        payer: shortenAddress(row.payer),
        finality: row.finality,
        ...presentHired(row),
        paid_at: toWireTime(row.claimedAt),
      }));
      return { data, next_cursor: nextCursor };
    },

    async hires(input) {
      const { rows, nextCursor } = await listHires(db, input.network, input);
      const data = rows.map((row) => ({
        ...onChain(row.network, row.reference),
        amount_usd: formatUsd(row.paidMicros),
        payer: shortenAddress(row.payer),
        ...presentHired(row),
        category: row.category,
        status: row.status,
        settlement: row.settlement,
        hired_at: toWireTime(row.createdAt),
      }));
      return { data, next_cursor: nextCursor };
    },

    async payouts(input) {
      const only = { network: input.network, purpose: input.kind };
      const { rows, nextCursor } = await listPublicPayouts(db, only, input);
      const data = rows.map((row) => ({
        kind: row.purpose,
        ...onChain(row.network, row.reference),
        amount_usd: formatUsd(row.amountMicros),
        destination: shortenAddress(row.destination),
        state: publicStates[row.state],
        ...presentHired(row),
        created_at: toWireTime(row.createdAt),
      }));
      return { data, next_cursor: nextCursor };
    },
  };
}

const publicStates = {
  queued: 'waiting',
  signed: 'sent',
  sent: 'sent',
  unknown: 'sent',
  confirmed: 'confirmed',
  parked: 'held_back',
} as const satisfies Record<PayoutRow['state'], string>;

function kindOf(purpose: PaymentRow['purpose']): PaymentKind {
  if (purpose === 'earn_deposit') return 'earn';
  return purpose === 'x402' ? 'machine' : purpose;
}

function purposeOf(kind: PaymentKind): PaymentRow['purpose'] {
  if (kind === 'earn') return 'earn_deposit';
  return kind === 'machine' ? 'x402' : kind;
}

function presentHired(row: PaymentRow | HireRow | PayoutRow) {
  return {
    order_id: row.orderId,
    service_id: row.serviceId,
    service_title: row.serviceTitle,
    agent_id: row.agentId,
    agent_name: row.agentName,
    agent_slug: row.agentSlug,
  };
}
