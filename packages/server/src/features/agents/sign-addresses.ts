/** Records that the owner signed the agent's payout addresses, and releases payouts to them that a restore holds back. */
import { payoutNetworks } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import { readRestoredAt } from '../../platform/db/known-place-repository.ts';
import { readdressPayouts } from '../payouts/index.ts';
import { provenDestinations } from '../wallet-keys/index.ts';
import type { AgentsContext } from './agents-context.ts';
import type { AgentChange, AgentRow } from './repository.ts';

/** Address fields in the owner's request. Absent ones were not signed. */
interface Given {
  readonly payout_wallet?: string | null | undefined;
  readonly payout_address_base?: string | null | undefined;
}

export async function signAddresses(tx: Tx, context: AgentsContext, agent: AgentRow, before: AgentRow, given: Given): Promise<AgentChange> {
  const now = context.clock.now();
  const [isSolana, isEvm] = [given.payout_wallet !== undefined, given.payout_address_base !== undefined];
  if (await isJustRestored(tx, context)) {
    const destinationOn = await provenDestinations(tx, context.secrets, agent);
    const { payoutWallet: solana, payoutAddressBase: evm } = before;
    if (isSolana && solana !== null) {
      const to = destinationOn(payoutNetworks.solana);
      await readdressPayouts(tx, { agentId: agent.id, kind: 'solana', from: solana, to });
      await context.readdressClaims(tx, agent.id, solana, to);
    }
    if (isEvm && evm !== null)
      await readdressPayouts(tx, { agentId: agent.id, kind: 'evm', from: evm, to: destinationOn(payoutNetworks.base) });
  }
  return { ...(isSolana && { payoutWalletSignedAt: now }), ...(isEvm && { payoutAddressBaseSignedAt: now }) };
}

/** True while payouts to addresses from the backup are held back. */
async function isJustRestored(tx: Tx, { clock, payoutChangeDelaySeconds }: AgentsContext): Promise<boolean> {
  const restoredAt = await readRestoredAt(tx);
  return restoredAt !== undefined && clock.now().getTime() < restoredAt.getTime() + payoutChangeDelaySeconds * 1000;
}
