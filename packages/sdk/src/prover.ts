/** Makes wallet signatures for requests: of the text that a call needs, or that a refusal asks for instead. */
import { chainOfAddress, isPaidCall, powerOf, type SignedAction, signatureTierOf, walletProofsOf } from '@market/contract';
import { isCustodyTextOf, isSameWallet, subjectAskedFor } from './check-refusal.ts';
import type { ComposedRequest } from './compose-request.ts';
import type { WalletSigner } from './identity.ts';
import { MarketApiError } from './market-api-error.ts';
import { NO_PROOF, type Proof, type ProvenCall, type Prover } from './proof.ts';
import { createTextSigner, type TextTier } from './sign-texts.ts';
import type { AskChallenge, SignedSubject } from './signed-subject.ts';

export interface ProverOptions {
  readonly wallet: WalletSigner;
  /** The service that the signatures are for. */
  readonly baseUrl: string;
  readonly askChallenge: AskChallenge;
}

type Tier = TextTier | 'action';

export function createProver({ wallet, baseUrl, askChallenge }: ProverOptions): Prover {
  const { host } = new URL(baseUrl);
  const signText = createTextSigner(wallet, host);

  async function proveByText(tier: TextTier, request: ComposedRequest, signer: WalletSigner): Promise<Proof> {
    const { signature, timestampMs } = await signText(tier, request);
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

  /** Gets a new message for each proof, because the service accepts each message once. */
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
  // Prefer the custody text: it covers the whole call, an action message only a part of it.
  if (tier === 'action' && walletProofsOf(spec, power).includes('custody')) return 'custody';
  return tier === 'ordinary' && (power === 'spend' || isPaidCall(spec, args, true)) ? 'fresh' : tier;
}

/** The action messages that fit a call. Messages about an agent come from the refusal, which names the agent. */
function actionsOf({ spec, args }: ProvenCall): readonly SignedAction[] {
  if (spec.proofs?.includes('action') !== true) return [];
  if (spec.rest.path === '/api/auth/session') return ['session'];
  if (spec.rest.path === '/api/auth/wallets') return ['link_wallet'];
  const claimsOwner = args['owner_wallet'] !== undefined;
  return claimsOwner ? ['own_agent', 'link_agent'] : ['link_agent'];
}
