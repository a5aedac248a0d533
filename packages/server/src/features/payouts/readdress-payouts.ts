/** Sends payouts that wait after a restore to the address that the owner signed, at once. */
import { type AgentId, networkFacts, networkNames } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import { hastenJob } from '../../platform/jobs/job-repository.ts';
import type { WalletKind } from '../../platform/wallets/new-wallet-key.ts';
import { advanceJob } from './queue-payout.ts';
import { lockOutflow, readdressQueued } from './sending-repository.ts';

interface SignedAddress {
  readonly agentId: AgentId;
  readonly kind: WalletKind;
  readonly from: string;
  readonly to: string;
}

export async function readdressPayouts(tx: Tx, { kind, ...signed }: SignedAddress): Promise<void> {
  // The lock keeps payouts to the former address from being signed meanwhile.
  await lockOutflow(tx);
  const networks = networkNames.filter((network) => networkFacts[network].kind === kind);
  for (const id of await readdressQueued(tx, { ...signed, networks })) await hastenJob(tx, advanceJob(id).uniqueKey);
}
