/** Checks the invariants on the live database and compares the books with the chains. Changes nothing. */

import { setTimeout as pause } from 'node:timers/promises';
import { formatUsd, type NetworkName } from '@market/contract';
import { type Chain, ChainUnavailable } from '../../platform/chains/chain.ts';
import type { Database, Db } from '../../platform/db/database.ts';
import { larger, smaller } from '../../platform/larger-and-smaller.ts';
import { findUnbooked, readArrivals } from './arrivals-repository.ts';
import { figureInvariants } from './figure-invariants.ts';
import type { Invariant } from './invariant.ts';
import { type BookedUnits, findViolations, freezeMoment, invariants, listUnits, readBook, readFeeVault } from './invariants-repository.ts';

export interface Finding {
  readonly id: string;
  /** The sentence of the broken invariant. */
  readonly broken: string;
  readonly rows: readonly Record<string, unknown>[];
}

export interface AuditReport {
  readonly checked: number;
  readonly findings: readonly Finding[];
  /** Networks without a reachable node. Their books were not compared with the chain. */
  readonly unchecked: readonly Unchecked[];
}

export interface Unchecked {
  readonly network: NetworkName;
  readonly reason: string;
}

export async function runAudit(database: Database, chains: ReadonlyMap<NetworkName, Chain>, feeVault?: Chain): Promise<AuditReport> {
  const findings = await findBroken(database, invariants);
  const unchecked: Unchecked[] = [];
  /** Compares each item. A network that is away is noted as unchecked, and the audit goes on. */
  const ofEach = async <T extends { readonly network: NetworkName }>(
    compared: Iterable<T>,
    compare: (one: T) => Promise<Record<string, unknown> | undefined>,
  ): Promise<readonly Record<string, unknown>[]> => {
    const rows: Record<string, unknown>[] = [];
    for (const one of compared) {
      try {
        const row = await compare(one);
        if (row !== undefined) rows.push(row);
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) throw error;
        if (!unchecked.some(({ network }) => network === one.network)) unchecked.push({ network: one.network, reason: error.message });
      }
    }
    return rows;
  };
  const chainRows = await ofEach(chains.values(), (chain) => compareWithChain(database.db, chain));
  if (chainRows.length > 0) findings.push({ id: 'Q09', broken: 'each treasury holds on chain what the books say', rows: chainRows });
  const unitRows = await ofEach(await listUnits(database.db), (vault) => compareUnits(database.db, chains, vault));
  if (unitRows.length > 0)
    findings.push({ id: 'E08', broken: 'the treasury holds in each venue at least the units of its book', rows: unitRows });
  const vaultRows = await ofEach(feeVault === undefined ? [] : [feeVault], (vault) => compareFeeVault(database.db, vault));
  if (vaultRows.length > 0)
    findings.push({ id: 'F04', broken: 'the vault of creator fees holds on chain at least what the books say', rows: vaultRows });
  return { checked: invariants.length + 3, findings, unchecked };
}

/** Audits only the public figures, by rebuilding them from events and records. Asks no chain. */
export async function auditFigures(database: Database): Promise<AuditReport> {
  return { checked: figureInvariants.length, findings: await findBroken(database, figureInvariants), unchecked: [] };
}

/** Checks all invariants on one snapshot. */
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

/** Compares twice, because a node that lags for a moment is no finding. */
async function compareWithChain(db: Db, chain: Chain): Promise<Record<string, unknown> | undefined> {
  if ((await compareOnce(db, chain)) === undefined) return undefined;
  await pause(SECOND_LOOK_MS);
  return await compareOnce(db, chain);
}

const SECOND_LOOK_MS = 1_000;

/**
 * Chain and books cannot be read at one moment, so the books are read before and after the chain. The balance may differ by open payouts and
 * by what arrived or left in between. Arrivals that are not booked yet are read twice as well. When nothing moves, both must be equal.
 */
async function compareOnce(db: Db, chain: Chain): Promise<Record<string, unknown> | undefined> {
  const before = await readBook(db, chain.network);
  const arrivedBefore = await countJustArrived(db, chain);
  const { usdcMicros } = await chain.readBalances(chain.treasury);
  const arrivedAfter = await countJustArrived(db, chain);
  const after = await readBook(db, chain.network);
  const confirmed = after.paidOut - before.paidOut;
  const received = after.held - before.held + confirmed;
  const onTheirWay = larger(before.openPayouts, after.openPayouts + confirmed);
  // Arrivals that were unbooked at first may be booked by now.
  const min = before.held - onTheirWay + arrivedBefore;
  const max = before.held + larger(received, 0n) + larger(arrivedBefore, arrivedAfter);
  if (usdcMicros >= min && usdcMicros <= max) return undefined;
  return {
    network: chain.network,
    on_chain: formatUsd(usdcMicros),
    in_books: formatUsd(before.held),
    on_their_way: formatUsd(onTheirWay),
    just_arrived: formatUsd(arrivedAfter),
  };
}

/** Age up to which an unbooked transfer may still wait for finality. The watcher has missed older ones. */
const JUST_ARRIVED_MS = 3_600_000;
const ARRIVALS_PER_PAGE = 500;

/** Sum of young transfers to the treasury that are on chain, but not in the books yet. */
async function countJustArrived(db: Db, chain: Chain): Promise<bigint> {
  const { cursor, booking, now } = await readArrivals(db, chain);
  const references = new Set(booking);
  for (let from = cursor; ; ) {
    const page = await chain.listTreasuryTransfers(from, ARRIVALS_PER_PAGE, 'newest');
    for (const reference of page.references) references.add(reference);
    // Without a cursor the watcher has not begun, and further pages hold only older transfers.
    if (!page.hasMore || cursor === null) break;
    from = page.cursor;
  }
  let micros = 0n;
  for (const reference of await findUnbooked(db, chain.caip2, [...references])) {
    const reading = await chain.readReceipt(reference, { notesKnown: true });
    if (reading.state !== 'landed' || reading.receipt.receivedMicros <= 0n) continue;
    if (now.getTime() - reading.receipt.blockTime.getTime() < JUST_ARRIVED_MS) micros += reading.receipt.receivedMicros;
  }
  return micros;
}

/** Reports a vault with fewer units in its venue than in its book. Skips vaults with open intents, or whose book changed meanwhile. */
async function compareUnits(
  db: Db,
  chains: ReadonlyMap<NetworkName, Chain>,
  { key, network, venue, router, units }: BookedUnits,
): Promise<Record<string, unknown> | undefined> {
  const held = (await chains.get(network)?.venues?.read({ venue, router, adapter: 'erc4626' }))?.heldUnits;
  const still = (await listUnits(db)).some((vault) => vault.key === key && vault.units === units);
  return held !== undefined && still && held < BigInt(units) ? { key, on_chain: String(held), in_book: units } : undefined;
}

/** Reports a fee vault with less than its books say. More is fine: it has just arrived. Fees of failed transactions are in no payout. */
async function compareFeeVault(db: Db, vault: Chain): Promise<Record<string, unknown> | undefined> {
  const before = await readFeeVault(db);
  const { native } = await vault.readBalances(vault.treasury);
  const after = await readFeeVault(db);
  const min = smaller(before.held - before.open, after.held - after.open) - after.failedFees;
  return native >= min ? undefined : { on_chain: String(native), in_books: String(before.held), on_their_way: String(before.open) };
}
