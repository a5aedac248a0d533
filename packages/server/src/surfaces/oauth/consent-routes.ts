/**
 * The API of the consent page. A decision counts only from our own pages, by the same person, in the browser that began the request (its
 * cookie). It needs the proof that this browser just read.
 */
import { formatUsd, isScope, MarketError, scopeNames, scopes, toWireTime } from '@market/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { refuseBanned } from '../../access/refuse-banned.ts';
import { asPerson, findEarlier, isReplaced, type NamedConnection, personOf } from '../../features/accounts/connections/index.ts';
import { listOwnedAgents } from '../../features/agents/index.ts';
import { refuseCrossSiteCookie } from '../rest/cross-origin.ts';
import { readCredentials } from '../rest/read-credentials.ts';
import type { AuthorizationServer, ConsentUnderWay } from './authorization-server.ts';
import {
  allow,
  consentDecision,
  needsNewSignIn,
  programOf,
  proofsOf,
  refuse,
  requireFreshSignIn,
  requireProof,
} from './consent-decision.ts';
import type { OauthOptions } from './oauth-options.ts';
import { oauthPaths } from './open-provider.ts';

type ConsentOptions = OauthOptions & { readonly server: AuthorizationServer };
type ConsentRequest = FastifyRequest<{ Params: { uid: string } }>;

const MOST_AGENTS = 200;

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
    const read = consentDecision.safeParse(request.body);
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

/** Requires a sign-in on the site, by account or by wallet. Other credentials do not count here. */
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
  const { user, wallet } = asPerson(caller);
  const wallets = user?.wallets ?? (wallet === undefined ? [] : [wallet.address]);
  const earlier = await findEarlier(context.database.db, caller, consent.program.clientId);
  // Agents that a restore stopped become active again with this consent.
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
    /** Scopes that need a new sign-in before the person can allow them. */
    sign_in_again_for: scopeNames.filter((name) => needsNewSignIn(caller, name)),
    takes_limit: context.spendLimits !== undefined,
    earlier: earlier === undefined ? null : await describeEarlier(context, earlier),
    proof: proofsOf(options, consent, caller)[0],
  };
}

/** The person's earlier consent to this program. */
async function describeEarlier(context: ConsentOptions['context'], earlier: NamedConnection): Promise<object> {
  const { db } = context.database;
  const limits = await context.spendLimits?.dailyLimitsOf(db, [earlier.programId]);
  const limit = limits?.get(earlier.programId);
  return {
    connected_at: toWireTime(earlier.createdAt),
    scopes: earlier.scopes.filter(isScope),
    agent_id: earlier.agentId,
    daily_limit_usd: limit === undefined ? null : formatUsd(limit),
    /** True if a new consent ends the earlier connection. */
    is_replaced: isReplaced(earlier),
  };
}
