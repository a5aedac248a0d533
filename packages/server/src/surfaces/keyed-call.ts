/** An `Idempotency-Key`: within which calls it is one, and the lease that a call takes on it. */
import { keepsAnswers, MarketError } from '@market/contract';
import type { KeyedCall, ReceivedFile } from '../access/call.ts';
import { type Caller, isSomebody, principalOf } from '../access/caller.ts';
import type { Begun, IdempotencyLease, IdempotentAnswers } from '../platform/idempotency/idempotent-answers.ts';
import type { Arguments } from './argument-parts.ts';
import type { OperationRequest } from './operation-request.ts';
import { requestHashes } from './request-hash.ts';
import { isUnguessable, withholdSecrets } from './withhold-secrets.ts';

interface ScopedKey extends Pick<KeyedCall, 'isPrivate'> {
  readonly scope: string;
  readonly key: string;
}

interface KeyOwner {
  readonly caller: Caller;
  /** The payer of an anonymous call. Many callers share one client address. */
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
  return { scope, key, isPrivate: isSomebody(caller) || isUnguessable(key) };
}

/** A key that strangers could guess keeps its answer without secrets. Holders of an API key that was replaced are strangers. */
export async function beginKeyed(
  answers: IdempotentAnswers,
  { operation, args }: OperationRequest,
  { file, caller }: { readonly file: ReceivedFile | undefined; readonly caller: Caller },
  { scope, key, isPrivate }: ScopedKey,
): Promise<Begun> {
  const begun = await answers.begin({ scope, key, hashes: requestHashes(operation, args, file) });
  if (begun.kind === 'replay' && caller.agent?.keyRetired === true && !isUnguessable(key))
    return { ...begun, answer: withholdSecrets(begun.answer) };
  if (begun.kind === 'replay' || isPrivate) return begun;
  const { lease } = begun;
  const keep: IdempotencyLease['keep'] = (tx, answer) => lease.keep(tx, withholdSecrets(answer));
  return { kind: 'run', lease: { ...lease, keep, keepLate: (answer) => lease.keepLate(withholdSecrets(answer)) } };
}
