/** The scope of an `Idempotency-Key`, and the lease that a call takes on it. */
import { keepsAnswers, MarketError, type WalletProof } from '@market/contract';
import type { KeyedCall, ReceivedFile } from '../access/call.ts';
import { type Caller, isSomebody, principalOf } from '../access/caller.ts';
import type { Begun, IdempotencyLease, IdempotentAnswers } from '../platform/idempotency/idempotent-answers.ts';
import { isUnguessable } from '../platform/idempotency/unguessable.ts';
import type { Arguments } from './argument-parts.ts';
import type { OperationRequest } from './operation-request.ts';
import { requestHashes } from './request-hash.ts';
import { withholdSecrets } from './withhold-secrets.ts';

interface ScopedKey extends Pick<KeyedCall, 'isPrivate'> {
  readonly scope: string;
  readonly key: string;
}

interface KeyOwner {
  readonly caller: Caller;
  /** Names the payer of an anonymous call, because many callers share one client address. */
  readonly payer: (args: Arguments) => string | undefined;
  readonly input: unknown;
}

export function scopedKeyOf(
  { operation, idempotencyKey: key, credentials }: OperationRequest,
  { caller, payer, input }: KeyOwner,
): ScopedKey | undefined {
  if (key === undefined || operation.spec.effects.kind === 'read') return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw new MarketError('invalid_idempotency_key');
  if (!keepsAnswers(operation.spec)) return undefined;
  const principal = principalOf(caller, credentials.clientAddress);
  const named = isSomebody(caller) ? undefined : payer(input as Arguments);
  const scope = [principal, ...(named === undefined ? [] : [named]), operation.name].join(' ');
  return { scope, key, isPrivate: isUnguessable(key) || isOneStrongCredential(caller) };
}

/**
 * True for exactly one API key, account or program, or a signature made for this very call. Two credentials together are another caller
 * than one of them.
 */
function isOneStrongCredential({ agent, user, connection, wallet, walletElsewhere }: Caller): boolean {
  const signer = wallet ?? walletElsewhere;
  if (agent?.keyRetired === true) return false;
  if (connection !== undefined) return signer === undefined;
  if (signer === undefined) return (agent === undefined) !== (user === undefined);
  return agent === undefined && user === undefined && signer.namesNoCall !== true && strongProofs.includes(signer.proof);
}

const strongProofs: readonly WalletProof[] = ['custody', 'single_use', 'action'];

/** Stores the answer. A key that strangers could guess stores and replays its answer without secrets. */
export async function beginKeyed(
  answers: IdempotentAnswers,
  { operation, args }: OperationRequest,
  { file }: { readonly file: ReceivedFile | undefined },
  { scope, key, isPrivate }: ScopedKey,
): Promise<Begun> {
  const begun = await answers.begin({ scope, key, hashes: requestHashes(operation, args, file) });
  if (isPrivate) return begun;
  if (begun.kind === 'replay') return { ...begun, answer: withholdSecrets(begun.answer) };
  const { lease } = begun;
  const keep: IdempotencyLease['keep'] = (tx, answer) => lease.keep(tx, withholdSecrets(answer));
  return { kind: 'run', lease: { ...lease, keep, keepLate: (answer) => lease.keepLate(withholdSecrets(answer)) } };
}
