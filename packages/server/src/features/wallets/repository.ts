import type { AgentId } from '@market/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { WalletKind } from '../../platform/wallets/new-wallet-key.ts';

export async function findAgentWallet(db: Db, agentId: AgentId, kind: WalletKind): Promise<string | undefined> {
  const row = await db
    .selectFrom('agentWallets')
    .select('address')
    .where('agentId', '=', agentId)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return row?.address;
}

/** The address on record, which is another one when somebody else was quicker. */
export async function insertAgentWallet(
  tx: Tx,
  wallet: { agentId: AgentId; kind: WalletKind; address: string; sealedKey: string },
): Promise<string> {
  await tx
    .insertInto('agentWallets')
    .values(wallet)
    .onConflict((conflict) => conflict.columns(['agentId', 'kind']).doNothing())
    .execute();
  const address = await findAgentWallet(tx, wallet.agentId, wallet.kind);
  if (address === undefined) throw new Error(`the wallet of ${wallet.agentId} vanished`);
  return address;
}
