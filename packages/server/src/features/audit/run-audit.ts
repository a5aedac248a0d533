/** Checks the invariants on the live database and compares the books with the chains. Changes nothing. */
import { formatUsd, type NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Database } from '../../platform/db/database.ts';
import { figureInvariants } from './figure-invariants.ts';
import type { Invariant } from './invariant.ts';
import { findViolations, freezeMoment, invariants, listUnits, readBook } from './invariants-repository.ts';

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
  const unitRows = await compareUnits(database, chains);
  if (unitRows.length > 0)
    findings.push({ id: 'E08', broken: 'the treasury holds in each venue at least the units of its book', rows: unitRows });
  return { checked: invariants.length + 2, findings };
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

/** Units come and go with what is asked of the venue: a vault with something under way is left out, and one whose book moved meanwhile. */
async function compareUnits({ db }: Database, chains: ReadonlyMap<NetworkName, Chain>): Promise<readonly Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (const { key, network, venue, router, units } of await listUnits(db)) {
    const held = (await chains.get(network)?.venues?.read({ venue, router, adapter: 'erc4626' }))?.heldUnits;
    const still = (await listUnits(db)).some((vault) => vault.key === key && vault.units === units);
    if (held !== undefined && still && held < BigInt(units)) rows.push({ key, on_chain: String(held), in_book: units });
  }
  return rows;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
