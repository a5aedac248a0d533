/**
 * Blocks signing while the chain shows a treasury transfer that is missing in the books, for example after the restore of an old backup.
 * Outflow then stays closed for all processes until `market reconcile` has booked those transfers.
 */
import type { Chain, SeenOutgoing } from '../../platform/chains/chain.ts';
import { readPlace } from '../../platform/db/database-place.ts';
import {
  closeOutflow,
  findKnownReferences,
  findOutflowCursor,
  listOpenDeploys,
  listPayoutsLike,
  writeOutflowCursor,
} from './outflow-repository.ts';
import type { OutflowBooks, OutflowGate } from './payouts-context.ts';

export function createOutflowGate(context: OutflowBooks): OutflowGate {
  const compared = new Set<string>();
  async function compare(chain: Chain): Promise<void> {
    const { strangers, cursor, place } = await findStrangers(context, chain);
    if (strangers.length === 0) {
      await writeOutflowCursor(context.database.db, chain.caip2, cursor, place);
    } else if (await closeOutflow(context.database.db, closedReason(chain, strangers))) {
      context.log.error(
        { network: chain.network, references: strangers.map(({ reference }) => reference) },
        'outflow is closed: the treasury made transfers that the books do not know; run market reconcile',
      );
    }
    compared.add(chain.caip2);
  }
  return {
    compare,
    async requireCompared(chain) {
      if (!compared.has(chain.caip2)) await compare(chain);
    },
  };
}

function closedReason({ network }: Chain, strangers: readonly SeenOutgoing[]): string {
  const transfers = strangers.length === 1 ? '1 transfer' : `${strangers.length} transfers`;
  return `Outflow is closed: the chain shows ${transfers} of the treasury on ${network} that these books do not know. Run market reconcile.`;
}

export interface Comparison {
  /** Transfers the books do not explain. */
  readonly strangers: readonly SeenOutgoing[];
  readonly cursor: string;
  readonly place: string;
}

/** Reads the chain first: a transfer sent later is already stored in the books. */
export async function findStrangers({ database: { db } }: OutflowBooks, chain: Chain): Promise<Comparison> {
  const [place, known] = [await readPlace(db), await findOutflowCursor(db, chain.caip2)];
  // Books in another database than before may lack the last minutes; what was signed then may still be on its way.
  if (known !== undefined && known.place !== place) await chain.awaitLateTransfers();
  const page = await chain.listOutgoing(known?.cursor ?? null, (references) => findKnownReferences(db, chain.caip2, references));
  const strangers: SeenOutgoing[] = [];
  const deploys = page.transfers.length === 0 ? [] : (await listOpenDeploys(db, chain.network)).map((id) => chain.intentKey(id));
  for (const seen of page.transfers) {
    // It belongs to an open payout or deploy, whose own look-up will find it.
    if (seen.intentKey !== null && deploys.includes(seen.intentKey)) continue;
    const open = await listPayoutsLike(db, chain.network, seen, ['signed', 'sent', 'unknown']);
    if (!open.some(({ id }) => chain.intentKey(id) === seen.intentKey)) strangers.push(seen);
  }
  return { strangers, cursor: page.cursor, place };
}
