/** Withdraws from an agent's wallet when the agent asks, to the address that its owner set. */
import { MarketError, networkFacts, networkOfChain, operations, toWireTime } from '@market/contract';
import { ownerProofMissing } from '../../../access/authority/owners.ts';
import type { HandlersOf } from '../../../access/call.ts';
import type { Db } from '../../../platform/db/database.ts';
import { readRestoredAt } from '../../../platform/db/known-place-repository.ts';
import { findAgent } from '../../agents/index.ts';
import type { AgentWalletsContext } from '../agent-wallets-context.ts';
import { requestMovement, requireChain } from '../request-movement.ts';
import { requireAgentBudget } from '../require-budget.ts';
import { readWithdrawAddresses } from '../withdraw-addresses.ts';

export function withdrawFromWallet(context: AgentWalletsContext): HandlersOf<'wallets'>['withdraw'] {
  return async ({ chain, asset, amount, not_sent_before: notSentBefore }, call) => {
    const { database } = context;
    const agent = call.caller.agent && (await findAgent(database.db, call.caller.agent.id));
    if (agent === undefined) throw new MarketError('unauthenticated');
    // Refuse a connected program whose person is only linked to the owner wallet.
    if (call.caller.agent?.byLink === true) throw ownerProofMissing(call.caller, agent);
    await requireAgentBudget(context, call, operations.wallets.withdraw, agent.id);
    const network = networkOfChain(chain);
    requireChain(context, network);
    const readAddress = async (db: Db) => (await readWithdrawAddresses(db, agent.id))[networkFacts[network].kind];
    const { address, setAt, pending } = await readAddress(database.db);
    if (address === null) throw withoutAddress(pending !== null);
    if (address !== agent.ownerWallet) await refuseRestored(context, setAt);
    return await requestMovement(context, call, {
      agent,
      by: 'agent_key',
      purpose: 'withdraw',
      network,
      asset,
      amount,
      notSentBefore,
      destination: address,
      // The owner may have cleared or changed the address while the chain was asked.
      async store(tx) {
        const now = await readAddress(tx);
        if (now.address === null) throw withoutAddress(now.pending !== null);
        if (now.address !== address) throw new MarketError('withdraw_address_missing', { message: CHANGED });
      },
    });
  };
}

/** Refuses an address from before a restore for a while: the owner may have replaced it since the backup. */
async function refuseRestored({ database, clock, payoutChangeDelaySeconds }: AgentWalletsContext, setAt: Date | null): Promise<void> {
  const restoredAt = await readRestoredAt(database.db);
  if (restoredAt === undefined || (setAt !== null && setAt > restoredAt)) return;
  const until = new Date(restoredAt.getTime() + payoutChangeDelaySeconds * 1000);
  if (clock.now() >= until) return;
  throw new MarketError('withdraw_address_missing', {
    message: `The marketplace was restored from a backup, so the withdraw address may be an old one. It counts from ${toWireTime(until).slice(0, 16)} UTC on, or at once when the owner signs it again.`,
  });
}

const CHANGED = 'The owner changed the withdraw address of this chain just now. Nothing was moved; withdraw again.';

function withoutAddress(isWaiting: boolean): MarketError {
  if (!isWaiting) return new MarketError('withdraw_address_missing');
  return new MarketError('withdraw_address_missing', {
    message: 'The withdraw address of this chain was changed and does not count yet. Wait, or let the owner’s wallet sign the change.',
  });
}
