/** Proves the invariants over the live database and holds the books against the chains. Changes nothing. */
import { formatUsd, type NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Database } from '../../platform/db/database.ts';
import { findViolations, freezeMoment, invariants, readBooks } from './invariants-repository.ts';

export interface Finding {
  readonly id: string;
  /** The sentence that does not hold. */
  readonly broken: string;
  readonly rows: readonly Record<string, unknown>[];
}

export interface AuditReport {
  readonly checked: number;
  readonly findings: readonly Finding[];
}

export async function runAudit(database: Database, chains: ReadonlyMap<NetworkName, Chain>): Promise<AuditReport> {
  const { findings, books } = await database.transaction(async (tx) => {
    await freezeMoment(tx);
    const found: Finding[] = [];
    for (const invariant of invariants) {
      const rows = await findViolations(tx, invariant);
      if (rows.length > 0) found.push({ id: invariant.id, broken: invariant.holds, rows });
    }
    return { findings: found, books: await readBooks(tx) };
  });
  const chainRows = await compareWithChains(books, chains);
  if (chainRows.length > 0) findings.push({ id: 'Q09', broken: 'each treasury holds on chain what the books say', rows: chainRows });
  return { checked: invariants.length + 1, findings };
}

/** While a payout is on its way the chain may be ahead of the books by exactly what is on its way; otherwise they are equal. */
async function compareWithChains(
  books: Awaited<ReturnType<typeof readBooks>>,
  chains: ReadonlyMap<NetworkName, Chain>,
): Promise<readonly Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (const chain of chains.values()) {
    const book = books.find(({ network }) => network === chain.network) ?? { held: 0n, openPayouts: 0n };
    const { usdcMicros } = await chain.readBalances(chain.treasury);
    if (usdcMicros <= book.held && usdcMicros >= book.held - book.openPayouts) continue;
    rows.push({
      network: chain.network,
      on_chain: formatUsd(usdcMicros),
      in_books: formatUsd(book.held),
      on_their_way: formatUsd(book.openPayouts),
    });
  }
  return rows;
}
