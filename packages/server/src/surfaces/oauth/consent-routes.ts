/**
 * What the consent page reads and sends. A decision counts only from the browser that began the request (its cookie), with the proof
 * this browser read just before, by the person it was read for, and from our own pages.
 */
import { timingSafeEqual } from 'node:crypto';
import {
  type AgentId,
  connectionLimits,
  formatUsd,
  isScope,
  MarketError,
  type Scope,
  scopeNames,
  scopes,
  toWireTime,
} from '@market/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { refuseBanned } from '../../access/refuse-banned.ts';
import { listOwnedAgents } from '../../features/agents/index.ts';
import {
  asPerson,
  decideConsent,
  findEarlier,
  isReplaced,
  isShared,
  makeConnection,
  type NamedConnection,
  personOf,
} from '../../features/connections/index.ts';
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
const FRESH_SCOPES: ReadonlySet<Scope> = new Set(['money', 'custody']);

const decision = z.discriminatedUnion('allow', [
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
    refuseCrossSiteCookie(request, 'grant', caller, options.trustedOrigins);
    const read = decision.safeParse(request.body);
    if (!read.success) throw new MarketError('invalid_input', { message: problemOf(read.error) });
    requireProof(options, consent, caller, read.data.proof);
    if (read.data.allow) requireFreshSignIn(caller, read.data.scopes);
    const counts = read.data.allow ? await allow(options, consent, caller, read.data) : await refuse(options, consent);
    if (!counts) throw consentIsOver();
    return await reply.send({ success: true, data: { location: consent.interaction.returnTo } });
  });
}

function problemOf({ issues: [issue] }: z.ZodError): string {
  const [field = 'proof'] = issue?.path ?? [];
  return field === 'proof' || field === 'allow' ? 'The body must hold proof and allow.' : `${String(field)}: ${issue?.message}`;
}

async function requireConsent({ server }: ConsentOptions, request: ConsentRequest): Promise<ConsentUnderWay> {
  const consent = await server.findConsent(request.params.uid, request.headers.cookie);
  if (consent !== undefined && consent.interaction.result === undefined) return consent;
  throw consentIsOver();
}

function consentIsOver(): MarketError {
  return new MarketError('not_found', {
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

/** Money and custody take an account, or a wallet that signed in just now. A session made by the ordinary text allows nothing. */
function needsNewSignIn({ user, wallet }: Caller, scope: Scope): boolean {
  if (user !== undefined) return false;
  if (wallet?.proof !== 'session') return true;
  return FRESH_SCOPES.has(scope) && (wallet.sessionAgeSeconds ?? Number.POSITIVE_INFINITY) > connectionLimits.freshSessionSeconds;
}

function requireFreshSignIn(caller: Caller, chosen: readonly Scope[]): void {
  const refused = chosen.filter((scope) => needsNewSignIn(caller, scope));
  if (refused.length === 0) return;
  const titles = refused.map((scope) => `“${scopes[scope].title}”`).join(' and ');
  throw new MarketError('sign_in_again', {
    message: `Sign in with your wallet again to allow ${titles}. Your sign-in is too old for that.`,
    data: { scopes: refused },
  });
}

async function describe(options: ConsentOptions, consent: ConsentUnderWay, caller: Caller): Promise<Record<string, unknown>> {
  const { context } = options;
  const { params } = consent.interaction;
  const asked = new Set(String(params['scope'] ?? '').split(' '));
  const { user, wallet } = asPerson(caller);
  const wallets = user?.wallets ?? (wallet === undefined ? [] : [wallet.address]);
  const earlier = await findEarlier(context.database.db, caller, consent.program.clientId);
  // Those that a restore stopped come back with the consent.
  const returning = new Set(earlier !== undefined && isReplaced(earlier) ? earlier.madeAgents.map(({ id }) => id) : []);
  const agents = await listOwnedAgents(context.database.db, { wallets, ...(user !== undefined && { userId: user.id }) });
  return {
    ...programOf(consent),
    person: user === undefined ? wallet?.address : (user.identity.email ?? user.identity.name ?? user.id),
    scopes: scopeNames.map((name) => ({ name, ...scopes[name], asked: asked.has(name) })),
    agents: agents
      .filter(({ id, active }) => active || returning.has(id))
      .slice(0, MOST_AGENTS)
      .map(({ id, name }) => ({ id, name })),
    /** The person must sign in again before they allow these. */
    sign_in_again_for: scopeNames.filter((name) => needsNewSignIn(caller, name)),
    takes_limit: context.spendLimits !== undefined,
    earlier: earlier === undefined ? null : await describeEarlier(context, earlier),
    proof: proofsOf(options, consent, caller)[0],
  };
}

/** What the person allowed this program before. */
async function describeEarlier(context: ConsentOptions['context'], earlier: NamedConnection): Promise<object> {
  const { db } = context.database;
  const limits = await context.spendLimits?.dailyLimitsOf(db, [earlier.programId]);
  const limit = limits?.get(earlier.programId);
  return {
    connected_at: toWireTime(earlier.createdAt),
    scopes: earlier.scopes.filter(isScope),
    agent_id: earlier.agentId,
    daily_limit_usd: limit === undefined ? null : formatUsd(limit),
    /** Allowing it ends the earlier connection. */
    is_replaced: isReplaced(earlier),
  };
}

/** Everything but the hosts is the program's own claim. */
function programOf({ interaction, program: { clientId, name, page } }: ConsentUnderWay) {
  const { host } = new URL(String(interaction.params['redirect_uri']));
  const documented = isShared(clientId) ? new URL(clientId).host : null;
  const shown = Array.from(name.replace(/[\p{C}\s]+/gu, ' ').trim());
  return {
    client_name: shown.slice(0, NAME_LENGTH).join('') || (documented ?? host),
    client_uri: page !== null && isWebPage(page) ? new URL(page).href : null,
    redirect_host: host,
    is_on_this_computer: isLoopback(host),
    /** The host that publishes the program’s description; null for a program that registered itself. */
    published_by: documented,
  };
}

/** False when the consent was decided before. */
async function allow(
  { context }: ConsentOptions,
  consent: ConsentUnderWay,
  caller: Caller,
  chosen: Extract<z.output<typeof decision>, { allow: true }>,
): Promise<boolean> {
  const { client_name: clientName, client_uri: clientUri, redirect_host: redirectHost } = programOf(consent);
  const program = {
    clientId: consent.program.clientId,
    clientName,
    clientUri,
    redirectHost,
    scopes: scopeNames.filter((name) => chosen.scopes.includes(name)).filter(isScope),
    agentId: chosen.agent_id as AgentId | null,
    dailyLimit: chosen.daily_limit_usd,
  };
  return (await makeConnection(context, { uid: consent.interaction.uid, caller, program })) !== undefined;
}

/** False when the consent was decided before. */
async function refuse({ context }: ConsentOptions, { interaction }: ConsentUnderWay): Promise<boolean> {
  const result = { error: 'access_denied', error_description: 'The person refused.' };
  return await context.database.transaction((tx) => decideConsent(tx, context, interaction.uid, { result }));
}

/** The proof is valid for one request and one person. One per master key, the present one first: keys rotate. */
function proofsOf({ context }: ConsentOptions, { interaction }: ConsentUnderWay, caller: Caller): readonly string[] {
  return context.secrets.lookupHashes(`consent ${interaction.uid} ${personOf(caller)}`).map((hash) => hash.toString('base64url'));
}

function requireProof(options: ConsentOptions, consent: ConsentUnderWay, caller: Caller, shown: string): void {
  const given = Buffer.from(shown);
  const fits = proofsOf(options, consent, caller).map((proof) => {
    const expected = Buffer.from(proof);
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
  if (fits.includes(true)) return;
  throw new MarketError('forbidden', { message: 'Another person signed in since this page was loaded. Load it again.' });
}
