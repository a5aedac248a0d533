/** After a restore, people may have ended connections that the backup still has. So every program must ask for consent again. */
import { endTokensOfConnections } from '../../../access/order-tokens-repository.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { dropAllRecords } from './oauth-repository.ts';
import { endAllTokens } from './repository.ts';

/** Returns how many connections lost their tokens. */
export async function endTokensOfAllConnections(tx: Tx): Promise<number> {
  await dropAllRecords(tx);
  await endTokensOfConnections(tx);
  return await endAllTokens(tx);
}
