/**
 * Writes of joined transactions (`join-transactions.ts`) that become one statement for all of them. In any other transaction, each is
 * written at once.
 */
import type { Tx } from './handles.ts';
import { isJoined, type WriteAll, writeLast } from './last-writes.ts';

/** Nothing that a joined transaction writes may refer to `item`, except its events. */
export async function writeTogether<T>(tx: Tx, item: T, writeAll: WriteAll<T>): Promise<void> {
  if (isJoined(tx)) writeLast(tx, writeAll, [item], writeAll, 'rows');
  else await writeAll(tx, [item]);
}
