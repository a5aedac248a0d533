/** Burns shares and puts their units into the queue, in one transaction. From then on the withdrawal only goes forward. */
import { burn, earnLimits, formatUsd, MarketError, operations, principalOf, unitsFor } from '@market/contract';
import { z } from 'zod';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { ChainUnavailable } from '../../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs, hastenJob } from '../../../platform/jobs/job-repository.ts';
import { actorOf, holdMove, type MoveRunner, presentWait } from '../../accounts/moves/index.ts';
import { requireAgentBudget } from '../../agent-wallets/index.ts';
import { followSteps, stepJob } from '../../outgoing/index.ts';
import { advanceIntent } from '../advance-intent.ts';
import type { EarnContext, VaultSetting, VenuePort } from '../earn-context.ts';
import { appendEarnEvent } from '../earn-events.ts';
import { settlingQueue } from '../earn-job-names.ts';
import { findOpenIntent } from '../intent-repository.ts';
import { nextWithdrawalId } from '../lost-names.ts';
import { type HeldBack, listAllowedNow, requireDestination, requireEarnMover } from '../movers.ts';
import { agentIdOf, nameOfOwner } from '../owners.ts';
import { composeWaitingWithdrawal, composeWithdrawal, presentWithdrawal, type WithdrawAnswer } from '../present-movement.ts';
import { listLatestSamples } from '../sample-repository.ts';
import { settleQueue } from '../settle-queue.ts';
import { type Price, valueOfUnits } from '../share-price.ts';
import { bookOf, findPosition, insertEarnMovement, lockVault, type Owner, reducePosition, writeBook } from '../vault-repository.ts';
import { readVenue, requireVenuePort } from '../vaults.ts';
import { findOpenOf, findWithdrawal, insertWithdrawal, joinWithdrawal, type WithdrawalRow } from '../withdrawal-repository.ts';

export function withdraw(context: EarnContext): HandlersOf<'earn'>['withdraw'] {
  return async (input, call) => {
    const setting = requireVenuePort(context, input);
    const mover = await requireEarnMover(context, call, { agentId: input.agent_id, wallet: input.owner_wallet });
    const { owner } = mover;
    await requireAgentBudget(context, call, operations.earn.deposit, nameOfOwner(owner));
    // A withdrawal that joins an open one is paid to the same wallet, and needs the same proof.
    const open = await findOpenOf(context.database.db, setting.key, owner);
    const asked = input.destination_wallet ?? open?.destination;
    const destination = await requireDestination(context, setting.chain, call.caller, mover, asked).catch((error: unknown) => {
      throw input.destination_wallet === undefined && open !== undefined && isNotTheirs(error) ? openElsewhere(open) : error;
    });
    const wanted = input.all === true ? ('all' as const) : BigInt(input.shares ?? '0');
    const price = wanted === 'all' ? undefined : await readPrice(context, setting);
    const request = { owner, wanted, price, destination, slippageBps: input.slippage_bps };
    const first = await call.commit(
      async (tx) => {
        const held = await mover.prove(tx, destination);
        if (held !== undefined) return { data: await holdWithdrawal(tx, context, call, setting, { ...request, held }) };
        const id = await burnShares(tx, context, setting, request);
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

/** Follows the withdrawal until it is paid or the venue cannot pay more now. Jobs carry it on either way. */
async function followWithdrawal(context: EarnContext, call: Call, id: string): Promise<void> {
  const { db } = context.database;
  await followSteps(call, { id, waitSeconds: context.waitSeconds }, async () => {
    const withdrawal = await findWithdrawal(db, id);
    if (withdrawal === undefined || withdrawal.status === 'settled') return { kind: 'done' };
    // The payout has a job of its own.
    if (withdrawal.status === 'paying') return { kind: 'again', seconds: 1 };
    const { vaultKey } = withdrawal;
    const open = (await findOpenIntent(db, { subjectId: id })) ?? (await findOpenIntent(db, { vaultKey, kind: 'allow' }));
    if (open === undefined) return await settleQueue(context, vaultKey);
    const next = await advanceIntent(context, open.id);
    return next.kind === 'done' ? { kind: 'again', seconds: 0 } : next;
  });
}

/** Stores a withdrawal that waits. The checks of a burn run now; the burn runs later. */
async function holdWithdrawal(
  tx: Tx,
  context: EarnContext,
  call: Call,
  setting: VaultSetting,
  request: BurnRequest & { readonly held: HeldBack },
): Promise<WithdrawAnswer> {
  const { owner, wanted, destination, slippageBps, held } = request;
  await requireBurnable(tx, setting, request);
  const what = wanted === 'all' ? 'everything' : `${wanted} shares`;
  const move = await holdMove(tx, context.agentWallets, call, {
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

/** Runs a withdrawal that waited. Its destination must still be allowed. */
export function withdrawalRunner(context: EarnContext): MoveRunner {
  return async (move) => {
    const { key, owner, wanted, destination, slippage_bps: slippageBps } = waiting.parse(move.payload);
    const setting = requireVenuePort(context, { key });
    const price = wanted === 'all' ? undefined : await readPrice(context, setting);
    const request = { owner, wanted: wanted === 'all' ? ('all' as const) : BigInt(wanted), price, destination, slippageBps };
    return async (tx) => {
      // The wallet that owns the agent signed this destination.
      const isSigned = actorOf(move) === 'owner_wallet';
      if (!isSigned && !(await listAllowedNow(tx, move.owner.slice('user:'.length), agentIdOf(owner))).includes(destination))
        throw new MarketError('earn_destination_not_yours', { message: `${destination} is not linked to your account any more.` });
      return { state: 'done', resultId: await burnShares(tx, context, setting, request) };
    };
  };
}

interface BurnRequest {
  readonly owner: Owner;
  readonly wanted: bigint | 'all';
  /** Undefined for the whole position, and when the venue was never read. */
  readonly price: Price | undefined;
  readonly destination: string;
  readonly slippageBps: number;
}

/** Locks the vault and requires enough shares. */
async function requireBurnable(tx: Tx, { key }: VaultSetting, { owner, wanted, price, destination }: BurnRequest) {
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

/** The open withdrawal may have needed a stronger proof than this call has, so its destination never changes. */
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
 * Takes shares, units and principal out of the books; the units wait in the queue. If the owner has an open withdrawal, they join it, and it
 * goes to the end of the queue: a small withdrawal holds no place for a large one. Returns the id of the withdrawal.
 */
async function burnShares(tx: Tx, context: EarnContext, setting: VenuePort, request: BurnRequest): Promise<string> {
  const { key } = setting;
  const { owner, destination, slippageBps } = request;
  const { vault, position, shares, open } = await requireBurnable(tx, setting, request);
  const id = open?.id ?? (await nextWithdrawalId(tx, setting.chain, key, owner));
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
  const settling = stepJob(settlingQueue, key);
  await enqueueJobs(tx, [settling]);
  await hastenJob(tx, settling.uniqueKey);
  return id;
}

function insufficient(held: bigint): MarketError {
  return new MarketError('earn_shares_insufficient', {
    message: `You hold ${held} shares of this vault. Withdraw at most as many.`,
    data: { shares: String(held) },
  });
}

/** Falls back to the last sample: a withdrawal works while the venue cannot be read. */
async function readPrice(context: EarnContext, setting: VaultSetting): Promise<Price | undefined> {
  try {
    return await readVenue(context, setting);
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    return (await listLatestSamples(context.database.db)).get(setting.key);
  }
}

/** A withdrawal costs network fees and a turn of the queue. One micro-USDC is allowed for rounding. */
function requireEnough(units: bigint, price: Price): void {
  const least = earnLimits.leastWithdrawalMicros;
  const value = valueOfUnits(units, price);
  if (value + 1n >= least) return;
  throw new MarketError('earn_withdrawal_too_small', {
    message: `These shares are worth ${formatUsd(value)} USDC. Withdraw at least ${formatUsd(least)} USDC, or the whole position with all: true.`,
    data: { least_usd: formatUsd(least), value_usd: formatUsd(value) },
  });
}
