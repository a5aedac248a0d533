/** Signs the texts of calls with a wallet: ordinary, single-use and custody. */
import { custodySignedText, ordinarySignedText, type SignatureTier, siteSignedText } from '@market/contract';
import type { ComposedRequest } from './compose-request.ts';
import type { WalletSigner } from './identity.ts';

/** `fresh`: a new ordinary text, because a signature can pay with one transfer only. */
export type TextTier = Exclude<SignatureTier, 'action'> | 'fresh';

export interface SignedText {
  readonly timestampMs: number;
  readonly signature: string;
}

/** How long an ordinary signature is reused; the service accepts it for 15 minutes. */
const REUSE_ORDINARY_MS = 10 * 60_000;

export function createTextSigner(wallet: WalletSigner, host: string): (tier: TextTier, request: ComposedRequest) => Promise<SignedText> {
  const { address } = wallet;
  let lastTimestampMs = 0;
  let ordinary: { readonly sinceMs: number; readonly signed: Promise<SignedText> } | undefined;

  /** Returns a new timestamp each time: two single-use texts of one millisecond would have the same signature. */
  function nextTimestamp(): number {
    lastTimestampMs = Math.max(Date.now(), lastTimestampMs + 1);
    return lastTimestampMs;
  }

  async function sign(textAt: (timestampMs: number) => string | Promise<string>): Promise<SignedText> {
    const timestampMs = nextTimestamp();
    return { timestampMs, signature: await wallet.signMessage(await textAt(timestampMs)) };
  }

  const signFresh = (): Promise<SignedText> => sign((timestampMs) => ordinarySignedText(address, timestampMs));

  /** Reuses an ordinary signature for ten minutes, so that the wallet prompts once. */
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
