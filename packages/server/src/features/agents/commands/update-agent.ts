/** One edit of an agent, by its key or by its owner. Both update operations end here. */
import { type AgentId, MarketError, type OperationArguments, type Operations } from '@market/contract';
import { mayReadSecret, ownerProofMissing, requireMover } from '../../../access/authority/owners.ts';
import type { Call, HandlersOf } from '../../../access/call.ts';
import type { Caller } from '../../../access/caller.ts';
import { hasOwner, mayEditAgent } from '../../../access/ownership.ts';
import { isUniqueViolation, type Tx } from '../../../platform/db/database.ts';
import type { NewEvent } from '../../../platform/events/event-log.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import { reviewText } from '../../moderation/index.ts';
import { readAgentWallets } from '../../wallet-keys/index.ts';
import { makeWebhookSecret } from '../agent-secrets.ts';
import type { AgentsContext } from '../agents-context.ts';
import { attachAccount, attachWallet, detachAccount, type NewOwner, ownedEvents } from '../attach-owner.ts';
import { isReservedName, nameSkeleton, RETIRED_NAME } from '../naming.ts';
import { requirePayableAddresses } from '../payable-address.ts';
import { appendPayoutEvent, holdPayoutChange, NO_PENDING_PAYOUT, ownerContext } from '../pending-payout.ts';
import { isEvmAddress, presentOwn } from '../present.ts';
import { requirePublicEndpoint } from '../public-endpoint.ts';
import { type AgentChange, type AgentRow, findAgent, isRetired, lockAgent, updateAgent as writeAgent } from '../repository.ts';
import { signAddresses } from '../sign-addresses.ts';

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
      refuseEndpointOfProgram(call.caller, agent, input);
      if (input.name !== undefined && (await isRetired(tx, nameSkeleton(input.name))))
        throw new MarketError('name_taken', { message: RETIRED_NAME });
      const owner = await ownerChange(tx, agent, input, call, context);
      if (owner !== undefined) refuseBesideOwner(call.caller, agent, owner, input);
      const change: AgentChange = {
        ...textChange(agent, input),
        ...(await avatarChange(tx, agent, input, call, context)),
        ...endpointChange(agent, input, context),
        ...owner?.change,
        ...(await payoutChange(tx, withOwner(agent, owner), input, call, context)),
      };
      if (Object.keys(change).length > 0) {
        await writeAgent(tx, id, { ...change, updatedAt: context.clock.now() });
        await context.events.append(tx, [
          { type: 'agent.updated', subjectId: id, agentId: id, data: { fields: namesOf(input) } },
          ...endpointEvents(call.caller, agent, input),
          ...(owner === undefined
            ? []
            : [
                {
                  type: 'agent.key_rotated',
                  subjectId: id,
                  agentId: id,
                  data: {},
                  context: ownerContext({ ...agent, ...(owner.change as AgentRow) }),
                },
                ...ownedEvents(agent, owner),
              ]),
        ]);
      }
      const updated = await findAgent(tx, id);
      if (updated === undefined) throw new MarketError('agent_not_found');
      const own = presentOwn(updated, await readAgentWallets(tx, id), context.secrets, mayReadSecret(call.caller, updated));
      // A new owner gets the new key unmasked, once.
      return { data: owner === undefined || call.caller.connection !== undefined ? own : { ...own, api_key: owner.apiKey } };
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
  if (input.capabilities !== undefined) change.capabilities = input.capabilities;
  if (input.ai_models !== undefined) change.aiModels = input.ai_models;
  // Clean text clears `review`; only an operator clears `spam`.
  if ((input.name !== undefined || input.description !== undefined) && agent.moderationStatus !== 'spam') {
    const verdict = reviewText(input.name ?? agent.name, input.description ?? agent.description);
    Object.assign(change, { moderationStatus: verdict.status, moderationReason: verdict.reason });
  }
  return change;
}

/** Makes an uploaded picture public. */
async function avatarChange(tx: Tx, agent: AgentRow, { avatar_url: url }: OwnEdit, { caller }: Call, { files }: AgentsContext) {
  if (url === undefined || url === null || url === agent.avatarUrl) return url === undefined ? {} : { avatarUrl: url };
  await files.requireShowable(tx, url, caller, agent);
  return { avatarUrl: await files.show(tx, url, agent.id) };
}

/** A connected program must not set an endpoint: webhooks would still reach it after its person disconnected it. */
function refuseEndpointOfProgram(caller: Caller, agent: AgentRow, { endpoint_url }: OwnEdit): void {
  if (caller.connection === undefined || endpoint_url === undefined || endpoint_url === agent.endpointUrl) return;
  const isSigned = caller.wallet?.proof === 'custody' && caller.wallet.address === agent.ownerWallet;
  if (!isSigned) throw ownerProofMissing(caller, agent);
}

function endpointChange(agent: AgentRow, input: OwnEdit, context: AgentsContext): AgentChange {
  if (input.endpoint_url === undefined) return {};
  const needsSecret = input.endpoint_url !== null && agent.webhookSecretSealed === null;
  return {
    endpointUrl: input.endpoint_url,
    ...(needsSecret && { webhookSecretSealed: makeWebhookSecret(agent.id, context.secrets).sealed }),
  };
}

/** Refuses payout fields beside a signed owner message. The message names the owner only, and any holder of the key may add fields. */
function refusePayoutBesideOwner({ wallet }: Caller, { payout_wallet, payout_address_base, payout_chain }: OwnEdit): void {
  const addresses = [payout_wallet, payout_address_base].filter((address) => typeof address === 'string');
  const isOwn = addresses.every((address) => canonicalWallet(address)?.address === wallet?.address);
  if (wallet?.proof !== 'action' || (isOwn && payout_chain === undefined)) return;
  throw new MarketError('custody_signature_required', {
    message:
      'The signed message names a new owner, not a payout. Send the owner first, then the payout fields in a call of their own with the custody signature of the new owner.',
  });
}

/** After a restore, refuses endpoint and payout fields beside a new owner: the current endpoint must first learn of the owner. */
function refuseBesideOwner(caller: Caller, agent: AgentRow, { change }: NewOwner, input: OwnEdit): void {
  refusePayoutBesideOwner(caller, input);
  if (change.ownedSinceRestore == null) return;
  const { endpoint_url: endpoint = agent.endpointUrl, payout_wallet, payout_address_base, payout_chain } = input;
  const payout = [payout_wallet, payout_address_base, payout_chain];
  if (endpoint === agent.endpointUrl && payout.every((given) => given === undefined)) return;
  throw new MarketError('invalid_input', {
    message: 'The marketplace was restored from a backup. Send the owner first, then endpoint and payout fields in a call of their own.',
  });
}

/** The agent with the owner change applied, which may have removed its payout addresses. */
function withOwner(agent: AgentRow, owner: NewOwner | undefined): AgentRow {
  const {
    payoutWallet = agent.payoutWallet,
    payoutAddressBase = agent.payoutAddressBase,
    payoutChain = agent.payoutChain,
    ownedSinceRestore = agent.ownedSinceRestore,
  } = (owner?.change ?? {}) as Partial<AgentRow>;
  return { ...agent, payoutWallet, payoutAddressBase, payoutChain, ownedSinceRestore };
}

/** Announces a new endpoint to the owner. A thief with a leaked key may have set it, and a new key does not reset it. */
function endpointEvents({ connection }: Caller, agent: AgentRow, { endpoint_url: url }: OwnEdit): NewEvent[] {
  if (url === undefined || url === agent.endpointUrl || !hasOwner(agent)) return [];
  const data = { endpoint_host: url === null ? null : new URL(url).host };
  // `by_program` marks endpoints that end with the program's connection.
  const context = { ...ownerContext(agent), ...(connection !== undefined && { by_program: connection.id }) };
  return [{ type: 'agent.endpoint_changed', subjectId: agent.id, agentId: agent.id, data, context }];
}

/** Changes the payout fields. Only the owner may do so: a leaked key must not redirect an agent's money. */
async function payoutChange(tx: Tx, agent: AgentRow, input: OwnEdit, call: Call, context: AgentsContext): Promise<AgentChange> {
  const { payout_wallet, payout_chain, payout_address_base } = input;
  if (payout_wallet === undefined && payout_chain === undefined && payout_address_base === undefined) return {};
  const mover = hasOwner(agent) ? await requireMover(tx, call, agent, context) : undefined;
  const payoutAddressBase =
    payout_address_base === undefined ? agent.payoutAddressBase : canonicalOf(payout_address_base, 'payout_address_base');
  const payoutChain = payout_chain ?? agent.payoutChain;
  if (payoutChain === 'base' && payoutAddressBase === null && !isEvmAddress(agent.ownerWallet))
    throw new MarketError('payout_address_missing');
  const payoutWallet = payout_wallet === undefined ? agent.payoutWallet : canonicalOf(payout_wallet, 'payout_wallet');
  const isOtherAddress = payoutWallet !== agent.payoutWallet || payoutAddressBase !== agent.payoutAddressBase;
  if (isOtherAddress && mover?.wait !== undefined)
    return await holdPayoutChange(tx, context, agent, { payoutWallet, payoutAddressBase, payoutChain }, mover);
  if (isOtherAddress && hasOwner(agent)) await announcePayoutChange(tx, context, agent, { payoutWallet, payoutAddressBase });
  // A request with the current addresses cancels a pending change.
  const change = { payoutWallet, payoutAddressBase, payoutChain, ...(agent.pendingPayoutAt !== null && NO_PENDING_PAYOUT) };
  if (mover === undefined || mover.wait !== undefined) return change;
  return { ...change, ...(await signAddresses(tx, context, { ...agent, ...change }, agent, input)) };
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

/** The change of owner, if requested. Ownership can be claimed once, with proof from the new owner. */
async function ownerChange(tx: Tx, agent: AgentRow, input: OwnEdit, call: Call, context: AgentsContext): Promise<NewOwner | undefined> {
  if (input.owner_wallet !== undefined) {
    const wallet = canonicalOf(input.owner_wallet, 'owner_wallet') as string;
    if (wallet !== agent.ownerWallet) {
      if (hasOwner(agent)) throw new MarketError('owner_already_set');
      return await attachWallet(tx, context, agent, call, wallet);
    }
  }
  if (input.idp_user_id === null) return await detachAccount(tx, context, agent, call);
  if (input.idp_user_id !== undefined && input.idp_user_id !== agent.ownerUserId) {
    const { user, connection } = call.caller;
    if (connection !== undefined || user?.id !== input.idp_user_id) throw ownerProofMissing(call.caller, agent);
    return await attachAccount(tx, context, agent, call);
  }
  return undefined;
}

function canonicalOf(address: string | null, field: string): string | null {
  if (address === null) return null;
  const known = canonicalWallet(address);
  if (known === undefined) throw new MarketError('invalid_input', { message: `${field} is not a valid address.` });
  return known.address;
}
