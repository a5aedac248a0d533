/**
 * After a restore, the books have forgotten what a transfer bought and what left for it. The same purchase may repeat: its payout meets on
 * chain what left. For another purpose, the money would leave twice. A transfer that went back to its payer buys nothing.
 */
import { formatUsd, MarketError, type NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Db } from '../../platform/db/database.ts';
import { nameOfRefund, namesOfDeposit, namesOfPurchase, namesOfSurplus } from './outgoing-names.ts';
import type { PaymentsContext } from './payments-context.ts';
import {
  type ClaimOfTransfer,
  listClaimsOf,
  listReferencesOf,
  listUnbooked,
  readMostSurplus,
  type UnbookedRow,
} from './unbooked-repository.ts';

type Chains = ReadonlyMap<NetworkName, Pick<Chain, 'intentKey'>>;

/** Refuses to claim a transfer whose money went back, or left for something else. `surplusMicros` is what the claim adds to the surplus of its payer. */
export async function refuseSpentBefore(
  db: Db,
  { chains, log }: Pick<PaymentsContext, 'chains' | 'log'>,
  claim: ClaimOfTransfer,
  surplusMicros: bigint,
): Promise<void> {
  const unbooked = await listUnbooked(db);
  if (unbooked.length === 0) return;
  const left =
    named(chains, unbooked, [nameOfRefund(claim)])[0] ??
    findOtherUse(chains, unbooked, claim) ??
    (await findLostSurplus(db, chains, unbooked, claim, surplusMicros));
  if (left === undefined) return;
  const { network, reference, purpose } = claim;
  log.error(
    { network, reference, purpose, left: left.reference },
    'a transfer is refused: money left for it before these books were put back',
  );
  throw new MarketError('payment_already_used', {
    message: `This transfer has been used already: ${describeLeft(left)}. An operator can look into it.`,
  });
}

/** An unbooked transfer for another use of this subject's payment, or under one of `otherNames`; undefined without one. */
export async function findSpentBefore(
  db: Db,
  chains: Chains,
  subjectId: string,
  otherNames: readonly string[] = [],
): Promise<UnbookedRow | undefined> {
  const unbooked = await listUnbooked(db);
  if (unbooked.length === 0) return undefined;
  const [other] = named(chains, unbooked, otherNames);
  if (other !== undefined) return other;
  for (const claim of await listClaimsOf(db, { subjectId })) {
    const left = findOtherUse(chains, unbooked, claim) ?? (await findLostSurplus(db, chains, unbooked, claim, 0n));
    if (left !== undefined) return left;
  }
  return undefined;
}

/** An unbooked transfer above the price of a claim of this payer, or for another use of it: the surplus left with it. */
export async function findSurplusSpentBefore(db: Db, chains: Chains, payer: string): Promise<UnbookedRow | undefined> {
  const unbooked = await listUnbooked(db);
  if (unbooked.length === 0) return undefined;
  const claims = await listClaimsOf(db, { payer });
  return claims.map((claim) => findOtherUse(chains, unbooked, claim)).find((left) => left !== undefined);
}

export function describeLeft({ amountMicros, destination, network, reference }: UnbookedRow): string {
  return `${formatUsd(amountMicros)} USDC left for it to ${destination} on ${network} (${reference})`;
}

/** A purchase and a deposit of Earn are different uses. Within one use, no more than the price leaves. */
function findOtherUse(chains: Chains, unbooked: readonly UnbookedRow[], claim: ClaimOfTransfer): UnbookedRow | undefined {
  const isDeposit = claim.purpose === 'earn_deposit';
  const [same, other] = isDeposit ? [namesOfDeposit(claim), namesOfPurchase(claim)] : [namesOfPurchase(claim), namesOfDeposit(claim)];
  return named(chains, unbooked, other)[0] ?? named(chains, unbooked, same).find(({ amountMicros }) => amountMicros > claim.priceMicros);
}

/** One refund may hold the surplus of several transfers. All that left as surplus must still be owed, or be of transfers nobody has claimed. */
async function findLostSurplus(
  db: Db,
  chains: Chains,
  unbooked: readonly UnbookedRow[],
  { network, payer, reference }: ClaimOfTransfer,
  surplusMicros: bigint,
): Promise<UnbookedRow | undefined> {
  const names = namesOfSurplus(network, payer, [...new Set([reference, ...(await listReferencesOf(db, network, payer))])]);
  const left = named(chains, unbooked, names);
  if (left.length === 0) return undefined;
  const sum = left.reduce((micros, { amountMicros }) => micros + amountMicros, 0n);
  return sum > (await readMostSurplus(db, network, payer, reference)) + surplusMicros ? left[0] : undefined;
}

function named(chains: Chains, unbooked: readonly UnbookedRow[], names: readonly string[]): UnbookedRow[] {
  const keys = new Set(names.flatMap((name) => [...chains.values()].map((chain) => chain.intentKey(name))));
  return unbooked.filter(({ intentKey }) => intentKey !== null && keys.has(intentKey));
}
