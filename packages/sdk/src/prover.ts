/** Wallet signatures for requests: which text a call asks for, and what a refusal asks for in its place. */
import {
  chainOfAddress,
  custodySignedText,
  isPayingCall,
  type OperationSpec,
  ordinarySignedText,
  powerOf,
  type SignatureTier,
  type SignedAction,
  signatureTierOf,
  siteSignedText,
  walletProofsOf,
} from '@market/contract';
import type { AskChallenge, SignedSubject } from './ask-challenge.ts';
import { isCustodyTextOf, isSameWallet, subjectAskedFor } from './check-refusal.ts';
import type { ComposedRequest } from './compose-request.ts';
import type { WalletSigner } from './identity.ts';
import { MarketApiError } from './market-api-error.ts';

/** What a request carries to prove its wallet. */
export interface Proof {
  readonly headers: Readonly<Record<string, string>>;
  /** Join the body. */
  readonly fields?: Readonly<Record<string, string>>;
}

export interface ProvenCall {
  readonly spec: OperationSpec;
  readonly args: Readonly<Record<string, unknown>>;
  readonly request: ComposedRequest;
  /** The caller's choice. */
  readonly proof?: 'custody' | 'ordinary' | undefined;
}

export type Prove = () => Promise<Proof>;

export interface Prover {
  prove(call: ProvenCall): Promise<Proof>;
  /** The proof that this refusal asks for, if the wallet can give it and the refused call did not have it. */
  answer(refusal: unknown, call: ProvenCall): Promise<Prove | undefined>;
}

export interface ProverOptions {
  readonly wallet: WalletSigner | undefined;
  /** The service that the signatures are for. */
  readonly baseUrl: string;
  readonly askChallenge: AskChallenge;
}

/** The service takes an ordinary signature for 15 minutes; stop earlier than that. */
const REUSE_ORDINARY_MS = 10 * 60_000;

/** `fresh`: an ordinary text of its own, because a signature pays with one transfer. */
type Tier = SignatureTier | 'fresh';

interface Signed {
  readonly timestampMs: number;
  readonly signature: string;
}

const NO_PROOF: Proof = { headers: {} };

export function createProver({ wallet, baseUrl, askChallenge }: ProverOptions): Prover {
  if (wallet === undefined) return withoutWallet;
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

  const signFresh = (signer: WalletSigner): Promise<Signed> => sign(signer, (timestampMs) => ordinarySignedText(signer.address, timestampMs));

  /** One prompt of the wallet serves ten minutes of ordinary calls. */
  async function signOrdinary(signer: WalletSigner): Promise<Signed> {
    if (ordinary === undefined || Date.now() - ordinary.sinceMs > REUSE_ORDINARY_MS) {
      ordinary = { sinceMs: Date.now(), signed: signFresh(signer) };
    }
    const current = ordinary;
    try {
      return await current.signed;
    } catch (error) {
      if (ordinary === current) ordinary = undefined;
      throw error;
    }
  }

  function signText(tier: Exclude<Tier, 'action'>, { method, path, body }: ComposedRequest, signer: WalletSigner): Promise<Signed> {
    const { address } = signer;
    if (tier === 'ordinary') return signOrdinary(signer);
    if (tier === 'fresh') return signFresh(signer);
    if (tier === 'single_use') return sign(signer, (timestampMs) => siteSignedText({ wallet: address, timestampMs, host, method, path }));
    return sign(signer, (timestampMs) => custodySignedText({ host, wallet: address, timestampMs, method, path, body }));
  }

  async function proveByText(tier: Exclude<Tier, 'action'>, request: ComposedRequest, signer: WalletSigner): Promise<Proof> {
    const { signature, timestampMs } = await signText(tier, request, signer);
    const chain = signer.chain ?? chainOfAddress(signer.address);
    return {
      headers: {
        'x-market-wallet': signer.address,
        'x-market-wallet-sig': signature,
        'x-market-wallet-sig-ts': String(timestampMs),
        ...(chain === undefined ? {} : { 'x-market-wallet-chain': chain }),
      },
    };
  }

  /** Asks for a message of its own each time: the service takes one once. */
  async function proveByMessage(subject: SignedSubject, signer: WalletSigner): Promise<Proof> {
    const message = await askChallenge(signer, subject);
    const signature = await (signer.signIn === undefined ? signer.signMessage(message) : signer.signIn(message));
    return { headers: {}, fields: { signed_message: message, wallet: signer.address, wallet_sig: signature } };
  }

  return {
    async prove(call) {
      const tier = tierOf(call);
      if (tier === undefined) return NO_PROOF;
      if (tier !== 'action') return await proveByText(tier, call.request, wallet);
      const [action] = actionsOf(call);
      return action === undefined ? NO_PROOF : await proveByMessage({ action }, wallet);
    },

    async answer(refusal, call) {
      if (!(refusal instanceof MarketApiError)) return undefined;
      const { code, data = {} } = refusal;
      const tier = tierOf(call);
      if (code === 'custody_signature_required' && tier !== 'custody') {
        if (!(await isCustodyTextOf(data, { host, wallet: wallet.address, request: call.request }))) return undefined;
        return () => proveByText('custody', call.request, wallet);
      }
      if (code === 'owner_proof_required' && tier !== 'custody' && isSameWallet(data['wallet'], wallet.address)) {
        return () => proveByText('custody', call.request, wallet);
      }
      if (code === 'sign_in_message_required') {
        const subject = subjectAskedFor(data, { host, wallet: wallet.address, actions: actionsOf(call) });
        return subject && (() => proveByMessage(subject, wallet));
      }
      if (code === 'payment_reserved' && tier === undefined && isSameWallet(data['payer'], wallet.address)) {
        return () => proveByText('fresh', call.request, wallet);
      }
      return undefined;
    },
  };
}

function tierOf({ spec, args, proof }: ProvenCall): Tier | undefined {
  if (proof !== undefined) return proof;
  const power = powerOf(spec, args);
  const takesWallet = spec.access.accepts.includes('wallet') || spec.access.together === 'wallet' || power !== spec.power;
  if (!takesWallet) return undefined;
  const tier = signatureTierOf(spec, args);
  // The custody text names the call itself, so it says more than a message about a part of it.
  if (tier === 'action' && walletProofsOf(spec, power).includes('custody')) return 'custody';
  return tier === 'ordinary' && (power === 'spend' || isPayingCall(spec, args, true)) ? 'fresh' : tier;
}

/** The messages that fit a call. A message about an agent waits for the refusal, which names the agent. */
function actionsOf({ spec, args }: ProvenCall): readonly SignedAction[] {
  if (spec.proofs?.includes('action') !== true) return [];
  if (spec.rest.path === '/api/auth/session') return ['session'];
  if (spec.rest.path === '/api/auth/wallets') return ['link_wallet'];
  const claimsOwner = args['owner_wallet'] !== undefined;
  return claimsOwner ? ['own_agent', 'link_agent'] : ['link_agent'];
}

const withoutWallet: Prover = {
  async prove({ proof }) {
    if (proof !== undefined) throw new TypeError('A proof needs a wallet. Pass one to createMarketClient.');
    return NO_PROOF;
  },
  answer: async () => undefined,
};
