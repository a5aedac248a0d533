/** The one resolver: all credentials in, one `Caller` out. */
import { timingSafeEqual } from 'node:crypto';
import { MarketError, ORDER_TOKEN_END } from '@market/contract';
import type { Clock } from '../platform/clock/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { IdpVerifier } from '../platform/idp/idp-token.ts';
import { limitedClient } from '../platform/limits/client-address.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import { canonicalWallet } from '../platform/wallets/wallet-address.ts';
import type { ActionMessages } from './authority/action-messages.ts';
import type { AgentCaller, Caller, UserCaller, WalletCaller } from './caller.ts';
import { ADMIN_KEY_PREFIX, API_KEY_PREFIX, BUYER_TOKEN_PREFIX, type Credentials, ORDER_TOKEN_PREFIX } from './credentials.ts';
import { findAgentByKey, listLinks } from './credentials-repository.ts';
import type { FailedKeys } from './failed-keys.ts';
import { findOrderByToken } from './order-tokens-repository.ts';
import { isReadableSignature, readSignature } from './read-signature.ts';
import { type ResumedSession, resumeSession } from './sessions.ts';
import { isReadableSignIn } from './sign-in-message.ts';
import type { SignInWithX } from './sign-in-with-x.ts';
import type { SmartWalletVerifier } from './verify-wallet-signature.ts';

export interface CallerResolver {
  resolve(credentials: Credentials): Promise<Caller>;
  agentByKey(apiKey: string): Promise<AgentCaller | undefined>;
}

export interface CallerResolverOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  /** Absent when no identity provider is configured. */
  readonly idp: IdpVerifier | undefined;
  readonly smartWallets: SmartWalletVerifier | undefined;
  /** Absent: wrong keys are not counted. */
  readonly failedKeys?: FailedKeys;
  readonly signIn: SignInWithX;
  readonly actionMessages: ActionMessages;
  /** Reads access tokens of our own authorization server. Absent: such tokens are refused. */
  readonly connections?: (token: string) => Promise<Caller>;
  /** The key of the operators' programs; absent where there is none. */
  readonly adminKey?: string | undefined;
  /** The hosts of this service, which signatures may name. */
  readonly hosts: readonly string[];
}

export function createCallerResolver(options: CallerResolverOptions): CallerResolver {
  const { db, clock, secrets, idp, failedKeys } = options;

  async function agentByKey(apiKey: string, clientAddress?: string): Promise<AgentCaller | undefined> {
    if (!/^market_[0-9a-f]{48}$/.test(apiKey)) return undefined;
    return await findAgentByKey(db, secrets.lookupHashes(apiKey), clientAddress === undefined ? null : limitedClient(clientAddress));
  }

  /** Counts a wrong key against the budget of its client address. */
  async function agentByCountedKey(apiKey: string, clientAddress: string): Promise<AgentCaller> {
    const [hash] = secrets.lookupHashes(apiKey);
    if (hash !== undefined) failedKeys?.requireBudget(clientAddress, hash);
    const agent = await agentByKey(apiKey, clientAddress);
    if (agent === undefined) {
      await failedKeys?.countFailure(clientAddress);
      throw new MarketError('invalid_api_key');
    }
    if (hash !== undefined) failedKeys?.rememberGood(hash);
    return agent;
  }

  /** Compares hashes in constant time. */
  async function requireOperatorKey(shown: string, clientAddress: string): Promise<true> {
    const [hash] = secrets.lookupHashes(shown);
    const [expected] = options.adminKey === undefined ? [] : secrets.lookupHashes(options.adminKey);
    if (hash === undefined) throw new MarketError('invalid_api_key');
    failedKeys?.requireBudget(clientAddress, hash);
    if (expected !== undefined && timingSafeEqual(hash, expected)) return true;
    await failedKeys?.countFailure(clientAddress);
    throw new MarketError('invalid_api_key', { message: 'This key is not the operators’ key.' });
  }

  async function orderByToken(token: string): Promise<Pick<Caller, 'orderId' | 'orderReadOnly'>> {
    const found = /^(order|buyer)_[0-9a-f]{48}$/.test(token) ? await findOrderByToken(db, secrets.lookupHashes(token)) : undefined;
    if (found === undefined) throw new MarketError('invalid_order_token');
    if (found.hasEnded) throw new MarketError('invalid_order_token', { message: ENDED });
    return { orderId: found.orderId, ...(found.readsOnly && { orderReadOnly: true }) };
  }

  /** Logs and browser histories keep URLs: a token in a query string only reads, and one that acts is refused. A bearer token wins. */
  async function resolveOrder({ bearer, readToken }: Credentials): Promise<Pick<Caller, 'orderId' | 'orderReadOnly'>> {
    if (ORDER_PREFIXES.some((prefix) => bearer?.startsWith(prefix) === true)) return await orderByToken(bearer ?? '');
    if (bearer !== undefined || readToken === undefined) return {};
    if (readToken.startsWith(BUYER_TOKEN_PREFIX)) throw new MarketError('invalid_order_token', { message: ACTS });
    return { ...(await orderByToken(readToken)), orderReadOnly: true };
  }

  async function userByToken(token: string): Promise<UserCaller> {
    if (idp === undefined) throw new MarketError('idp_not_configured');
    const identity = await idp.verify(token);
    return { id: identity.userId, admin: identity.admin, identity, ...(await listLinks(db, identity.userId)) };
  }

  /** A public read ignores an unusable cookie. A call that needs the account answers why the cookie is unusable. */
  async function resolveUser(credentials: Credentials, explicitToken: string | undefined): Promise<Pick<Caller, 'user' | 'cookieProblem'>> {
    if (explicitToken !== undefined) return { user: await userByToken(explicitToken) };
    if (credentials.tokenCookie === undefined) return {};
    try {
      return { user: { ...(await userByToken(credentials.tokenCookie)), fromCookie: true } };
    } catch (error) {
      if (error instanceof MarketError) return { cookieProblem: error };
      throw error;
    }
  }

  async function resolveWallet(credentials: Credentials): Promise<Pick<Caller, 'wallet' | 'walletElsewhere' | 'renewedSession'>> {
    if (credentials.signIn !== undefined) {
      if (credentials.signature !== undefined) {
        throw new MarketError('invalid_signature', { message: 'Send one proof of a wallet: SIGN-IN-WITH-X or a wallet signature.' });
      }
      return asCaller(await options.signIn.read(credentials.signIn, credentials.clientAddress));
    }
    if (credentials.signature?.signed_message !== undefined) return asCaller(await readActionMessage(credentials));
    if (credentials.signature !== undefined) {
      return asCaller(await readSignature(credentials.signature, credentials, options));
    }
    if (credentials.sessionCookie === undefined) return {};
    const session = await resumeSession(db, credentials.sessionCookie, clock.now());
    if (session === undefined) return {};
    return { wallet: walletOfSession(session), ...(session.renewed && { renewedSession: credentials.sessionCookie }) };
  }

  async function readActionMessage({ signature, clientAddress }: Credentials): Promise<WalletCaller> {
    const { wallet, wallet_sig, signed_message } = signature ?? {};
    if (typeof signed_message !== 'string' || typeof wallet_sig !== 'string') {
      throw new MarketError('invalid_signature', { message: 'A signed action message needs signed_message and wallet_sig.' });
    }
    const signer = await options.actionMessages.read({ text: signed_message, signature: wallet_sig }, clientAddress);
    const named = typeof wallet === 'string' ? canonicalWallet(wallet)?.address : signer.address;
    if (named !== signer.address) throw new MarketError('wallet_mismatch');
    return signer;
  }

  /** Addresses in our records are those of Base: a contract wallet proven only elsewhere is kept apart. */
  function asCaller(wallet: WalletCaller): Pick<Caller, 'wallet' | 'walletElsewhere'> {
    const isHome = wallet.provenOn === undefined || wallet.provenOn.some(({ network }) => network === options.smartWallets?.home);
    return isHome ? { wallet } : { walletElsewhere: wallet };
  }

  /** A wallet signature among the arguments is all that can be added to such a token. The scopes of the connection still limit the call. */
  async function callerOfConnection(token: string, { signature, clientAddress, request }: Credentials): Promise<Caller> {
    if (options.connections === undefined) throw new MarketError('invalid_access_token');
    const caller = await options.connections(token);
    return signature === undefined ? caller : { ...caller, ...(await resolveWallet({ signature, clientAddress, request })) };
  }

  return {
    agentByKey: (apiKey) => agentByKey(apiKey),
    async resolve(credentials) {
      if (credentials.connectionToken !== undefined) return await callerOfConnection(credentials.connectionToken, credentials);
      const bearer = credentials.bearer;
      const isApiKey = bearer?.startsWith(API_KEY_PREFIX) === true;
      const agent = bearer !== undefined && isApiKey ? await agentByCountedKey(bearer, credentials.clientAddress) : undefined;

      const isOperator = bearer?.startsWith(ADMIN_KEY_PREFIX) === true && (await requireOperatorKey(bearer, credentials.clientAddress));

      const byOrder = await resolveOrder(credentials);
      const { orderId } = byOrder;

      const explicitToken = explicitTokenOf(credentials);
      const byUser = await resolveUser(credentials, explicitToken);
      const isNamed = agent !== undefined || isOperator || orderId !== undefined || (bearer !== undefined && byUser.user !== undefined);
      // Generated clients put the key into every scheme: next to a valid bearer, ignore unreadable wallet proofs.
      const proofs = isNamed ? withoutUnreadableProofs(credentials) : credentials;
      const byWallet = await resolveWallet(proofs);
      const proved = proofs.signature !== undefined || proofs.signIn !== undefined;
      // A read-only token does not count here: it travels in URLs, which any site can write.
      const acts = orderId !== undefined && byOrder.orderReadOnly !== true;
      const named = agent !== undefined || isOperator || acts || explicitToken !== undefined || proved;
      const byCookieOnly = !named && (byUser.user !== undefined || byWallet.wallet !== undefined);
      return {
        ...(agent && { agent }),
        ...(isOperator && { operatorKey: true as const }),
        ...byOrder,
        ...byUser,
        ...byWallet,
        byCookieOnly,
      };
    },
  };
}

/** A session made by the ordinary text counts as an old ordinary signature: it reads and acts. */
function walletOfSession({ address, chain, provenOn, byAction, ageSeconds }: ResumedSession): WalletCaller {
  const wallet = { address, chain, ...(provenOn && { provenOn }), fromCookie: true as const };
  return byAction
    ? { ...wallet, proof: 'session', sessionAgeSeconds: ageSeconds }
    : { ...wallet, proof: 'signature', signatureAgeMs: Number.POSITIVE_INFINITY };
}
const ORDER_PREFIXES = [ORDER_TOKEN_PREFIX, BUYER_TOKEN_PREFIX] as const;
const ENDED = `This order token has ended: order tokens work ${ORDER_TOKEN_END}, and end earlier when their payer proves itself, or with the program that got them. Read the order with a signature of the wallet that paid, or repeat the hire with it for new tokens.`;
const ACTS =
  'This token acts as the buyer, so no address may carry it: logs and browsers keep addresses. Put read_token into the address, or send this token as Authorization: Bearer.';

function withoutUnreadableProofs({ signature, signIn, ...rest }: Credentials): Credentials {
  return {
    ...rest,
    ...(signature !== undefined && isReadableSignature(signature) && { signature }),
    ...(signIn !== undefined && isReadableSignIn(signIn) && { signIn }),
  };
}

/** The identity-provider token in the header or the body, not the one in a cookie. */
function explicitTokenOf({ bearer, bodyToken }: Credentials): string | undefined {
  const isOurs = [API_KEY_PREFIX, ...ORDER_PREFIXES, ADMIN_KEY_PREFIX].some((prefix) => bearer?.startsWith(prefix) === true);
  return (isOurs ? undefined : bearer) ?? bodyToken;
}

export function accountTokenOf(credentials: Credentials): string | undefined {
  return explicitTokenOf(credentials) ?? credentials.tokenCookie;
}
