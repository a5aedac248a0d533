/** Custodial wallets of agents, one per kind of chain. They are the last choice for a payout, so that every payout has a destination. */
import type { AgentId } from '@market/contract';
import { z } from 'zod';
import type { Database, Tx } from '../../platform/db/database.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import type { SealedColumn } from '../../platform/secrets/reseal.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { newWalletKey, type WalletKind } from '../../platform/wallets/new-wallet-key.ts';
import { proveWallet, sealedFor } from './prove-wallet.ts';
import { insertAgentWallet, insertMissingWallet, listAgentsWithoutWallets, listAgentWallets, type WalletRow } from './repository.ts';

const kinds: readonly WalletKind[] = ['solana', 'evm'];

/** Every agent gets its wallets with its registration. The keys are sealed before they touch the database, and proven to open again. */
export async function provisionWallets(tx: Tx, secrets: SecretBox, agentId: AgentId): Promise<void> {
  for (const kind of kinds) await insertAgentWallet(tx, makeWallet(secrets, agentId, kind));
}

function makeWallet(secrets: SecretBox, agentId: AgentId, kind: WalletKind) {
  const { address, secret } = newWalletKey(kind);
  const wallet = { agentId, kind, address, sealedKey: secrets.seal(secret, sealedFor({ agentId, kind, address })) };
  proveWallet(secrets, wallet);
  return wallet;
}

interface Vault {
  readonly database: Database;
  readonly secrets: SecretBox;
}

/** Returns the wallets of an agent and makes those that are missing. */
export async function ensureWallets({ database, secrets }: Vault, agentId: AgentId): Promise<readonly WalletRow[]> {
  const known = await listAgentWallets(database.db, agentId);
  const missing = kinds.filter((kind) => !known.some((wallet) => wallet.kind === kind));
  if (missing.length === 0) return known;
  await database.transaction(async (tx) => {
    for (const kind of missing) await insertMissingWallet(tx, makeWallet(secrets, agentId, kind));
  });
  return await listAgentWallets(database.db, agentId);
}

const AGENTS_PER_ROUND = 200;

/** Makes the wallets of agents that were registered before there were any. */
export function provisionMissingJob(vault: Vault): JobDefinition {
  return defineJob({
    kind: 'wallets.provision_missing',
    payload: z.object({}),
    retryAfterSeconds: [],
    everySeconds: 86_400,
    async run() {
      for (const id of await listAgentsWithoutWallets(vault.database.db, AGENTS_PER_ROUND)) await ensureWallets(vault, id);
    },
  });
}

/** The column that stores the keys of the wallets. */
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
export { openWallet, provenDestinations } from './prove-wallet.ts';
export { listAllWallets, readAgentWallets, readWalletsOf } from './repository.ts';
export { type AddressHold, findAddressHold } from './restored-address.ts';
export type { WalletRow };
