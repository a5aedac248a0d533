/** Books the transfers that left on chain and are missing in the books. Safe to repeat. */
import type { Database } from '../../../platform/db/database.ts';
import type { Holder } from './holder.ts';
import { compareHolder, createLateWait } from './outflow-gate.ts';
import { writeHolderCursor } from './repository.ts';

/** Returns one sentence per transfer that was found. */
export async function reconcileHolders(database: Database, holders: AsyncIterable<Holder> | Iterable<Holder>): Promise<readonly string[]> {
  const late = createLateWait();
  const lines: string[] = [];
  for await (const holder of holders) {
    const { strangers, expected = [], cursor, place } = await compareHolder(database, holder, late, { isRestored: true });
    await database.transaction(async (tx) => {
      for (const stranger of [...strangers, ...expected]) lines.push(await stranger.book(tx));
      await writeHolderCursor(tx, holder.name, cursor, place);
    });
  }
  return lines;
}
