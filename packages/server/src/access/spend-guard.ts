/** The place of spend policies in a call: asked before the handler of a call that pays, settled with its effect. */
import type { NamedOperation } from '@market/contract';
import type { Tx } from '../platform/db/database.ts';
import type { StoredAnswer } from '../platform/idempotency/idempotent-answers.ts';
import type { Caller } from './caller.ts';

export interface PayingCall {
  readonly operation: NamedOperation;
  /** The arguments, validated. */
  readonly input: unknown;
  readonly caller: Caller;
  /** The same for the same operation and arguments; payments and credentials do not count. */
  readonly hash: Buffer;
  readonly idempotencyKey: string | undefined;
  /** The budget session that the call names. */
  readonly budgetSession: string | undefined;
}

/** The amount that one call reserved. */
export interface SpendCharge {
  /** Counts the payment, in the transaction of its effect. Throws when the reservation was given up, which rolls the effect back. */
  keep(tx: Tx, answer: StoredAnswer): Promise<void>;
  /** After the handler: counts what was bought, gives back what was not, leaves open what may still happen. `error` is its refusal. */
  settle(error?: unknown): Promise<void>;
}

export interface SpendGuard {
  /** Undefined where no policy applies. Throws what a policy refuses. */
  begin(call: PayingCall): Promise<SpendCharge | undefined>;
}
