/**
 * The person's decision about a program. It needs the proof that the consent page just read, used by the same person. Powers over money
 * need a fresh sign-in.
 */
import { timingSafeEqual } from 'node:crypto';
import { type AgentId, connectionLimits, isScope, MarketError, type Scope, scopeNames, scopes } from '@market/contract';
import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { decideConsent, isShared, makeConnection, personOf } from '../../features/accounts/connections/index.ts';
import type { ConsentUnderWay } from './authorization-server.ts';
import type { OauthOptions } from './oauth-options.ts';
import { isLoopback, isWebPage } from './registration.ts';

type Context = Pick<OauthOptions, 'context'>;

const NAME_LENGTH = 80;
const FRESH_SCOPES: ReadonlySet<Scope> = new Set(['money', 'custody']);

export const consentDecision = z.discriminatedUnion('allow', [
  z.object({ proof: z.string(), allow: z.literal(false) }),
  z.object({
    proof: z.string(),
    allow: z.literal(true),
    scopes: z.array(z.enum(scopeNames as [Scope, ...Scope[]])).min(1, 'Allow at least one thing, or refuse.'),
    agent_id: z.string().max(80).nullable(),
    daily_limit_usd: z.string().max(40).nullable(),
  }),
]);

/** Money and custody need an account, or a wallet that signed in recently. A session made by the ordinary text allows no scope. */
export function needsNewSignIn({ user, wallet }: Caller, scope: Scope): boolean {
  if (user !== undefined) return false;
  if (wallet?.proof !== 'session') return true;
  return FRESH_SCOPES.has(scope) && (wallet.sessionAgeSeconds ?? Number.POSITIVE_INFINITY) > connectionLimits.freshSessionSeconds;
}

export function requireFreshSignIn(caller: Caller, chosen: readonly Scope[]): void {
  const refused = chosen.filter((scope) => needsNewSignIn(caller, scope));
  if (refused.length === 0) return;
  const titles = refused.map((scope) => `“${scopes[scope].title}”`).join(' and ');
  throw new MarketError('sign_in_again', {
    message: `Sign in with your wallet again to allow ${titles}. Your sign-in is too old for that.`,
    data: { scopes: refused },
  });
}

/** Only the hosts are verified; the rest is the program's own claim. */
export function programOf({ interaction, program: { clientId, name, page } }: ConsentUnderWay) {
  const { host } = new URL(String(interaction.params['redirect_uri']));
  const documented = isShared(clientId) ? new URL(clientId).host : null;
  const shown = Array.from(name.replace(/[\p{C}\s]+/gu, ' ').trim());
  return {
    client_name: shown.slice(0, NAME_LENGTH).join('') || (documented ?? host),
    client_uri: page !== null && isWebPage(page) ? new URL(page).href : null,
    redirect_host: host,
    is_on_this_computer: isLoopback(host),
    /** The host that publishes the program's description; null for a program that registered itself. */
    published_by: documented,
  };
}

/** False when the consent was already decided. */
export async function allow(
  { context }: Context,
  consent: ConsentUnderWay,
  caller: Caller,
  chosen: Extract<z.output<typeof consentDecision>, { allow: true }>,
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

/** False when the consent was already decided. */
export async function refuse({ context }: Context, { interaction }: ConsentUnderWay): Promise<boolean> {
  const result = { error: 'access_denied', error_description: 'The person refused.' };
  return await context.database.transaction((tx) => decideConsent(tx, context, interaction.uid, { result }));
}

/** The proof is valid for one request and one person. Returns one per master key, the current one first, because keys rotate. */
export function proofsOf({ context }: Context, { interaction }: ConsentUnderWay, caller: Caller): readonly string[] {
  return context.secrets.lookupHashes(`consent ${interaction.uid} ${personOf(caller)}`).map((hash) => hash.toString('base64url'));
}

export function requireProof(options: Context, consent: ConsentUnderWay, caller: Caller, shown: string): void {
  const given = Buffer.from(shown);
  const fits = proofsOf(options, consent, caller).map((proof) => {
    const expected = Buffer.from(proof);
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
  if (fits.includes(true)) return;
  throw new MarketError('forbidden', { message: 'Another person signed in since this page was loaded. Load it again.' });
}
