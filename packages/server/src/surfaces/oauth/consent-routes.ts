/**
 * What the consent page reads and sends. A decision counts only from the browser that began the request (its cookie), with the proof
 * this browser read just before, by the person it was read for, and from our own pages.
 */
import { timingSafeEqual } from 'node:crypto';
import { isScope, MarketError, type Scope, scopeNames, scopes } from '@market/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { refuseBanned } from '../../access/refuse-banned.ts';
import { listOwnedAgents } from '../../features/agents/index.ts';
import { makeConnection, personOf } from '../../features/connections/index.ts';
import { refuseCrossSiteCookie } from '../rest/cross-origin.ts';
import { readCredentials } from '../rest/read-credentials.ts';
import type { AuthorizationServer, ConsentUnderWay } from './authorization-server.ts';
import type { OauthOptions } from './oauth-options.ts';
import { oauthPaths } from './open-provider.ts';
import { isLoopback, isWebPage } from './registration.ts';

type ConsentOptions = OauthOptions & { readonly server: AuthorizationServer };
type ConsentRequest = FastifyRequest<{ Params: { uid: string } }>;

const MOST_AGENTS = 200;
const NAME_LENGTH = 80;

const decision = z.union([
  z.object({ proof: z.string(), allow: z.literal(false) }),
  z.object({
    proof: z.string(),
    allow: z.literal(true),
    scopes: z.array(z.enum(scopeNames as [Scope, ...Scope[]])).min(1, 'Allow at least one thing, or refuse.'),
    agent_id: z.string().max(80).nullable(),
    daily_limit_usd: z.string().max(40).nullable(),
  }),
]);

export function addConsentRoutes(app: FastifyInstance, options: ConsentOptions): void {
  const path = `${oauthPaths.consent}/:uid`;
  app.get<{ Params: { uid: string } }>(`${path}/details`, async (request, reply) => {
    const consent = await requireConsent(options, request);
    const caller = await requirePerson(options, request);
    return await reply.send({ success: true, data: await describe(options, consent, caller) });
  });
  app.post<{ Params: { uid: string } }>(`${path}/decision`, async (request, reply) => {
    const consent = await requireConsent(options, request);
    const caller = await requirePerson(options, request);
    refuseCrossSiteCookie(request, caller, options.trustedOrigins);
    const read = decision.safeParse(request.body);
    if (!read.success) throw new MarketError('invalid_input', { message: read.error.issues[0]?.message ?? 'This is no decision.' });
    requireProof(options, consent, caller, read.data.proof);
    if (read.data.allow) await allow(options, consent, caller, read.data);
    else await finish(consent, { error: 'access_denied', error_description: 'The person refused.' });
    return await reply.send({ success: true, data: { location: consent.interaction.returnTo } });
  });
}

async function requireConsent({ server }: ConsentOptions, request: ConsentRequest): Promise<ConsentUnderWay> {
  const consent = await server.findConsent(request.params.uid, request.headers.cookie);
  if (consent !== undefined && consent.interaction.result === undefined) return consent;
  throw new MarketError('not_found', {
    message: 'This request is over, or it was begun in another browser. Begin again in the program that sent you here.',
  });
}

/** Signed in on the site, by account or by wallet. Other credentials do not count here. */
async function requirePerson({ resolver, context }: ConsentOptions, request: FastifyRequest): Promise<Caller> {
  const { clientAddress, tokenCookie, sessionCookie, request: asked } = readCredentials(request);
  const cookies = { ...(tokenCookie !== undefined && { tokenCookie }), ...(sessionCookie !== undefined && { sessionCookie }) };
  const caller = await resolver.resolve({ clientAddress, ...cookies, request: asked });
  if (personOf(caller) === undefined) throw caller.cookieProblem ?? new MarketError('unauthenticated', { message: 'Sign in to decide.' });
  await refuseBanned(context.database.db, caller, clientAddress);
  return caller;
}

async function describe(options: ConsentOptions, consent: ConsentUnderWay, caller: Caller): Promise<Record<string, unknown>> {
  const { context } = options;
  const { params } = consent.interaction;
  const asked = new Set(String(params['scope'] ?? '').split(' '));
  const { user, wallet } = caller;
  const wallets = [...(user?.wallets ?? []), ...(wallet === undefined ? [] : [wallet.address])];
  const agents = await listOwnedAgents(context.database.db, { wallets, ...(user !== undefined && { userId: user.id }) });
  return {
    ...programOf(consent),
    person: user === undefined ? wallet?.address : (user.identity.email ?? user.identity.name ?? user.id),
    scopes: scopeNames.map((name) => ({ name, ...scopes[name], asked: asked.has(name) })),
    agents: agents
      .filter(({ active }) => active)
      .slice(0, MOST_AGENTS)
      .map(({ id, name }) => ({ id, name })),
    takes_limit: context.spendLimits !== undefined,
    proof: proofOf(options, consent, caller),
  };
}

/** Everything but the hosts is the program's own claim. */
function programOf({ interaction, program }: ConsentUnderWay) {
  const { host } = new URL(String(interaction.params['redirect_uri']));
  const documented = program.clientId.startsWith('https://') ? new URL(program.clientId).host : null;
  const { clientName = '', clientUri } = program;
  const shown = Array.from(clientName.replace(/[\p{C}\s]+/gu, ' ').trim());
  return {
    client_name: shown.slice(0, NAME_LENGTH).join('') || (documented ?? host),
    client_uri: clientUri !== undefined && isWebPage(clientUri) ? clientUri : null,
    redirect_host: host,
    is_on_this_computer: isLoopback(host),
    /** The host that publishes the program’s description; null for a program that registered itself. */
    published_by: documented,
  };
}

async function allow(
  { context }: ConsentOptions,
  consent: ConsentUnderWay,
  caller: Caller,
  chosen: Extract<z.output<typeof decision>, { allow: true }>,
): Promise<void> {
  const { client_name: clientName, client_uri: clientUri, redirect_host: redirectHost } = programOf(consent);
  const allowed = scopeNames.filter((name) => chosen.scopes.includes(name)).filter(isScope);
  const id = await makeConnection(context, caller, {
    clientId: consent.program.clientId,
    clientName,
    clientUri,
    redirectHost,
    scopes: allowed,
    agentId: chosen.agent_id as Parameters<typeof makeConnection>[2]['agentId'],
    dailyLimit: chosen.daily_limit_usd,
  });
  // The person has the last word: what they ticked is what the tokens say.
  consent.interaction.params['scope'] = allowed.join(' ');
  await finish(consent, { login: { accountId: id, remember: false }, consent: { grantId: id } });
}

async function finish({ interaction }: ConsentUnderWay, result: NonNullable<ConsentUnderWay['interaction']['result']>): Promise<void> {
  interaction.result = result;
  await interaction.persist();
}

/** Another site cannot read it, and it fits one request and one person only. */
function proofOf({ context }: ConsentOptions, { interaction }: ConsentUnderWay, caller: Caller): string {
  const [hash = Buffer.alloc(0)] = context.secrets.lookupHashes(`consent ${interaction.uid} ${personOf(caller)}`);
  return hash.toString('base64url');
}

function requireProof(options: ConsentOptions, consent: ConsentUnderWay, caller: Caller, shown: string): void {
  const [expected, given] = [Buffer.from(proofOf(options, consent, caller)), Buffer.from(shown)];
  if (expected.length === given.length && timingSafeEqual(expected, given)) return;
  throw new MarketError('forbidden', { message: 'You are signed in as somebody else than before. Load the page again.' });
}
