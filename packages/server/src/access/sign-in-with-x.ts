/**
 * Sign-in-with-x as a credential: a message signed by the wallet. It names our domain, one of our chains, an issued nonce and a time that
 * has not passed. It reads, acts and pays at any URL; to move, grant or recover it must name the URL of the call. Each message is valid for
 * one request.
 */
import { createHash } from 'node:crypto';
import { MarketError } from '@market/contract';
import type { Clock } from '../platform/clock/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import { canonicalWallet } from '../platform/wallets/wallet-address.ts';
import type { ActionMessages } from './authority/action-messages.ts';
import { marksOfMessage } from './authority/addressed-signatures.ts';
import type { WalletCaller } from './caller.ts';
import { spendSignature } from './credentials-repository.ts';
import { CLOCK_SKEW_MS } from './read-signature.ts';
import {
  chooseSignInChain,
  SIGN_IN_MAX_AGE_MS,
  SIGN_IN_STATEMENT,
  type SignInChain,
  type SignInExtension,
  signInExtension,
  signInRequirement,
} from './sign-in-challenge.ts';
import { parseSignIn, type SignInMessage, signInText } from './sign-in-message.ts';
import { createSignInNonces } from './sign-in-nonces.ts';
import { type SmartWalletVerifier, verifyContractSignature, verifyKeySignature } from './verify-wallet-signature.ts';

export interface SignInWithX {
  /** Returns the wallet that signed, and marks the message as used. */
  read(header: string, clientAddress: string): Promise<WalletCaller>;
  /** The challenge for one of our URLs. `host` chooses among our own hosts. Undefined if no chain is configured. */
  challengeAt(host: string, path: string, chain?: string): SignInChallenge | undefined;
}

export interface SignInChallenge {
  readonly url: string;
  readonly extension: SignInExtension;
  /** Names the network to sign for. It charges nothing. */
  readonly requirement: Record<string, unknown>;
}

export interface SignInOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly smartWallets: SmartWalletVerifier | undefined;
  /** Origins of this deployment; the first is the default. */
  readonly origins: readonly string[];
  readonly chains: readonly SignInChain[];
  /** The header also carries signed action messages. */
  readonly actionMessages: ActionMessages;
}

export function createSignInWithX(options: SignInOptions): SignInWithX {
  const { clock, chains } = options;
  const nonces = createSignInNonces(options.secrets);
  const origins = options.origins.map((origin) => new URL(origin));

  function requireOurs(message: SignInMessage): void {
    if (!origins.some(({ host }) => host === message.domain)) {
      throw refuse(`This sign-in is for ${message.domain}, not for ${origins.map(({ host }) => host).join(' or ')}.`);
    }
    if (!origins.some(({ host, origin }) => host === message.domain && origin === originOf(message.uri))) {
      throw refuse(`This sign-in is for the address ${message.uri}, which is not at ${message.domain}.`);
    }
    if (!chains.some(({ chainId, type }) => chainId === message.chainId && type === message.type)) {
      throw refuse(
        `No wallet signs in here by ${message.type} on ${message.chainId}, only on ${chains.map(({ chainId }) => chainId).join(', ')}.`,
      );
    }
    if (message.statement !== undefined && message.statement !== SIGN_IN_STATEMENT)
      throw refuse('This message was signed for something else.');
    if (!nonces.wasIssued(message.nonce, message.issuedAt))
      throw refuse('This nonce was not issued here, or not at the time the message says.');
  }

  return {
    async read(header, clientAddress) {
      const message = parseSignIn(header);
      const actionText = signInText(message, message.address);
      if (options.actionMessages.isOurs(actionText))
        return await options.actionMessages.read({ text: actionText, signature: message.signature }, clientAddress);
      requireOurs(message);
      const ageMs = requireTimely(message, clock.realNow());
      const known = canonicalWallet(message.address, message.type === 'ed25519' ? 'solana' : 'base');
      if (known === undefined) throw refuse(`${message.address} is no address of ${message.chainId}.`);
      const textFor = (spelling: string) => signInText(message, spelling);
      const claim = { ...known, sentAddress: message.address, textFor, signature: message.signature };
      const byKey = await verifyKeySignature(claim);
      const provenOn = byKey ? undefined : await verifyContractSignature(claim, clientAddress, options.smartWallets);
      if (provenOn?.length === 0) throw refuse('The wallet did not sign this message.');
      await useUp(options, message, known.address);
      const signatureDigest = digestOf(textFor(known.address));
      const signInPath = new URL(message.uri).pathname;
      const addressMarks = marksOfMessage(message.signature, message.nonce);
      const proven = { ...known, proof: 'sign_in', signInPath, ...(provenOn && { provenOn }) } as const;
      return { ...proven, signatureAgeMs: ageMs, signatureDigest, addressMarks };
    },
    challengeAt(host, path, named) {
      const origin = origins.find((ours) => ours.host === host) ?? origins[0];
      const chain = chooseSignInChain(chains, named);
      if (origin === undefined || chain === undefined) return undefined;
      const address = new URL(origin.origin);
      address.pathname = path;
      const extension = signInExtension(address, { nonces, chains, now: clock.realNow() });
      return { url: address.href, extension, requirement: signInRequirement(chain) };
    },
  };
}

/** Returns the age of the message. Throws when its time has passed or has not come. */
function requireTimely({ issuedAt, expirationTime, notBefore }: SignInMessage, now: Date): number {
  const ageMs = now.getTime() - timeOf(issuedAt);
  if (ageMs > SIGN_IN_MAX_AGE_MS || (expirationTime !== undefined && timeOf(expirationTime) <= now.getTime())) {
    throw new MarketError('signature_expired', { message: `This sign-in has expired. ${SIGN_ANEW}` });
  }
  if (ageMs < -CLOCK_SKEW_MS || (notBefore !== undefined && timeOf(notBefore) > now.getTime() + CLOCK_SKEW_MS)) {
    throw new MarketError('signature_from_future', { message: 'This sign-in is not good yet. Check issuedAt and notBefore.' });
  }
  return ageMs;
}

/** Spends the nonce for all wallets: one challenge allows one request. */
async function useUp({ db, clock }: SignInOptions, { nonce }: SignInMessage, wallet: string): Promise<void> {
  // Keep the nonce longer than the message is valid, so that the message cannot be replayed.
  const expiresAt = new Date(clock.realNow().getTime() + 2 * SIGN_IN_MAX_AGE_MS);
  const first = await spendSignature(db, { digest: digestOf(`sign-in-with-x ${nonce}`), wallet, expiresAt });
  if (!first)
    throw new MarketError('signature_already_used', { message: `This sign-in was used already: it is good for one request. ${SIGN_ANEW}` });
}

const SIGN_ANEW = 'Sign the challenge in the header PAYMENT-REQUIRED of this answer.';

function refuse(problem: string): MarketError {
  return new MarketError('invalid_signature', { message: `${problem} ${SIGN_ANEW}` });
}

function timeOf(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw refuse(`${text} is no time as ISO 8601 writes it.`);
  return time;
}

function originOf(uri: string): string | undefined {
  return URL.parse(uri)?.origin;
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
