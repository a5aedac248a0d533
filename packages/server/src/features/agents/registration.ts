/** Registration of agents for every kind of owner proof: data, checks, and the only code that creates an agent. */
import { type AgentId, MarketError, type OperationAnswer, type OperationArguments, type Operations } from '@market/contract';
import type { Call } from '../../access/call.ts';
import type { Caller } from '../../access/caller.ts';
import { type Db, isUniqueViolation, type Tx } from '../../platform/db/database.ts';
import type { IdpIdentity } from '../../platform/idp/idp-claims.ts';
import { newId } from '../../platform/random.ts';
import { reviewText } from '../moderation/index.ts';
import { provisionWallets } from '../wallet-keys/index.ts';
import { makeApiKey, makeWebhookSecret } from './agent-secrets.ts';
import type { AgentsContext } from './agents-context.ts';
import { type Registrant, refuseTakenName } from './duplicates.ts';
import { deactivateAgentsOf } from './made-agents-repository.ts';
import { isReservedName, isRouteWord, nameSkeleton, RETIRED_NAME, slugOf } from './naming.ts';
import { presentRegistered } from './present.ts';
import { requirePublicEndpoint } from './public-endpoint.ts';
import { findActiveBySkeleton, insertAgent, isRetired, reserveSlug } from './repository.ts';

type Input = OperationArguments<Operations['agents']['register']>;
type RegisteredAgent = OperationAnswer<Operations['agents']['register']>['data'];
export type RegistrationContext = Pick<
  AgentsContext,
  'clock' | 'secrets' | 'events' | 'serviceName' | 'outbound' | 'adoptAgent' | 'ensureUser' | 'files'
>;

/** Complete and serialisable data, so that another process can create the agent later. */
export interface Registration {
  readonly id: AgentId;
  readonly registrant: Registrant;
  readonly capabilities: readonly string[];
  readonly aiModels: readonly string[];
  readonly endpointUrl: string | null;
  readonly avatarUrl: string | null;
  /** The signed-in person, whose account row must exist before an agent refers to it. */
  readonly identity: IdpIdentity | null;
  readonly clientAddress: string;
  /** Connection of the registering program. The agent stops when it ends. */
  readonly connectionId?: string;
  /** Programs and agents that registered this agent: their spending limits hold for it, too. Absent in requests stored by older versions. */
  readonly createdBy?: readonly string[];
}

export function readRegistration(
  { clock }: Pick<AgentsContext, 'clock'>,
  input: Input,
  { caller, clientAddress }: Pick<Call, 'caller' | 'clientAddress'>,
  ownerWallet: string | null,
): Registration {
  const { connection } = caller;
  const user = ownerAccount(caller);
  return {
    id: newId('ext', clock.now()),
    registrant: {
      name: input.name,
      description: input.description,
      ownerWallet,
      ownerUserId: user?.id ?? null,
      twitterUsername: user?.identity.twitterUsername ?? null,
    },
    capabilities: input.capabilities,
    aiModels: input.ai_models,
    endpointUrl: input.endpoint_url ?? null,
    avatarUrl: input.avatar_url ?? null,
    identity: user?.identity ?? null,
    clientAddress,
    ...(connection !== undefined && { connectionId: connection.id }),
    createdBy: creatorsIn(caller),
  };
}

/** A program that acts as an agent is under both spend policies, and so is an agent that it registers. */
function creatorsIn({ agent, connection }: Caller): string[] {
  return [...(connection === undefined ? [] : [`program:${connection.programId}`]), ...(agent === undefined ? [] : [`agent:${agent.id}`])];
}

/** The account that will own the agent. Ignores a cookie beside an explicit wallet proof, because browsers send cookies with every call. */
export function ownerAccount({ user, wallet, connection }: Caller): Caller['user'] {
  if (user === undefined || connection !== undefined) return user;
  return user.fromCookie === true && isExplicit(wallet) ? undefined : user;
}

/**
 * The signing wallet, which will own the agent. Account and wallet in one request must be linked already; otherwise the agent would have two
 * owners. A connected program registers for its person only, so a further signature must come from that person.
 */
export function ownerWalletOf(caller: Caller): string | null {
  const { wallet, walletElsewhere, connection, onBehalfOf } = caller;
  if (connection !== undefined) {
    const signer = wallet ?? walletElsewhere;
    const isPersons = signer === undefined || signer.address === onBehalfOf?.address || caller.user?.wallets.includes(signer.address);
    if (isPersons !== true) throw ownerMismatch(connection.person, signer.address);
    return onBehalfOf?.address ?? null;
  }
  const user = ownerAccount(caller);
  if (wallet === undefined || (user !== undefined && !isExplicit(wallet))) return null;
  if (user !== undefined && !user.wallets.includes(wallet.address)) {
    throw ownerMismatch(user.id, wallet.address);
  }
  return wallet.address;
}

export function ownerMismatch(account: string, wallet: string): MarketError {
  return new MarketError('owner_mismatch', { data: { account, wallet } });
}

function isExplicit(wallet: Caller['wallet']): boolean {
  return wallet !== undefined && wallet.fromCookie !== true;
}

/** Checks name, avatar and endpoint. Asks DNS, so never call it in a transaction. */
export async function requireRegistrable(
  { database, serviceName, outbound, files }: Pick<AgentsContext, 'database' | 'serviceName' | 'outbound' | 'files'>,
  { registrant, endpointUrl, avatarUrl }: Registration,
  caller: Caller,
): Promise<void> {
  if (isReservedName(registrant.name, serviceName)) throw new MarketError('name_reserved');
  if (avatarUrl !== null) await files.requireShowable(database.db, avatarUrl, caller);
  await requirePublicEndpoint({ endpoint_url: endpointUrl }, outbound);
}

export async function requireFreeName(db: Db, { clock }: Pick<AgentsContext, 'clock'>, { registrant }: Registration): Promise<void> {
  const existing = await findActiveBySkeleton(db, nameSkeleton(registrant.name));
  if (existing !== undefined) refuseTakenName(existing, registrant, clock.now());
  if (await isRetired(db, nameSkeleton(registrant.name))) throw new MarketError('name_taken', { message: RETIRED_NAME });
}

/** True if another registration took the name between our check and our insert. */
export function isNameClash(error: unknown): boolean {
  return isUniqueViolation(error, 'agents_one_name');
}

export async function createAgent(tx: Tx, context: RegistrationContext, registration: Registration): Promise<RegisteredAgent> {
  const { id, registrant, endpointUrl } = registration;
  const now = context.clock.now();
  if (registration.identity !== null) await context.ensureUser(tx, registration.identity, now);
  await requireFreeName(tx, context, registration);
  const key = makeApiKey(id, context.secrets);
  const webhook = endpointUrl === null ? undefined : makeWebhookSecret(id, context.secrets);
  const slugBase = slugOf(registrant.name, id);
  const verdict = reviewText(registrant.name, registrant.description);
  const agent = await insertAgent(tx, {
    id,
    slug: await reserveSlug(tx, isRouteWord(slugBase) ? `${slugBase}-agent` : slugBase),
    nameSkeleton: nameSkeleton(registrant.name),
    ...registrant,
    avatarUrl: registration.avatarUrl === null ? null : await context.files.show(tx, registration.avatarUrl, id),
    capabilities: [...registration.capabilities],
    aiModels: [...registration.aiModels],
    endpointUrl,
    ...key.columns,
    webhookSecretSealed: webhook?.sealed ?? null,
    moderationStatus: verdict.status,
    moderationReason: verdict.reason,
    registrationIp: registration.clientAddress,
    createdBy: [...(registration.createdBy ?? [])],
    stopsWith: registration.connectionId ?? null,
    createdAt: now,
    updatedAt: now,
  });
  await provisionWallets(tx, context.secrets, id);
  if (registration.connectionId !== undefined) {
    const isLive = await context.adoptAgent?.(tx, registration.connectionId, id);
    // The person disconnected the program meanwhile, for example while a payment was settling.
    if (isLive === false) await deactivateAgentsOf(tx, registration.connectionId, now);
  }
  await context.events.append(tx, [
    { type: 'agent.registered', subjectId: id, agentId: id, data: { name: agent.name, marketable: agent.marketable } },
  ]);
  return presentRegistered(agent, { apiKey: key.apiKey, webhookSecret: webhook?.webhookSecret ?? null });
}
