/** Burns shares and queues what they stand for. The burn is one transaction; from then on the withdrawal only goes forward. */
import { burn, earnLimits, formatUsd, MarketError, operations, principalOf, unitsFor } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { type Chain, ChainUnavailable } from '../../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs, hastenJob } from '../../../platform/jobs/job-repository.ts';
import { newId } from '../../../platform/random.ts';
import { requireAgentBudget } from '../../custody/index.ts';
import { findLastPayer } from '../deposit-repository.ts';
import type { EarnContext, VaultSetting } from '../earn-context.ts';
import { appendEarnEvent } from '../earn-events.ts';
import { settleQueueJob } from '../earn-job-names.ts';
import { followWithdrawal } from '../follow.ts';
import { type Acting, nameOfOwner, requireActing } from '../owners.ts';
import { composeWithdrawal, presentWithdrawal } from '../present-movement.ts';
import { listLatestSamples } from '../sample-repository.ts';
import { findPosition, insertEarnMovement, lockVault, type Owner, reducePosition, writeBook } from '../vault-repository.ts';
import { bookOf, type Price, requireVaultSetting, requireVenuePort, valueOfUnits } from '../vaults.ts';
import { findWithdrawal, insertWithdrawal } from '../withdrawal-repository.ts';

export function withdraw(context: EarnContext): HandlersOf<'earn'>['withdraw'] {
  return async (input, call) => {
    const setting = requireVaultSetting(context, input);
    const { chain } = requireVenuePort(context, setting);
    const asked = { agentId: input.agent_id, wallet: input.owner_wallet };
    const acting = await requireActing(context, call.caller, setting.network, asked);
    await requireAgentBudget(context, call, operations.earn.deposit, nameOfOwner(acting.owner));
    const destination = await requireDestination(context, chain, acting, input.destination_wallet);
    const wanted = input.all === true ? 'all' : BigInt(input.shares ?? '0');
    const price = wanted === 'all' ? undefined : await readPrice(context, setting);
    const id = newId('wdr', context.clock.now());
    await call.commit(
      async (tx) => {
        await burnShares(tx, context, setting, { id, owner: acting.owner, wanted, price, destination, slippageBps: input.slippage_bps });
        const stored = await findWithdrawal(tx, id);
        if (stored === undefined) throw new Error(`${id} was not stored`);
        reachCrashPoint('earn.before_burn_commit');
        return { data: composeWithdrawal(context, stored) };
      },
      { provisional: true },
    );
    reachCrashPoint('earn.after_burn');
    await followWithdrawal(context, call, id);
    const withdrawal = await findWithdrawal(context.database.db, id);
    if (withdrawal === undefined) throw new Error(`${id} is gone`);
    return { data: await presentWithdrawal(context, withdrawal) };
  };
}

interface Burn {
  readonly id: string;
  readonly owner: Owner;
  readonly wanted: bigint | 'all';
  /** Undefined for everything, and when the venue was never read. */
  readonly price: Price | undefined;
  readonly destination: string;
  readonly slippageBps: number;
}

/** Shares, units and principal leave the books together; the units wait in the queue. */
async function burnShares(
  tx: Tx,
  context: EarnContext,
  { key }: VaultSetting,
  { id, owner, wanted, price, destination, slippageBps }: Burn,
): Promise<void> {
  const vault = await lockVault(tx, key);
  const position = await findPosition(tx, key, owner);
  if (position === undefined || position.shares === 0n) throw new MarketError('earn_no_position');
  const shares = wanted === 'all' ? position.shares : wanted;
  if (shares > position.shares) throw insufficient(position.shares);
  if (unitsFor(bookOf(vault), shares) === 0n) throw new MarketError('earn_shares_worthless');
  if (price !== undefined && shares < position.shares) requireEnough(unitsFor(bookOf(vault), shares), price);
  const { book, units } = burn(bookOf(vault), shares);
  const principalMicros = principalOf(position.principalMicros, shares, position.shares);
  await writeBook(tx, key, book);
  await reducePosition(tx, key, owner, { shares, principalMicros });
  await insertWithdrawal(tx, owner, { id, vaultKey: key, shares, units, principalMicros, destination, slippageBps });
  await insertEarnMovement(tx, {
    ...{ vaultKey: key, owner, kind: 'withdraw', shares: -shares, units: -units, queuedUnits: units },
    principalMicros: -principalMicros,
    subjectId: id,
  });
  await appendEarnEvent(tx, context, { id, vaultKey: key, ownerKind: owner.kind, ownerId: owner.id }, 'earn.withdrawal_queued', {
    shares: String(shares),
    value_usd: null,
  });
  await enqueueJobs(tx, [settleQueueJob(key)]);
  await hastenJob(tx, settleQueueJob(key).uniqueKey);
}

function insufficient(held: bigint): MarketError {
  return new MarketError('earn_shares_insufficient', {
    message: `You hold ${held} shares of this vault. Withdraw at most as many.`,
    data: { shares: String(held) },
  });
}

/** The last sample where the venue cannot be read: a withdrawal needs no venue that answers. */
async function readPrice({ database, readings }: EarnContext, setting: VaultSetting): Promise<Price | undefined> {
  try {
    return await readings.read(setting);
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    return (await listLatestSamples(database.db)).get(setting.key);
  }
}

/** Each withdrawal costs network fees and a turn of the queue. One micro-USDC is rounding. */
function requireEnough(units: bigint, price: Price): void {
  const least = earnLimits.leastWithdrawalMicros;
  const value = valueOfUnits(units, price);
  if (value + 1n >= least) return;
  throw new MarketError('earn_withdrawal_too_small', {
    message: `These shares are worth ${formatUsd(value)} USDC. Withdraw at least ${formatUsd(least)} USDC, or the whole position with all: true.`,
    data: { least_usd: formatUsd(least), value_usd: formatUsd(value) },
  });
}

/** Only a proven wallet of the owner: the one asked for, the one that paid last, or the first. */
async function requireDestination(
  { database }: EarnContext,
  chain: Chain,
  { owner, wallets }: Acting,
  asked: string | undefined,
): Promise<string> {
  const proven = wallets.flatMap((wallet) => chain.canonicalAddress(wallet) ?? []);
  if (asked !== undefined) {
    const address = chain.canonicalAddress(asked);
    if (address === undefined || !proven.includes(address)) throw new MarketError('earn_destination_not_yours');
    return address;
  }
  const last = await findLastPayer(database.db, owner, chain.network);
  const destination = last !== undefined && proven.includes(last) ? last : proven[0];
  if (destination === undefined) throw new MarketError('earn_destination_missing');
  return destination;
}
