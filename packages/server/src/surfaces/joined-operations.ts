/**
 * Calls that may share a transaction with others that arrive at the same moment (`platform/db/join-transactions.ts`). They only read and
 * insert: a row that one updates would stay locked until the others are done. The row of their Idempotency-Key is their own.
 */
import type { NamedOperation, OperationArguments, Operations } from '@market/contract';
import type { Caller } from '../access/caller.ts';

/** Whether this call of the operation only inserts. */
const joined: Readonly<Record<string, (input: unknown, caller: Caller) => boolean>> = {
  // An account updates its row, and an upload is attached.
  'orders.place': (input, { user }) =>
    user === undefined && (input as OperationArguments<Operations['orders']['place']>).reference_images.length === 0,
};

export function onlyInserts({ name }: NamedOperation, input: unknown, caller: Caller): boolean {
  return joined[name]?.(input, caller) ?? false;
}
