/** Gives an agent a new owner: checks the proofs and replaces the API key, which rotates with every new owner. */
import { MarketError } from '@market/contract';
import { refuseConflict } from '../../access/authority/owners.ts';
import type { Call } from '../../access/call.ts';
import { hasOwner } from '../../access/ownership.ts';
import type { Tx } from '../../platform/db/database.ts';
import { isRestoredSince } from '../../platform/db/known-place-repository.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import { canonicalWallet } from '../../platform/wallets/wallet-address.ts';
import { makeApiKey } from './agent-secrets.ts';
import type { AgentsContext } from './agents-context.ts';
import { endPayers } from './announce-payer.ts';
import { ownerContext } from './pending-payout.ts';
import type { AgentChange, AgentRow } from './repository.ts';

export interface NewOwner {
  readonly change: AgentChange;
  /** The new API key, for the owner. */
  readonly apiKey: string;
}

/**
 * Makes the calling account an owner. For an agent without owner, its key and the account are enough, because some people have no wallet. An
 * agent with an owner wallet needs a message that this wallet signed, and that names agent and account.
 */
export async function attachAccount(tx: Tx, context: AgentsContext, agent: AgentRow, call: Call): Promise<NewOwner> {
  const { user, connection, wallet } = call.caller;
  if (user === undefined || connection !== undefined) throw new MarketError('owner_proof_required');
  if (agent.ownerUserId !== null && agent.ownerUserId !== user.id) throw new MarketError('owner_already_set');
  if (agent.ownerWallet !== null) {
    const { action } = wallet ?? {};
    const isAgreed = action?.action === 'link_agent' && action.agentId === agent.id && action.account === user.id;
    if (!isAgreed || wallet?.address !== agent.ownerWallet) throw askOwnerWallet(context, agent, call);
  }
  await context.ensureUser(tx, user.identity, context.clock.now());
  const twitterUsername = agent.twitterUsername ?? user.identity.twitterUsername ?? null;
  return await withNewKey(tx, context, agent, { ownerUserId: user.id, twitterUsername, ownerConflict: false });
}

/** Makes the wallet of the call the owner. It proves itself by a signed `own_agent` message, or by a custody signature over this call. */
export async function attachWallet(tx: Tx, context: AgentsContext, agent: AgentRow, call: Call, address: string): Promise<NewOwner> {
  const { wallet } = call.caller;
  if (wallet !== undefined && wallet.address !== address) throw new MarketError('wallet_mismatch');
  const isAgreed = wallet?.action?.action === 'own_agent' && wallet.action.agentId === agent.id;
  if (!isAgreed) await call.requireCustodySignature(tx, address);
  return await withNewKey(tx, context, agent, { ownerWallet: address, twitterShown: false });
}

/** Removes the owner account. The owner wallet asks for it, with a custody signature that is spent in `tx`. */
export async function detachAccount(tx: Tx, context: AgentsContext, agent: AgentRow, call: Call): Promise<NewOwner> {
  if (agent.ownerWallet === null) refuseConflict(agent);
  if (agent.ownerWallet === null || call.caller.wallet?.address !== agent.ownerWallet) throw new MarketError('owner_proof_required');
  await call.requireCustodySignature(tx, agent.ownerWallet);
  // In a conflict, account and wallet are not linked, so the X handle belongs to the account and goes with it.
  const handle = agent.ownerConflict ? { twitterUsername: null, twitterShown: false } : {};
  return await withNewKey(tx, context, agent, { ownerUserId: null, ownerConflict: false, ...handle });
}

/** Replaces the key and ends all allowed payers. An agent without owner also loses its payout addresses: any holder of the key set them. */
async function withNewKey(tx: Tx, context: AgentsContext, agent: AgentRow, change: AgentChange): Promise<NewOwner> {
  await endPayers(tx, context, agent);
  const key = makeApiKey(agent.id, context.secrets);
  const first = hasOwner(agent) ? {} : await firstOwner(tx, context, agent);
  return { change: { ...change, ...first, ...key.columns, retiredKeyHash: agent.apiKeyHash, ownerProven: true }, apiKey: key.apiKey };
}

const NO_PAYOUT = { payoutWallet: null, payoutAddressBase: null, payoutChain: null } as const satisfies AgentChange;

/** Marks an owner attached after a restore. In the lost books the agent may have another owner, who replaced the key shown now. */
async function firstOwner(tx: Tx, { clock }: AgentsContext, agent: AgentRow): Promise<AgentChange> {
  return { ...NO_PAYOUT, ...((await isRestoredSince(tx, agent.createdAt)) && { ownedSinceRestore: clock.now() }) };
}

/** Announces an owner attached after a restore to the agent's current endpoint, the new owner and readers of the agent's notifications. */
export function ownedEvents(agent: AgentRow, { change }: NewOwner): NewEvent[] {
  if (change.ownedSinceRestore == null) return [];
  const { ownerWallet = null, ownerUserId = null } = change;
  const data = { owner_wallet: ownerWallet, by_account: ownerUserId !== null };
  const context = ownerContext({ name: agent.name, ownerWallet, ownerUserId });
  return [{ type: 'agent.owned', subjectId: agent.id, agentId: agent.id, data, context }];
}

/** Builds the refusal that contains the message for the owner wallet to sign. */
function askOwnerWallet({ actionMessages }: AgentsContext, agent: AgentRow, { caller: { user } }: Call): MarketError {
  const known = canonicalWallet(agent.ownerWallet ?? '');
  const { email, googleEmail } = user?.identity ?? {};
  const accountLabel = email ?? googleEmail;
  const subject = user && {
    action: 'link_agent' as const,
    agentId: agent.id,
    account: user.id,
    ...(accountLabel !== undefined && { accountLabel }),
  };
  const message = known && subject && actionMessages.challenge(subject, known).message;
  return new MarketError('sign_in_message_required', {
    message: 'A wallet owns this agent. Sign this message with that wallet and send it as signed_message with wallet and wallet_sig.',
    data: { wallet: agent.ownerWallet, ...(message !== undefined && { message }) },
  });
}
