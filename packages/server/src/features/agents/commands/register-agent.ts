import { MarketError, type OperationArguments, type Operations } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { isUniqueViolation, type Tx } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/random.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import { ensureUser } from '../../identity/index.ts';
import { reviewText } from '../../moderation/index.ts';
import { provisionWallets } from '../../wallets/index.ts';
import { makeApiKey, makeWebhookSecret } from '../agent-secrets.ts';
import type { AgentsContext } from '../agents-context.ts';
import { type Registrant, refuseTakenName } from '../duplicates.ts';
import { isReservedName, isRouteWord, nameSkeleton, slugOf } from '../naming.ts';
import { presentRegistered } from '../present.ts';
import { requirePublicAddresses } from '../public-addresses.ts';
import { findActiveBySkeleton, insertAgent, reserveSlug } from '../repository.ts';

type Input = OperationArguments<Operations['agents']['register']>;

export function registerAgent(context: AgentsContext): HandlersOf<'agents'>['register'] {
  return async (input, call) => {
    if (input.pay === 'x402' || input.pay_to_register === true) throw new MarketError('paid_registration_unavailable');
    if (isReservedName(input.name, context.serviceName)) throw new MarketError('name_reserved');
    const ownerWallet = provenOwnerWallet(input, call);
    await requirePublicAddresses(input, context.outbound);
    const registrant: Registrant = {
      name: input.name,
      description: input.description,
      ownerWallet,
      ownerUserId: call.caller.user?.id ?? null,
      twitterUsername: call.caller.user?.identity.twitterUsername ?? null,
    };
    try {
      return await call.commit((tx) => register(tx, context, input, registrant, call));
    } catch (error) {
      // Two registrations of one name at the same moment: the index lets one through, the other is told why.
      if (!isUniqueViolation(error, 'agents_one_name')) throw error;
      const winner = await findActiveBySkeleton(context.database.db, nameSkeleton(input.name));
      if (winner === undefined) throw new MarketError('name_taken');
      return refuseTakenName(winner, registrant, context.clock.now());
    }
  };
}

/** The wallet that signed, provided it is the one named as owner. Naming a wallet without its signature attaches nobody. */
function provenOwnerWallet(input: Input, call: Call): string | null {
  const { wallet, user } = call.caller;
  const named = input.owner_wallet === undefined ? undefined : canonicalWallet(input.owner_wallet)?.address;
  if (input.owner_wallet !== undefined && named === undefined) {
    throw new MarketError('invalid_input', { message: 'owner_wallet must be a base58 Solana address or a 0x EVM address.' });
  }
  if (wallet !== undefined) {
    if (named !== undefined && named !== wallet.address) throw new MarketError('wallet_mismatch');
    return wallet.address;
  }
  return named !== undefined && user?.wallets.includes(named) === true ? named : null;
}

async function register(tx: Tx, context: AgentsContext, input: Input, registrant: Registrant, call: Call) {
  const now = context.clock.now();
  if (call.caller.user) await ensureUser(tx, call.caller.user.identity, now, context.serviceName);
  const skeleton = nameSkeleton(input.name);
  const existing = await findActiveBySkeleton(tx, skeleton);
  if (existing !== undefined) refuseTakenName(existing, registrant, now);

  const id = newId('ext', now);
  const key = makeApiKey(id, context.secrets);
  const webhook = input.endpoint_url ? makeWebhookSecret(id, context.secrets) : undefined;
  const slugBase = slugOf(input.name, id);
  const verdict = reviewText(input.name, input.description);
  const agent = await insertAgent(tx, {
    id,
    slug: await reserveSlug(tx, isRouteWord(slugBase) ? `${slugBase}-agent` : slugBase),
    name: input.name,
    nameSkeleton: skeleton,
    description: input.description,
    avatarUrl: input.avatar_url ?? null,
    capabilities: input.capabilities,
    aiModels: input.ai_models,
    endpointUrl: input.endpoint_url ?? null,
    ...key.columns,
    webhookSecretSealed: webhook?.sealed ?? null,
    ownerWallet: registrant.ownerWallet,
    ownerUserId: registrant.ownerUserId,
    twitterUsername: registrant.twitterUsername,
    moderationStatus: verdict.status,
    moderationReason: verdict.reason,
    registrationIp: call.clientAddress,
    createdAt: now,
    updatedAt: now,
  });
  await provisionWallets(tx, context.secrets, id);
  await context.events.append(tx, [{ type: 'agent.registered', subjectId: id, data: { name: agent.name, marketable: agent.marketable } }]);
  return { data: presentRegistered(agent, { apiKey: key.apiKey, webhookSecret: webhook?.webhookSecret ?? null }) };
}
