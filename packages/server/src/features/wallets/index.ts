/** Custodial wallets of agents, one per kind of chain: the last place a payout can go, so that it always has one. */
import type { AgentId } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { SealedColumn } from '../../platform/secrets/reseal.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { newWalletKey, type WalletKind } from '../../platform/wallets/new-wallet-key.ts';
import { proveWallet, sealedFor } from './prove-wallet.ts';
import { insertAgentWallet } from './repository.ts';

const kinds: readonly WalletKind[] = ['solana', 'evm'];

/** Every agent gets its wallets with its registration. The keys are sealed before they touch the database, and proven to open again. */
export async function provisionWallets(tx: Tx, secrets: SecretBox, agentId: AgentId): Promise<void> {
  for (const kind of kinds) {
    const { address, secret } = newWalletKey(kind);
    const wallet = { agentId, kind, address, sealedKey: secrets.seal(secret, sealedFor({ agentId, kind, address })) };
    proveWallet(secrets, wallet);
    await insertAgentWallet(tx, wallet);
  }
}

/** Where their keys are stored. */
export const sealedWalletColumns: readonly SealedColumn[] = [
  {
    table: 'agent_wallets',
    keys: ['agent_id', 'kind'],
    column: 'sealed_key',
    needs: ['address'],
    contextOf: ({ agent_id: agentId = '', kind = '', address = '' }) => sealedFor({ agentId, kind, address }),
  },
];

export { type PayableAgent, payoutDestination } from './payout-destination.ts';
export { provenDestinations } from './prove-wallet.ts';
export { readAgentWallets, readWalletsOf, type WalletRow } from './repository.ts';
