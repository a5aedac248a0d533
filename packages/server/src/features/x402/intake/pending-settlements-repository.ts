/** Stores what the facilitator signed, with the payment itself, before anything is sent. */
import type { Database } from '../../../platform/db/database.ts';
import type { PendingSettlements } from '../../../platform/facilitator/pending-settlements.ts';

export function storedSettlements({ db }: Pick<Database, 'db'>): PendingSettlements {
  return {
    async find(identity) {
      const row = await db
        .selectFrom('x402Payments')
        .select(['transaction', 'signedBytes'])
        .where('alias', '=', identity)
        // A failed payment moved nothing and starts over.
        .where('state', '!=', 'failed')
        .executeTakeFirst();
      if (row === undefined || row.transaction === null || row.signedBytes === null) return undefined;
      return { reference: row.transaction, bytes: row.signedBytes };
    },
    async keep(identity, { reference, bytes }) {
      const { numUpdatedRows } = await db
        .updateTable('x402Payments')
        .set({ transaction: reference, signedBytes: bytes })
        .where('alias', '=', identity)
        .where('state', 'in', ['settling', 'unknown'])
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) throw new Error(`payment ${identity} is not claimed; nothing is sent for it`);
    },
  };
}
