/** The texts of the market that a wallet signs for a call: ordinary, single-use and custody. */
import { custodySignedText, ordinarySignedText, type SignatureTier, siteSignedText } from '@market/contract';
import type { ComposedRequest } from './compose-request.ts';
import type { WalletSigner } from './identity.ts';

/** `fresh`: an ordinary text of its own, because a signature pays with one transfer. */
export type TextTier = Exclude<SignatureTier, 'action'> | 'fresh';

export interface SignedText {
  readonly timestampMs: number;
  readonly signature: string;
}

/** The service takes an ordinary signature for 15 minutes; stop earlier than that. */
const REUSE_ORDINARY_MS = 10 * 60_000;

export function createTextSigner(wallet: WalletSigner, host: string): (tier: TextTier, request: ComposedRequest) => Promise<SignedText> {
  const { address } = wallet;
  let lastTimestampMs = 0;
  let ordinary: { readonly sinceMs: number; readonly signed: Promise<SignedText> } | undefined;

  /** Never twice the same: two single-use texts of one millisecond would be one signature. */
  function nextTimestamp(): number {
    lastTimestampMs = Math.max(Date.now(), lastTimestampMs + 1);
    return lastTimestampMs;
  }

  async function sign(textAt: (timestampMs: number) => string | Promise<string>): Promise<SignedText> {
    const timestampMs = nextTimestamp();
    return { timestampMs, signature: await wallet.signMessage(await textAt(timestampMs)) };
  }

  const signFresh = (): Promise<SignedText> => sign((timestampMs) => ordinarySignedText(address, timestampMs));

  /** One prompt of the wallet serves ten minutes of ordinary calls. */
  async function signOrdinary(): Promise<SignedText> {
    if (ordinary === undefined || Date.now() - ordinary.sinceMs > REUSE_ORDINARY_MS) {
      ordinary = { sinceMs: Date.now(), signed: signFresh() };
    }
    const current = ordinary;
    try {
      return await current.signed;
    } catch (error) {
      if (ordinary === current) ordinary = undefined;
      throw error;
    }
  }

  return (tier, { method, path, body }) => {
    if (tier === 'ordinary') return signOrdinary();
    if (tier === 'fresh') return signFresh();
    if (tier === 'single_use') return sign((timestampMs) => siteSignedText({ wallet: address, timestampMs, host, method, path }));
    return sign((timestampMs) => custodySignedText({ host, wallet: address, timestampMs, method, path, body }));
  };
}
