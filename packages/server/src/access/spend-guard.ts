/** The interface of spend policies in a call: `begin` before the handler of a call that pays, `keep` and `settle` with its effect. */
import { MarketError, type NamedOperation } from '@market/contract';
import type { Tx } from '../platform/db/database.ts';
import type { StoredAnswer } from '../platform/idempotency/idempotent-answers.ts';
import type { Caller } from './caller.ts';

export interface PayingCall {
  readonly operation: NamedOperation;
  /** The arguments, validated. */
  readonly input: unknown;
  readonly caller: Caller;
  /** Equal for the same operation and arguments, whatever the payment and credentials. */
  readonly hash: Buffer;
  readonly idempotencyKey: string | undefined;
  /** The budget session that the call names. */
  readonly budgetSession: string | undefined;
}

/** The amount that one call reserved. */
export interface SpendCharge {
  /** The call pays nothing above this. */
  readonly maxMicros: bigint;
  /** Counts the payment, in the transaction of its effect. Throws when the reservation was released, which rolls the effect back. */
  keep(tx: Tx, answer: StoredAnswer): Promise<void>;
  /**
   * After the handler: counts what was bought, releases what was not, keeps the reservation of what may still happen. `error` is the
   * handler's refusal.
   */
  settle(error?: unknown): Promise<void>;
}

/** The refusal when the call would pay more than it reserved. Nothing was taken. */
export function priceRose(): MarketError {
  return new MarketError('price_changed', {
    message:
      'The price went up while this call was checked against its spend policies. Nothing was used up. Read the price and call again.',
  });
}

export interface SpendGuard {
  /** Undefined if nothing limits the call. Throws the refusal of a policy. */
  begin(call: PayingCall): Promise<SpendCharge | undefined>;
}
