/** The withdraw addresses in effect. A change that waited long enough counts without anybody writing it. */
import type { AgentId } from '@market/contract';
import type { Db } from '../../platform/db/database.ts';
import type { WalletKind } from '../../platform/wallets/new-wallet-key.ts';
import { listWithdrawAddresses, type WithdrawRow } from './log-repository.ts';

export interface WithdrawAddress {
  readonly address: string | null;
  readonly pending: { readonly address: string; readonly effectiveAt: Date } | null;
}

export async function readWithdrawAddresses(db: Db, agentId: AgentId, now: Date): Promise<Readonly<Record<WalletKind, WithdrawAddress>>> {
  const rows = await listWithdrawAddresses(db, agentId);
  const of = (kind: WalletKind) =>
    inEffect(
      rows.find((row) => row.kind === kind),
      now,
    );
  return { solana: of('solana'), evm: of('evm') };
}

function inEffect(row: WithdrawRow | undefined, now: Date): WithdrawAddress {
  if (row === undefined) return { address: null, pending: null };
  if (row.nextAddress === null || row.nextAt === null) return { address: row.address, pending: null };
  if (row.nextAt.getTime() <= now.getTime()) return { address: row.nextAddress, pending: null };
  return { address: row.address, pending: { address: row.nextAddress, effectiveAt: row.nextAt } };
}
