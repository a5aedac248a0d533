/** One edit of an agent, by its key or by its owner. Both update operations end here. */
import { type AgentId, MarketError, type OperationArguments, type Operations } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import type { Caller } from '../../../access/caller.ts';
import { hasOwner, isOwner, isOwnerByAccount, mayEditAgent } from '../../../access/ownership.ts';
import { type Db, isUniqueViolation, type Tx } from '../../../platform/db/database.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import { ensureUser } from '../../identity/index.ts';
import { reviewText } from '../../moderation/index.ts';
import { readAgentWallets } from '../../wallets/index.ts';
import { makeWebhookSecret } from '../agent-secrets.ts';
import type { AgentsContext } from '../agents-context.ts';
import { isReservedName, nameSkeleton } from '../naming.ts';
import { requirePayableAddresses } from '../payable-address.ts';
import { appendPayoutEvent, holdPayoutChange, NO_PENDING_PAYOUT } from '../pending-payout.ts';
import { isEvmAddress, presentOwn } from '../present.ts';
import { requirePublicEndpoint } from '../public-endpoint.ts';
import { type AgentChange, type AgentRow, findAgent, lockAgent, updateAgent as writeAgent } from '../repository.ts';

type OwnEdit = OperationArguments<Operations['agents']['updateMe']>;

export function updateOwnAgent(context: AgentsContext): HandlersOf<'agents'>['updateMe'] {
  return async (input, call) => {
    if (call.caller.agent === undefined) throw new MarketError('unauthenticated');
    return await edit(context, call.caller.agent.id, input, call);
  };
}

export function updateAgent(context: AgentsContext): HandlersOf<'agents'>['update'] {
  return async ({ id: idOrSlug, ...input }, call) => {
    const agent = await findAgent(context.database.db, idOrSlug);
    if (agent === undefined) throw new MarketError('agent_not_found');
    return await edit(context, agent.id, input, call);
  };
}

async function edit(context: AgentsContext, id: AgentId, input: OwnEdit, call: Call) {
  if (input.name !== undefined && isReservedName(input.name, context.serviceName)) throw new MarketError('name_reserved');
  await requirePublicEndpoint(input, context.outbound);
  await requirePayableAddresses(input, context.chains);
  try {
    return await call.commit(async (tx) => {
      const agent = await lockAgent(tx, id);
      if (agent === undefined) throw new MarketError('agent_not_found');
      if (!mayEditAgent(call.caller, agent)) throw new MarketError('forbidden', { message: 'This agent is not yours.' });
      const change: AgentChange = {
        ...textChange(agent, input),
        ...endpointChange(agent, input, context),
        ...(await payoutChange(tx, agent, input, call, context)),
        ...(await ownerChange(tx, agent, input, call, context)),
      };
      if (Object.keys(change).length > 0) {
        await writeAgent(tx, id, { ...change, updatedAt: context.clock.now() });
        await context.events.append(tx, [{ type: 'agent.updated', subjectId: id, agentId: id, data: { fields: namesOf(input) } }]);
      }
      const updated = await findAgent(tx, id);
      if (updated === undefined) throw new MarketError('agent_not_found');
      return { data: presentOwn(updated, await readAgentWallets(tx, id), context.secrets, call.caller) };
    });
  } catch (error) {
    if (isUniqueViolation(error, 'agents_one_name')) throw new MarketError('name_taken');
    throw error;
  }
}

/** Names of the changed fields, as in the request. */
function namesOf(input: OwnEdit): string[] {
  return Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

function textChange(agent: AgentRow, input: OwnEdit): AgentChange {
  const change: AgentChange = {};
  if (input.name !== undefined) Object.assign(change, { name: input.name, nameSkeleton: nameSkeleton(input.name) });
  if (input.description !== undefined) change.description = input.description;
  if (input.avatar_url !== undefined) change.avatarUrl = input.avatar_url;
  if (input.capabilities !== undefined) change.capabilities = input.capabilities;
  if (input.ai_models !== undefined) change.aiModels = input.ai_models;
  // Clean text clears `review`; only an operator clears `spam`.
  if ((input.name !== undefined || input.description !== undefined) && agent.moderationStatus !== 'spam') {
    const verdict = reviewText(input.name ?? agent.name, input.description ?? agent.description);
    Object.assign(change, { moderationStatus: verdict.status, moderationReason: verdict.reason });
  }
  return change;
}

function endpointChange(agent: AgentRow, input: OwnEdit, context: AgentsContext): AgentChange {
  if (input.endpoint_url === undefined) return {};
  const needsSecret = input.endpoint_url !== null && agent.webhookSecretSealed === null;
  return {
    endpointUrl: input.endpoint_url,
    ...(needsSecret && { webhookSecretSealed: makeWebhookSecret(agent.id, context.secrets).sealed }),
  };
}

/** Only the owner may change where an agent's money goes: a leaked key must not redirect it. */
async function payoutChange(tx: Tx, agent: AgentRow, input: OwnEdit, call: Call, context: AgentsContext): Promise<AgentChange> {
  const { payout_wallet, payout_chain, payout_address_base } = input;
  if (payout_wallet === undefined && payout_chain === undefined && payout_address_base === undefined) return {};
  const isSigned = hasOwner(agent) ? await requireOwnerProof(tx, agent, call) : true;
  const payoutAddressBase =
    payout_address_base === undefined ? agent.payoutAddressBase : canonicalOf(payout_address_base, 'payout_address_base');
  const payoutChain = payout_chain ?? agent.payoutChain;
  if (payoutChain === 'base' && payoutAddressBase === null && !isEvmAddress(agent.ownerWallet))
    throw new MarketError('payout_address_missing');
  const payoutWallet = payout_wallet === undefined ? agent.payoutWallet : canonicalOf(payout_wallet, 'payout_wallet');
  const isOtherAddress = payoutWallet !== agent.payoutWallet || payoutAddressBase !== agent.payoutAddressBase;
  if (isOtherAddress && !isSigned && context.payoutChangeDelaySeconds > 0)
    return await holdPayoutChange(tx, context, agent, { payoutWallet, payoutAddressBase, payoutChain });
  if (isOtherAddress && hasOwner(agent)) await announcePayoutChange(tx, context, agent, { payoutWallet, payoutAddressBase });
  // Sending the current addresses again cancels a pending change.
  return { payoutWallet, payoutAddressBase, payoutChain, ...(agent.pendingPayoutAt !== null && NO_PENDING_PAYOUT) };
}

async function announcePayoutChange(
  tx: Tx,
  { events }: AgentsContext,
  agent: AgentRow,
  { payoutWallet, payoutAddressBase }: Pick<AgentRow, 'payoutWallet' | 'payoutAddressBase'>,
): Promise<void> {
  await appendPayoutEvent(tx, events, agent, 'agent.payout_changed', {
    ...(payoutWallet !== agent.payoutWallet && { payout_wallet: payoutWallet }),
    ...(payoutAddressBase !== agent.payoutAddressBase && { payout_address_base: payoutAddressBase }),
  });
}

/**
 * The owner's proof is a sign-in token, or a signature of the owner wallet over this change. True when the wallet signed. A connected
 * program holds no sign-in token: only the signature counts.
 */
export async function requireOwnerProof(tx: Db, agent: AgentRow, call: Call): Promise<boolean> {
  const { caller } = call;
  const isOwnerWallet = caller.wallet !== undefined && caller.wallet.address === agent.ownerWallet;
  const isByAccount = caller.connection === undefined && isOwnerByAccount(caller, agent);
  if (isByAccount && !(isOwnerWallet && caller.wallet?.proof === 'custody')) return false;
  if (isOwnerWallet && agent.ownerWallet !== null) {
    await call.requireCustodySignature(tx, agent.ownerWallet);
    return true;
  }
  throw ownerProofMissing(caller);
}

function ownerProofMissing({ connection }: Caller): MarketError {
  if (connection === undefined) return new MarketError('owner_proof_required');
  return new MarketError('owner_proof_required', {
    message: 'A connected program cannot change this. The owner changes it on this site, or adds a signature of the owner wallet.',
  });
}

/** Ownership can be claimed once, with proof from the new owner. */
async function ownerChange(tx: Tx, agent: AgentRow, input: OwnEdit, call: Call, context: AgentsContext): Promise<AgentChange> {
  const change: AgentChange = {};
  if (input.owner_wallet !== undefined) {
    const wallet = canonicalOf(input.owner_wallet, 'owner_wallet');
    if (wallet !== agent.ownerWallet) {
      if (hasOwner(agent)) throw new MarketError('owner_already_set');
      if (call.caller.wallet !== undefined && call.caller.wallet.address !== wallet) throw new MarketError('wallet_mismatch');
      await call.requireCustodySignature(tx, wallet as string);
      change.ownerWallet = wallet;
    }
  }
  if (input.idp_user_id !== undefined && input.idp_user_id !== agent.ownerUserId) {
    const { user, connection } = call.caller;
    if (connection !== undefined || user === undefined || user.id !== input.idp_user_id) throw ownerProofMissing(call.caller);
    if (hasOwner(agent) && !isOwner(call.caller, agent)) throw new MarketError('owner_already_set');
    await ensureUser(tx, user.identity, context.clock.now(), context.serviceName);
    change.ownerUserId = user.id;
    if (agent.twitterUsername === null && user.identity.twitterUsername !== undefined)
      change.twitterUsername = user.identity.twitterUsername;
  }
  return change;
}

function canonicalOf(address: string | null, field: string): string | null {
  if (address === null) return null;
  const known = canonicalWallet(address);
  if (known === undefined) throw new MarketError('invalid_input', { message: `${field} is not a valid address.` });
  return known.address;
}
