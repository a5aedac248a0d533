/** Burns shares and queues what they stand for. The burn is one transaction; from then on the withdrawal only goes forward. */
import { burn, earnLimits, formatUsd, MarketError, operations, principalOf, unitsFor } from '@market/contract';
import { z } from 'zod';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { ChainUnavailable } from '../../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs, hastenJob } from '../../../platform/jobs/job-repository.ts';
import { requireAgentBudget } from '../../custody/index.ts';
import { actorOf, holdMove, type MoveRunner, presentWait } from '../../moves/index.ts';
import type { EarnContext, VaultSetting } from '../earn-context.ts';
import { appendEarnEvent } from '../earn-events.ts';
import { settleQueueJob } from '../earn-job-names.ts';
import { followWithdrawal } from '../follow.ts';
import { nextWithdrawalId } from '../lost-names.ts';
import { type HeldBack, listAllowedNow, requireDestination, requireEarnMover } from '../movers.ts';
import { agentIdOf, nameOfOwner } from '../owners.ts';
import { composeWaitingWithdrawal, composeWithdrawal, presentWithdrawal, type WithdrawAnswer } from '../present-movement.ts';
import { listLatestSamples } from '../sample-repository.ts';
import { type Price, valueOfUnits } from '../share-price.ts';
import { bookOf, findPosition, insertEarnMovement, lockVault, type Owner, reducePosition, writeBook } from '../vault-repository.ts';
import { requireVaultSetting, requireVenuePort } from '../vaults.ts';
import { findOpenOf, findWithdrawal, insertWithdrawal, joinWithdrawal, type WithdrawalRow } from '../withdrawal-repository.ts';

export function withdraw(context: EarnContext): HandlersOf<'earn'>['withdraw'] {
  return async (input, call) => {
    const setting = requireVaultSetting(context, input);
    const { chain } = requireVenuePort(context, setting);
    const mover = await requireEarnMover(context, call, { agentId: input.agent_id, wallet: input.owner_wallet });
    const { owner } = mover;
    await requireAgentBudget(context, call, operations.earn.deposit, nameOfOwner(owner));
    // What is open goes to its own wallet, and so does what joins it: the same proof as for the first part.
    const open = await findOpenOf(context.database.db, setting.key, owner);
    const asked = input.destination_wallet ?? open?.destination;
    const destination = await requireDestination(context, chain, call.caller, mover, asked).catch((error: unknown) => {
      throw input.destination_wallet === undefined && open !== undefined && isNotTheirs(error) ? openElsewhere(open) : error;
    });
    const wanted = input.all === true ? ('all' as const) : BigInt(input.shares ?? '0');
    const price = wanted === 'all' ? undefined : await readPrice(context, setting);
    const ordered = { owner, wanted, price, destination, slippageBps: input.slippage_bps };
    const first = await call.commit(
      async (tx) => {
        const held = await mover.prove(tx, destination);
        if (held !== undefined) return { data: await holdWithdrawal(tx, context, call, setting, { ...ordered, held }) };
        const id = await burnShares(tx, context, setting, ordered);
        const stored = await findWithdrawal(tx, id);
        if (stored === undefined) throw new Error(`${id} was not stored`);
        reachCrashPoint('earn.before_burn_commit');
        return { data: composeWithdrawal(context, stored) };
      },
      { provisional: true },
    );
    const { withdrawal_id: id } = first.data;
    if (id === null) return first;
    reachCrashPoint('earn.after_burn');
    await followWithdrawal(context, call, id);
    const withdrawal = await findWithdrawal(context.database.db, id);
    if (withdrawal === undefined) throw new Error(`${id} is gone`);
    return { data: await presentWithdrawal(context, withdrawal) };
  };
}

/** Checked as if it were burned now; nothing is burned before its time. */
async function holdWithdrawal(
  tx: Tx,
  context: EarnContext,
  call: Call,
  setting: VaultSetting,
  ordered: Burn & { readonly held: HeldBack },
): Promise<WithdrawAnswer> {
  const { owner, wanted, destination, slippageBps, held } = ordered;
  await requireBurnable(tx, setting, ordered);
  const what = wanted === 'all' ? 'everything' : `${wanted} shares`;
  const move = await holdMove(tx, context.custody, call, {
    owner: held.person,
    kind: 'earn_withdrawal',
    agentId: agentIdOf(owner),
    topic: null,
    summary: `Withdraw ${what} from ${setting.label} to ${destination}.`,
    payload: { key: setting.key, owner, wanted: String(wanted), destination, slippage_bps: slippageBps } satisfies z.input<typeof waiting>,
  });
  return composeWaitingWithdrawal(setting, destination, presentWait(move, held.wait));
}

const waiting = z.object({
  key: z.string(),
  owner: z.object({ kind: z.enum(['agent', 'user', 'wallet']), id: z.string() }),
  wanted: z.union([z.literal('all'), z.string().regex(/^\d+$/)]),
  destination: z.string(),
  slippage_bps: z.int(),
});

/** Burns what waited. Its wallet must still be one that the owner may be paid at. */
export function withdrawalRunner(context: EarnContext): MoveRunner {
  return async (move) => {
    const { key, owner, wanted, destination, slippage_bps: slippageBps } = waiting.parse(move.payload);
    const setting = requireVaultSetting(context, { key });
    const price = wanted === 'all' ? undefined : await readPrice(context, setting);
    const ordered = { owner, wanted: wanted === 'all' ? ('all' as const) : BigInt(wanted), price, destination, slippageBps };
    return async (tx) => {
      // A wallet that owns the agent signed its destination.
      const isSigned = actorOf(move) === 'owner_wallet';
      if (!isSigned && !(await listAllowedNow(tx, move.owner.slice('user:'.length), agentIdOf(owner))).includes(destination))
        throw new MarketError('earn_destination_not_yours', { message: `${destination} is not linked to your account any more.` });
      return { state: 'done', resultId: await burnShares(tx, context, setting, ordered) };
    };
  };
}

interface Burn {
  readonly owner: Owner;
  readonly wanted: bigint | 'all';
  /** Undefined for everything, and when the venue was never read. */
  readonly price: Price | undefined;
  readonly destination: string;
  readonly slippageBps: number;
}

/** The vault is locked; the position holds what is to be burned. */
async function requireBurnable(tx: Tx, { key }: VaultSetting, { owner, wanted, price, destination }: Burn) {
  const vault = await lockVault(tx, key);
  const position = await findPosition(tx, key, owner);
  if (position === undefined || position.shares === 0n) throw new MarketError('earn_no_position');
  const shares = wanted === 'all' ? position.shares : wanted;
  if (shares > position.shares) throw insufficient(position.shares);
  if (unitsFor(bookOf(vault), shares) === 0n) throw new MarketError('earn_shares_worthless');
  if (price !== undefined && shares < position.shares) requireEnough(unitsFor(bookOf(vault), shares), price);
  const open = await findOpenOf(tx, key, owner);
  if (open !== undefined && open.destination !== destination) throw openElsewhere(open);
  return { vault, position, shares, open };
}

/** Its owner may have named it with a stronger proof than this one, so it is never paid elsewhere. */
function openElsewhere({ id, destination }: WithdrawalRow): MarketError {
  return new MarketError('earn_withdrawal_open', {
    message: `Your withdrawal ${id} still waits and is paid to ${destination}. Name this wallet in destination_wallet to add to it, or wait until it is paid.`,
    data: { withdrawal_id: id, destination_wallet: destination },
  });
}

function isNotTheirs(error: unknown): boolean {
  return error instanceof MarketError && ['earn_destination_not_yours', 'wallet_destination_invalid'].includes(error.code);
}

/**
 * Shares, units and principal leave the books together; the units wait in the queue. A withdrawal that its owner has open takes them in and goes
 * to the end of the queue, so that nobody keeps a place with little for much. Returns the id of the withdrawal.
 */
async function burnShares(tx: Tx, context: EarnContext, setting: VaultSetting, ordered: Burn): Promise<string> {
  const { key } = setting;
  const { owner, destination, slippageBps } = ordered;
  const { vault, position, shares, open } = await requireBurnable(tx, setting, ordered);
  const id = open?.id ?? (await nextWithdrawalId(tx, requireVenuePort(context, setting).chain, key, owner));
  const { book, units } = burn(bookOf(vault), shares);
  const principalMicros = principalOf(position.principalMicros, shares, position.shares);
  await writeBook(tx, vault, book);
  await reducePosition(tx, key, owner, { shares, principalMicros });
  const burned = { shares, units, principalMicros, slippageBps };
  if (open === undefined) await insertWithdrawal(tx, owner, { ...burned, id, vaultKey: key, destination });
  else await joinWithdrawal(tx, id, burned);
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
  return id;
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
