/** The current withdraw addresses of an agent, and waiting changes. */
import type { AgentId, MoveId } from '@market/contract';
import { z } from 'zod';
import type { Db } from '../../platform/db/database.ts';
import type { WalletKind } from '../../platform/wallets/new-wallet-key.ts';
import { listOpenMovesOf } from '../accounts/moves/index.ts';
import { listWithdrawAddresses } from './log-repository.ts';

export interface WithdrawAddress {
  readonly address: string | null;
  /** When the address was set or signed last. */
  readonly setAt: Date | null;
  readonly pending: { readonly address: string; readonly effectiveAt: Date; readonly moveId: MoveId } | null;
}

/** Payload of a move that changes a withdraw address. */
export const waitingAddress = z.object({ wallet_kind: z.enum(['solana', 'evm']), address: z.string() });

export async function readWithdrawAddresses(db: Db, agentId: AgentId): Promise<Readonly<Record<WalletKind, WithdrawAddress>>> {
  const rows = await listWithdrawAddresses(db, agentId);
  const moves = await listOpenMovesOf(db, agentId, 'withdraw_address');
  const waiting = moves.map(({ id, payload, effectiveAt }) => ({ moveId: id, effectiveAt, ...waitingAddress.parse(payload) }));
  const of = (kind: WalletKind): WithdrawAddress => {
    const pending = waiting.find(({ wallet_kind }) => wallet_kind === kind);
    const row = rows.find((one) => one.kind === kind);
    return {
      address: row?.address ?? null,
      setAt: row?.updatedAt ?? null,
      pending: pending === undefined ? null : { address: pending.address, effectiveAt: pending.effectiveAt, moveId: pending.moveId },
    };
  };
  return { solana: of('solana'), evm: of('evm') };
}
