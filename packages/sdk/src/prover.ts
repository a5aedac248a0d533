/** Wallet signatures for requests: which tier a call asks for, the text, the headers. */
import {
  chainOfAddress,
  custodySignedText,
  type OperationSpec,
  ordinarySignedText,
  type SignatureTier,
  signatureTierOf,
  siteSignedText,
} from '@market/contract';
import type { ComposedRequest } from './compose-request.ts';
import type { WalletSigner } from './identity.ts';

export interface Prover {
  headersFor(spec: OperationSpec, request: ComposedRequest, proof?: 'custody' | 'ordinary'): Promise<Record<string, string>>;
}

/** The service takes an ordinary signature for 15 minutes; stop earlier than that. */
const REUSE_ORDINARY_MS = 10 * 60_000;

interface Signed {
  readonly timestampMs: number;
  readonly signature: string;
}

/** `baseUrl`: the service that the signatures are for. */
export function createProver(wallet: WalletSigner | undefined, baseUrl: string): Prover {
  if (wallet === undefined) return { headersFor: refuseProofWithoutWallet };
  const { host } = new URL(baseUrl);
  let lastTimestampMs = 0;
  let ordinary: { readonly sinceMs: number; readonly signed: Promise<Signed> } | undefined;

  /** Never twice the same: two single-use texts of one millisecond would be one signature. */
  function nextTimestamp(): number {
    lastTimestampMs = Math.max(Date.now(), lastTimestampMs + 1);
    return lastTimestampMs;
  }

  async function sign(signer: WalletSigner, textAt: (timestampMs: number) => string | Promise<string>): Promise<Signed> {
    const timestampMs = nextTimestamp();
    return { timestampMs, signature: await signer.signMessage(await textAt(timestampMs)) };
  }

  /** One prompt of the wallet serves ten minutes of ordinary calls. */
  async function signOrdinary(signer: WalletSigner): Promise<Signed> {
    if (ordinary === undefined || Date.now() - ordinary.sinceMs > REUSE_ORDINARY_MS) {
      ordinary = { sinceMs: Date.now(), signed: sign(signer, (timestampMs) => ordinarySignedText(signer.address, timestampMs)) };
    }
    const current = ordinary;
    try {
      return await current.signed;
    } catch (error) {
      if (ordinary === current) ordinary = undefined;
      throw error;
    }
  }

  function signFor(tier: SignatureTier, request: ComposedRequest, signer: WalletSigner): Promise<Signed> {
    const { address } = signer;
    if (tier === 'ordinary') return signOrdinary(signer);
    const { method, path, body } = request;
    if (tier === 'single_use') return sign(signer, (timestampMs) => siteSignedText({ wallet: address, timestampMs, host, method, path }));
    return sign(signer, (timestampMs) => custodySignedText({ host, wallet: address, timestampMs, method, path, body }));
  }

  return {
    async headersFor(spec, request, proof) {
      const tier = tierOf(spec, proof);
      if (tier === undefined) return {};
      const { signature, timestampMs } = await signFor(tier, request, wallet);
      const chain = wallet.chain ?? chainOfAddress(wallet.address);
      return {
        'x-market-wallet': wallet.address,
        'x-market-wallet-sig': signature,
        'x-market-wallet-sig-ts': String(timestampMs),
        ...(chain === undefined ? {} : { 'x-market-wallet-chain': chain }),
      };
    },
  };
}

function tierOf(spec: OperationSpec, proof: 'custody' | 'ordinary' | undefined): SignatureTier | undefined {
  if (proof !== undefined) return proof;
  return spec.access.accepts.includes('wallet') || spec.access.together === 'wallet' ? signatureTierOf(spec) : undefined;
}

const refuseProofWithoutWallet: Prover['headersFor'] = async (_spec, _request, proof) => {
  if (proof !== undefined) throw new TypeError('A proof needs a wallet. Pass one to createMarketClient.');
  return {};
};
