/** Order tokens that a program got end with its connection. */
import type { ConnectionId } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';

/** Replaced by `endTokensOfConnection` of access/order-tokens-repository.ts when order tokens remember their connection. */
export async function endTokensOfConnection(_tx: Tx, _id: ConnectionId): Promise<void> {}
