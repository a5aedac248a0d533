/** Turns one of our access tokens into a caller: the person, the agent they chose, and the scopes they allowed. */
import { isScope, MarketError, type WalletChain } from '@market/contract';
import { jwtVerify } from 'jose/jwt/verify';
import { importJWK } from 'jose/key/import';
import { z } from 'zod';
import { type AgentCaller, asLinked, type Caller, type OnBehalfOf, type Person, type UserCaller } from '../../../access/caller.ts';
import { isOwner, type OwnedAgent } from '../../../access/ownership.ts';
import { readNetworks } from '../../../access/proven-networks.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import type { ConnectionsContext } from './connections-context.ts';
import { findLive, type LiveConnection, noteUse } from './repository.ts';
import { openSigningKey } from './signing-key.ts';

const MAX_TOKEN_LENGTH = 4 * 1024;
const claims = z.object({ sub: z.string().regex(/^conn_/), scope: z.string().default('') });

export interface ConnectionResolverOptions extends Pick<ConnectionsContext, 'database' | 'secrets' | 'clock'> {
  readonly issuer: string;
  readonly audience: string;
  readonly log: Logger;
}

/** Throws `invalid_access_token`. Reads the row on every call, so that a revoked connection is refused at once. */
export function createConnectionResolver(options: ConnectionResolverOptions): (token: string) => Promise<Caller> {
  const { database, clock, issuer, audience, log } = options;
  const { db } = database;
  let key: Promise<Awaited<ReturnType<typeof importJWK>>> | undefined;

  /** Reads the key once; after a failure the next call tries again. */
  async function publicKey() {
    key ??= openSigningKey(options).then(({ publicJwk }) => importJWK(publicJwk as Parameters<typeof importJWK>[0], 'ES256'));
    return await key.catch((error: unknown) => {
      key = undefined;
      throw error;
    });
  }

  async function readClaims(token: string): Promise<z.output<typeof claims>> {
    if (token.length > MAX_TOKEN_LENGTH) throw new MarketError('invalid_access_token');
    const verifying = await publicKey();
    try {
      const checks = { issuer, audience, algorithms: ['ES256'], typ: 'at+jwt', requiredClaims: ['exp'], currentDate: clock.realNow() };
      return claims.parse((await jwtVerify(token, verifying, checks)).payload);
    } catch {
      // Hide the library's message: it contains the claims.
      throw new MarketError('invalid_access_token');
    }
  }

  return async (token) => {
    const { sub, scope } = await readClaims(token);
    const row = await findLive(db, sub);
    if (row === undefined) throw new MarketError('invalid_access_token');
    if (!row.isNoted) noteUse(db, sub).catch((error: unknown) => log.warn({ err: error }, 'could not record last use of connection'));
    const asked = new Set(scope.split(' '));
    return callerOf(
      row,
      row.scopes.filter((one) => asked.has(one)),
    );
  };
}

function callerOf(row: LiveConnection, scopes: readonly string[]): Caller {
  const person = row.person as Person;
  const connection = { id: row.id, clientName: row.clientName, person, programId: row.programId, scopes: scopes.filter(isScope) };
  const caller: Caller = { ...identityOf(row), connection, byCookieOnly: false };
  if (row.agent === null) return caller;
  const { id, name, active, owner_wallet: recordedOwnerWallet, owner_user_id: ownerUserId, owner_proven: isProven } = row.agent;
  // Check ownership on every call, because an agent may get another owner.
  const owned = { id, ownerWallet: recordedOwnerWallet, ownerUserId };
  if (!isOwner(caller, owned)) throw new MarketError('agent_not_yours_anymore');
  if (!active) {
    throw new MarketError('agent_deactivated', { message: `The agent ${name} is deactivated. Choose another under Connected programs.` });
  }
  const agent: AgentCaller = {
    id,
    name,
    active,
    ownerWallet: isProven ? recordedOwnerWallet : null,
    recordedOwnerWallet,
    ownerUserId,
    keyRetired: false,
    ...(!isOwnedBy(person, owned) && { byLink: true as const }),
  };
  return { ...caller, agent };
}

/** True if the account or wallet itself owns the agent; a link does not count. */
function isOwnedBy(person: Person, { ownerUserId, ownerWallet }: OwnedAgent): boolean {
  return person === `user:${ownerUserId}` || person === `wallet:${ownerWallet}`;
}

/**
 * The identity of the person in calls of their connection: enough to read and act. A program proves no wallet and is never an administrator.
 */
export function identityOf({ person, walletChain, provenOn, account, links }: LiveConnection): {
  readonly user?: UserCaller;
  readonly onBehalfOf?: OnBehalfOf;
} {
  const id = person.slice(person.indexOf(':') + 1);
  if (person.startsWith('wallet:')) {
    const proven = readNetworks(provenOn);
    return { onBehalfOf: { chain: walletChain as WalletChain, address: id, ...(proven && { provenOn: proven }) } };
  }
  const identity = {
    userId: id,
    email: account?.email ?? undefined,
    emailVerified: false,
    googleEmail: account?.google_email ?? undefined,
    name: account?.display_name ?? undefined,
    twitterUsername: account?.twitter_username ?? undefined,
    wallets: [],
    admin: false,
  };
  return {
    user: {
      id,
      admin: false,
      identity,
      ...asLinked(links.map(({ address, proven_on }) => ({ address, provenOn: readNetworks(proven_on) }))),
    },
  };
}
