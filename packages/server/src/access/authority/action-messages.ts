/**
 * Messages that a wallet signs for an action that outlives the request (CAIP-122). They are not stored before use: the nonce contains a
 * code over the whole text, so any process recognises our texts.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type ActionSubject,
  actionMessageText,
  MarketError,
  type OperationAnswer,
  type Operations,
  readRequestId,
  type WalletChain,
} from '@market/contract';
import type { Clock } from '../../platform/clock/clock.ts';
import { newNonceSeed } from '../../platform/random.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { canonicalWallet } from '../../platform/wallets/wallet-address.ts';
import type { WalletCaller } from '../caller.ts';
import { type SmartWalletVerifier, verifyContractSignature, verifyKeySignature } from '../verify-wallet-signature.ts';
import { marksOfMessage } from './addressed-signatures.ts';
import { SHORT_MAX_AGE_MS } from './seen-signatures.ts';

export type ActionChallenge = OperationAnswer<Operations['auth']['challenge']>['data'];

export interface ActionMessages {
  challenge(subject: ActionSubject, wallet: { readonly chain: WalletChain; readonly address: string }): ActionChallenge;
  /** Whether this deployment wrote the text. */
  isOurs(text: string): boolean;
  /** The wallet that signed one of our texts. A call that succeeds marks the message as used. */
  read(signed: SignedMessage, clientAddress: string): Promise<WalletCaller>;
}

export interface SignedMessage {
  readonly text: string;
  readonly signature: string;
}

export interface ActionMessagesOptions {
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly smartWallets: SmartWalletVerifier | undefined;
  /** The public origin that the texts name. */
  readonly origin: string;
  readonly serviceName: string;
  /** CAIP-2 id of the network whose wallets sign, by kind of wallet. */
  readonly caip2Of: (chain: WalletChain) => string | undefined;
}

const CODE_DIGITS = 16;
const NONCE = /^Nonce: ([0-9a-f]{32})$/m;

export function createActionMessages(options: ActionMessagesOptions): ActionMessages {
  const { clock, secrets, origin, serviceName } = options;
  const ourFirstWords = `${new URL(origin).host} wants you `;

  /** Codes over the text whose nonce lacks its code, one per master key. */
  function codesOf(text: string): string[] {
    return secrets.lookupHashes(`action-message ${text}`).map((hash) => hash.toString('hex').slice(0, CODE_DIGITS));
  }

  function isOurs(text: string): boolean {
    const nonce = NONCE.exec(text)?.[1];
    // Another deployment may share our master key, but not our host.
    if (nonce === undefined || text.length > 2_000 || !text.startsWith(ourFirstWords)) return false;
    const seed = nonce.slice(0, -CODE_DIGITS);
    const code = Buffer.from(nonce.slice(-CODE_DIGITS));
    return codesOf(text.replace(NONCE, `Nonce: ${seed}`)).some((ours) => timingSafeEqual(code, Buffer.from(ours)));
  }

  return {
    isOurs,

    challenge(subject, { chain, address }) {
      const now = clock.realNow();
      const issuedAt = now.toISOString();
      const expiresAt = new Date(now.getTime() + SHORT_MAX_AGE_MS).toISOString();
      const chainId = chain === 'solana' ? 'mainnet' : (options.caip2Of(chain)?.split(':')[1] ?? '8453');
      const parts = { ...subject, origin, serviceName, chain, wallet: address, chainId, issuedAt, expiresAt };
      const seed = newNonceSeed();
      const nonce = `${seed}${codesOf(actionMessageText({ ...parts, nonce: seed }))[0]}`;
      const { action } = subject;
      return {
        action,
        wallet: address,
        message: actionMessageText({ ...parts, nonce }),
        nonce,
        issued_at: issuedAt,
        expires_at: expiresAt,
      };
    },

    async read({ text, signature }, clientAddress) {
      const message = isOurs(text) ? readText(text) : undefined;
      if (message === undefined) {
        throw new MarketError('invalid_signature', {
          message: 'signed_message is not a message of this service. Ask POST /api/auth/challenge for one and sign it unchanged.',
        });
      }
      const ageMs = clock.realNow().getTime() - message.issuedAt;
      if (ageMs > SHORT_MAX_AGE_MS) throw new MarketError('signature_expired');
      const { subject, ...wallet } = message;
      const claim = { chain: wallet.chain, address: wallet.address, sentAddress: wallet.sent, textFor: () => text, signature };
      const byKey = await verifyKeySignature(claim);
      const asked = byKey ? undefined : await verifyContractSignature(claim, clientAddress, options.smartWallets);
      // A contract wallet counts only on the network that the message names.
      const provenOn = asked?.filter(({ caip2 }) => caip2 === options.caip2Of(wallet.chain));
      if (provenOn?.length === 0) throw new MarketError('invalid_signature');
      const { chain, address } = wallet;
      const signatureDigest = createHash('sha256').update(text).digest();
      const addressMarks = marksOfMessage(signature, NONCE.exec(text)?.[1] ?? '');
      const proven = { chain, address, proof: 'action', action: subject, ...(provenOn && { provenOn }) } as const;
      return { ...proven, signatureAgeMs: ageMs, signatureDigest, addressMarks };
    },
  };
}

/** Reads a text that this deployment wrote. */
function readText(text: string) {
  const lines = text.split('\n');
  const fieldOf = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
  const subject = readRequestId(fieldOf('Request ID'));
  const sent = lines[1] ?? '';
  const known = canonicalWallet(sent);
  if (subject === undefined || known === undefined) return undefined;
  return { subject, sent, ...known, issuedAt: Date.parse(fieldOf('Issued At')) };
}
