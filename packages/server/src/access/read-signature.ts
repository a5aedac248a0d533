/** From the raw carrier fields to a proven wallet: shape, age, then the signature over one of the two texts. */
import { createHash } from 'node:crypto';
import { custodySignedText, errorCatalogue, MarketError, ordinarySignedText, siteSignedText, type WalletChain } from '@market/contract';
import type { Clock } from '../platform/clock/clock.ts';
import { canonicalWallet } from '../platform/wallets/wallet-address.ts';
import { marksOfText } from './authority/addressed-signatures.ts';
import { SHORT_MAX_AGE_MS } from './authority/seen-signatures.ts';
import type { ProvenNetwork, WalletCaller } from './caller.ts';
import type { Credentials, SignatureCarrier } from './credentials.ts';
import { type SmartWalletVerifier, verifyContractSignature, verifyKeySignature } from './verify-wallet-signature.ts';

const ORDINARY_MAX_AGE_MS = 15 * 60_000;
/** Unix seconds stay below this until the year 5138; milliseconds have been above it since 1973. */
const SECONDS_BELOW = 100_000_000_000;
export const CLOCK_SKEW_MS = 30_000;

export interface SignatureReader {
  readonly clock: Clock;
  readonly smartWallets: SmartWalletVerifier | undefined;
  /** The hosts of this service, which signatures may name. */
  readonly hosts: readonly string[];
}

export async function readSignature(
  carrier: SignatureCarrier,
  { request, clientAddress }: Pick<Credentials, 'request' | 'clientAddress'>,
  reader: SignatureReader,
): Promise<WalletCaller> {
  const { sent, chain, address, timestampMs, signature } = readFields(carrier);
  const ageMs = signatureAge(timestampMs, reader.clock);
  if (ageMs < -CLOCK_SKEW_MS) throw new MarketError('signature_from_future');
  if (ageMs > ORDINARY_MAX_AGE_MS) throw new MarketError('signature_expired');

  const accepted: readonly AcceptedText[] = [
    {
      proof: carrier.from === 'query' ? 'signature_in_query' : 'signature',
      textFor: (spelling) => ordinarySignedText(spelling, timestampMs),
      maxAgeMs: ORDINARY_MAX_AGE_MS,
    },
    ...reader.hosts.map(
      (host): AcceptedText => ({
        proof: carrier.from === 'query' ? 'signature_in_query' : 'single_use',
        textFor: (spelling) => siteSignedText({ wallet: spelling, timestampMs, host, ...request }),
        maxAgeMs: SHORT_MAX_AGE_MS,
      }),
    ),
    ...reader.hosts.map(
      (host): AcceptedText => ({
        proof: carrier.from === 'query' ? 'signature_in_query' : 'custody',
        textFor: (spelling) => custodySignedText({ host, wallet: spelling, timestampMs, ...request }),
        maxAgeMs: SHORT_MAX_AGE_MS,
      }),
    ),
  ];
  const claimOf = ({ textFor }: AcceptedText) => ({ chain, address, sentAddress: sent, textFor, signature });
  const accept = async ({ proof, textFor, maxAgeMs }: AcceptedText, provenOn?: readonly ProvenNetwork[]): Promise<WalletCaller> => {
    if (ageMs > maxAgeMs) throw new MarketError('signature_expired');
    const text = await textFor(address);
    const signatureDigest = createHash('sha256').update(text).digest();
    const addressMarks = marksOfText(signature, { address, isContract: provenOn !== undefined }, timestampMs);
    const isOrdinary = proof === 'signature' && { namesNoCall: true as const };
    return { chain, address, proof, ...isOrdinary, ...(provenOn && { provenOn }), signatureAgeMs: ageMs, signatureDigest, addressMarks };
  };
  // Try keys first: asking a chain costs more.
  for (const text of accepted) if (await verifyKeySignature(claimOf(text))) return await accept(text);
  for (const text of accepted) {
    const provenOn = await verifyContractSignature(claimOf(text), clientAddress, reader.smartWallets);
    if (provenOn.length > 0) return await accept(text, provenOn);
  }
  throw new MarketError('invalid_signature', { message: `${errorCatalogue.invalid_signature.message}${hintFor(chain, signature)}` });
}

/** A text that proves the wallet. If it names a call, that call must be this request. */
interface AcceptedText {
  readonly proof: 'signature_in_query' | 'signature' | 'single_use' | 'custody';
  readonly textFor: (spelling: string) => string | Promise<string>;
  readonly maxAgeMs: number;
}

/** Wallets take the signing time from the real clock; the sandbox's moved clock is accepted, too. */
function signatureAge(timestampMs: number, clock: Clock): number {
  const byRealTime = clock.realNow().getTime() - timestampMs;
  const byMarketTime = clock.now().getTime() - timestampMs;
  return byRealTime >= -CLOCK_SKEW_MS ? byRealTime : byMarketTime;
}

/** True when the fields name a wallet, so the caller meant to send a signature. */
export function isReadableSignature({ wallet }: SignatureCarrier): boolean {
  return typeof wallet === 'string' && canonicalWallet(wallet) !== undefined;
}

/** A hint for the refusal at the likely mistake. */
function hintFor(chain: WalletChain, signature: string): string {
  if (chain === 'solana' && !/^[1-9A-HJ-NP-Za-km-z]+$/.test(signature)) return ' A Solana signature is written in base58.';
  if (chain === 'base' && !/^0x[0-9a-fA-F]+$/.test(signature)) return ' An EVM signature is written in hex, with 0x in front.';
  return '';
}

function readFields(carrier: SignatureCarrier): {
  sent: string;
  chain: WalletChain;
  address: string;
  timestampMs: number;
  signature: string;
} {
  const { wallet, wallet_sig: signature, wallet_sig_ts: stamp, wallet_chain: hint } = carrier;
  if (typeof wallet !== 'string' || typeof signature !== 'string' || stamp === undefined || stamp === null) {
    throw new MarketError('invalid_signature', { message: 'A wallet signature needs wallet, wallet_sig and wallet_sig_ts.' });
  }
  if (hint !== undefined && hint !== null && hint !== 'solana' && hint !== 'base') {
    throw new MarketError('invalid_signature', { message: 'wallet_chain must be solana or base.' });
  }
  const known = canonicalWallet(wallet, hint ?? undefined);
  if (known === undefined) {
    throw new MarketError('invalid_signature', {
      message: 'wallet must be a base58 Solana address or a 0x EVM address of the named chain.',
    });
  }
  const timestampMs =
    typeof stamp === 'number' ? stamp : typeof stamp === 'string' && /^\d{1,16}$/.test(stamp) ? Number(stamp) : Number.NaN;
  if (!Number.isSafeInteger(timestampMs) || timestampMs <= 0) {
    throw new MarketError('invalid_signature', { message: 'wallet_sig_ts must be the signed time in Unix milliseconds.' });
  }
  if (timestampMs < SECONDS_BELOW) {
    throw new MarketError('invalid_signature', {
      message: 'wallet_sig_ts looks like seconds. It must be the signed time in Unix milliseconds.',
    });
  }
  return { sent: wallet, chain: known.chain, address: known.address, timestampMs, signature };
}
