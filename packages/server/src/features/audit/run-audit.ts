/** Checks the invariants on the live database and compares the books with the chains. Changes nothing. */
import { formatUsd, type NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Database } from '../../platform/db/database.ts';
import { figureInvariants } from './figure-invariants.ts';
import type { Invariant } from './invariant.ts';
import { findViolations, freezeMoment, invariants, readBook } from './invariants-repository.ts';

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
  const findings = await findBroken(database, invariants);
  const chainRows = await compareWithChains(database, chains);
  if (chainRows.length > 0) findings.push({ id: 'Q09', broken: 'each treasury holds on chain what the books say', rows: chainRows });
  return { checked: invariants.length + 1, findings };
}

/** Public figures alone: rebuilds them from the event log and the records, and compares. Asks no chain. */
export async function auditFigures(database: Database): Promise<AuditReport> {
  return { checked: figureInvariants.length, findings: await findBroken(database, figureInvariants) };
}

/** All at the same moment. */
async function findBroken(database: Database, checked: readonly Invariant[]): Promise<Finding[]> {
  return await database.transaction(async (tx) => {
    await freezeMoment(tx);
    const found: Finding[] = [];
    for (const invariant of checked) {
      const rows = await findViolations(tx, invariant);
      if (rows.length > 0) found.push({ id: invariant.id, broken: invariant.holds, rows });
    }
    return found;
  });
}

/**
 * A chain and its books cannot be read at one moment, so the books are read before and after: the chain may be ahead by what was on its
 * way out, and by what came in or was sent while it was asked. Where nothing moves, they are equal.
 */
async function compareWithChains({ db }: Database, chains: ReadonlyMap<NetworkName, Chain>): Promise<readonly Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (const chain of chains.values()) {
    const before = await readBook(db, chain.network);
    const { usdcMicros } = await chain.readBalances(chain.treasury);
    const after = await readBook(db, chain.network);
    const confirmed = after.paidOut - before.paidOut;
    const received = after.held - before.held + confirmed;
    const onTheirWay = larger(before.openPayouts, after.openPayouts + confirmed);
    if (usdcMicros <= before.held + larger(received, 0n) && usdcMicros >= before.held - onTheirWay) continue;
    rows.push({
      network: chain.network,
      on_chain: formatUsd(usdcMicros),
      in_books: formatUsd(before.held),
      on_their_way: formatUsd(onTheirWay),
    });
  }
  return rows;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
