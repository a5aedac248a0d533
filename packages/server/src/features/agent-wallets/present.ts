/** Wire shapes of wallets, movements and the custody log. */
import {
  formatUnits,
  formatUsd,
  type MovementStatus,
  type NetworkName,
  networkFacts,
  type OperationAnswer,
  type Operations,
  toWireTime,
} from '@market/contract';
import type { WalletKind } from '../../platform/wallets/new-wallet-key.ts';
import type { LogRow } from './log-repository.ts';
import { decimalsOf } from './movement-events.ts';
import type { MovementRow } from './repository.ts';
import type { WithdrawAddress } from './withdraw-addresses.ts';

export type MovementAnswer = OperationAnswer<Operations['wallets']['withdraw']>['data'];
type LogEntry = OperationAnswer<Operations['wallets']['log']>['data'][number];
export type WithdrawAnswer = OperationAnswer<Operations['wallets']['funding']>['data']['withdraw'];

type ShownMovement = Pick<MovementRow, 'id' | 'network' | 'destination' | 'asset' | 'amount' | 'state'>;

export function presentMovement(movement: ShownMovement, reference: string | null): MovementAnswer {
  return {
    movement_id: movement.id,
    ...presentSum(movement),
    status: statusOf(movement.state),
    tx_hash: reference,
    chain: networkFacts[movement.network].chain,
    destination: movement.destination,
  };
}

export function presentSum({ network, asset, amount }: Pick<MovementRow, 'network' | 'asset' | 'amount'>) {
  return { asset, amount: formatUnits(amount, decimalsOf(network, asset)), amount_usd: asset === 'usdc' ? formatUsd(amount) : null };
}

function statusOf(state: MovementRow['state']): MovementStatus {
  if (state === 'confirmed' || state === 'failed' || state === 'sent') return state;
  return 'pending';
}

export function presentLogEntry(row: LogRow, explorerUrl: (network: NetworkName, reference: string) => string | null): LogEntry {
  return {
    id: String(row.id),
    at: toWireTime(row.at),
    action: row.action,
    by: row.orderedBy,
    chain: row.network === null ? null : networkFacts[row.network].chain,
    address: row.address,
    effective_at: row.effectiveAt === null ? null : toWireTime(row.effectiveAt),
    movement: presentLoggedMovement(row, explorerUrl),
  };
}

function presentLoggedMovement(row: LogRow, explorerUrl: (network: NetworkName, reference: string) => string | null): LogEntry['movement'] {
  const { movementId, network, state, asset, amount, reference } = row;
  if (movementId === null || network === null || state === null || asset === null || amount === null) return null;
  return {
    movement_id: movementId,
    status: statusOf(state),
    tx_hash: reference,
    ...presentSum({ network, asset, amount }),
    reason: row.reason,
    fee_paid_by_market: row.frontedNative === null ? null : formatUnits(row.frontedNative, networkFacts[network].coin.decimals),
    explorer_url: reference === null || state !== 'confirmed' ? null : explorerUrl(network, reference),
  };
}

export function presentWithdraw({ solana, evm }: Readonly<Record<WalletKind, WithdrawAddress>>): WithdrawAnswer {
  const pending = ({ pending: waits }: WithdrawAddress) =>
    waits === null ? null : { address: waits.address, effective_at: toWireTime(waits.effectiveAt), move_id: waits.moveId };
  return {
    withdraw_address_solana: solana.address,
    withdraw_address_base: evm.address,
    pending_withdraw_address_solana: pending(solana),
    pending_withdraw_address_base: pending(evm),
  };
}
