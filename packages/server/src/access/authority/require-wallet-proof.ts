/** Holds the wallet of a call against the table of authority: does its proof give the power that this call needs? */
import { MarketError, type NamedOperation, type Power, powerOf, walletProofsOf } from '@market/contract';
import type { Caller, WalletCaller } from '../caller.ts';
import type { Credentials } from '../credentials.ts';
import { isAccepted } from '../require-access.ts';
import type { AddressedSignatures } from './addressed-signatures.ts';
import { SHORT_MAX_AGE_MS } from './seen-signatures.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Makes the refusal of a proof that is too weak, with the text to sign. */
export type StrongerProof = (
  needed: 'custody' | 'action',
  operation: NamedOperation,
  args: Arguments,
  caller: Caller,
) => Promise<MarketError>;

export interface ProofCheck {
  readonly operation: NamedOperation;
  readonly args: Arguments;
  readonly credentials: Credentials;
  readonly strongerProof: StrongerProof;
  readonly addressed: Pick<AddressedSignatures, 'refuse'>;
}

/**
 * Returns the caller with the wallet as this call may use it. Browsers send their session with every call, so a session that is too weak is
 * dropped. Clients send signatures on purpose, so a signature that is too weak refuses the call.
 */
export async function requireWalletProof(caller: Caller, check: ProofCheck): Promise<Caller> {
  const wallet = caller.wallet ?? caller.walletElsewhere;
  if (wallet === undefined) return caller;
  const { spec } = check.operation;
  const accepted = walletProofsOf(spec, powerOf(spec, check.args));
  if (accepted.includes(wallet.proof)) {
    requireNamedAddress(wallet, check);
    await refuseAddressed(wallet, check);
    return caller;
  }
  if (wallet.proof === 'signature' && accepted.includes('single_use') && wallet.fromCookie !== true) {
    requireFresh(wallet, check.credentials);
    await refuseAddressed(wallet, check);
    return withWallet(caller, { ...wallet, proof: 'single_use' });
  }
  const { wallet: _wallet, walletElsewhere: _elsewhere, ...others } = caller;
  if (isFromCookie(wallet) && isAccepted(spec.access, others)) return others;
  if (accepted.includes('single_use')) {
    const given = isFromCookie(wallet) ? 'A session is not enough here.' : 'This message was signed for something else.';
    throw new MarketError('invalid_signature', { message: `${given} ${signThis(check.credentials.request)}` });
  }
  throw await check.strongerProof(accepted.includes('custody') ? 'custody' : 'action', check.operation, check.args, caller);
}

/**
 * The text of a sign-in only mentions reading and steering orders. For these powers, the sign-in must have been made for the URL of the
 * call.
 */
const askedForByName: readonly Power[] = ['fund', 'move', 'grant', 'recover'];

function requireNamedAddress(
  { proof, signInPath }: WalletCaller,
  { operation: { spec }, args, credentials: { request } }: ProofCheck,
): void {
  if (proof !== 'sign_in' || !askedForByName.includes(powerOf(spec, args))) return;
  if (signInPath === new URL(request.path, 'http://any.example').pathname) return;
  throw new MarketError('invalid_signature', {
    message: `This sign-in was made for ${signInPath}. Sign the challenge of ${request.path}, which is in the header PAYMENT-REQUIRED of this answer.`,
  });
}

/** A signature from a URL may still act in a body, as existing clients use it. Money, keys, rights and terms refuse it. */
const neverByCopy: readonly Power[] = ['spend', ...askedForByName];

async function refuseAddressed({ addressMarks = [] }: WalletCaller, { addressed, operation: { spec }, args }: ProofCheck): Promise<void> {
  if (addressMarks.length > 0 && refusesCopies(spec, args)) await addressed.refuse(addressMarks);
}

function refusesCopies(spec: NamedOperation['spec'], args: Arguments): boolean {
  const { refusesCopies: fields = [] } = spec;
  return fields === true || fields.some((field) => args[field] !== undefined) || neverByCopy.includes(powerOf(spec, args));
}

function isFromCookie({ proof, fromCookie }: WalletCaller): boolean {
  return proof === 'session' || fromCookie === true;
}

function withWallet(caller: Caller, wallet: WalletCaller): Caller {
  return caller.wallet === undefined ? { ...caller, walletElsewhere: wallet } : { ...caller, wallet };
}

function requireFresh({ signatureAgeMs = 0 }: WalletCaller, { request }: Credentials): void {
  if (signatureAgeMs > SHORT_MAX_AGE_MS)
    throw new MarketError('signature_expired', { message: `This signature is older than 5 minutes. ${signThis(request)}` });
}

function signThis({ method, path }: Credentials['request']): string {
  return `Sign this text with the wallet: market:<wallet>:<wallet_sig_ts>:<host of this service>:${method} ${path}`;
}
