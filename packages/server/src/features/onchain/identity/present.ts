/** A registration → wire record. */
import { formatUnits, networkFacts, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import { NETWORK } from './onchain-identity-context.ts';
import type { RegistrationState } from './repository.ts';

export type IdentityAnswer = OperationAnswer<Operations['onchainIdentity']['read']>['data'];

const { decimals } = networkFacts[NETWORK].coin;

export function inEther(wei: bigint): string {
  return formatUnits(wei > 0n ? wei : 0n, decimals);
}

export interface ShownCost {
  readonly expected: bigint | undefined;
  readonly required: bigint | undefined;
  readonly free: bigint | undefined;
}

/** An agent that is not registered: never requested, or the last try failed. */
export function presentUnregistered(
  place: { readonly registry: string; readonly uri: string; readonly wallet: string | null },
  cost: ShownCost,
  last: RegistrationState | undefined,
): IdentityAnswer {
  const shown = (wei: bigint | undefined) => (wei === undefined ? null : inEther(wei));
  return {
    status: 'none',
    ...place,
    agent_id: null,
    tx_hash: null,
    explorer_url: null,
    registered_at: null,
    cost: { cost_eth: shown(cost.expected), required_eth: shown(cost.required), balance_eth: shown(cost.free) },
    last_failure: last?.reason ?? null,
  };
}

export function presentRegistration(row: RegistrationState, explorerUrl: (reference: string) => string | null): IdentityAnswer {
  const { registry, uri, wallet, reference, onchainId } = row;
  const isFinal = row.state === 'made';
  return {
    status: isFinal ? 'registered' : 'pending',
    registry,
    agent_id: onchainId,
    uri,
    wallet,
    tx_hash: reference,
    explorer_url: reference === null || !isFinal ? null : explorerUrl(reference),
    registered_at: isFinal && row.endedAt !== null ? toWireTime(row.endedAt) : null,
    cost: null,
    last_failure: null,
  };
}
