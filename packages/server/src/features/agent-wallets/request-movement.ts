/** Requests a movement: checks it against chain and limits, stores the intent, then follows it for a few seconds. */
import { formatUnits, formatUsd, MarketError, type NetworkName, networkFacts, parseUnits, type WalletActor } from '@market/contract';
import type { Call } from '../../access/call.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { AgentRow } from '../agents/index.ts';
import { findLatestAttempt } from '../outgoing/index.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';
import { followMovement } from './follow-movement.ts';
import { decimalsOf } from './movement-events.ts';
import { type MovementAnswer, presentMovement } from './present.ts';
import { type PlannedMovement, queueMovement } from './queue-movement.ts';
import { findMovement, type MovementRow, readBalanceMark, readWalletUse, type WalletUse } from './repository.ts';
import { requireWallet } from './wallet-keys.ts';

export interface MovementRequest {
  readonly agent: AgentRow;
  readonly purpose: 'send' | 'withdraw' | 'earn_deposit';
  readonly by: WalletActor;
  readonly network: NetworkName;
  readonly asset: MovementRow['asset'];
  /** Undefined: the whole balance. */
  readonly amount: string | number | undefined;
  readonly destination: string;
  readonly notSentBefore?: PlannedMovement['notSentBefore'];
  /** The wallet keeps at least this much. */
  readonly keep?: bigint;
  /** Runs with the wallets locked. Throws if a condition changed while the chain was asked. */
  readonly store?: NonNullable<PlannedMovement['store']>;
}

/** Checks a movement against chain and limits. The amount is reserved later, when the movement is queued. */
export async function planMovement(context: AgentWalletsContext, request: MovementRequest): Promise<PlannedMovement> {
  const { network, asset } = request;
  const chain = requireChain(context, network);
  const wallet = await requireWallet(context, request.agent.id, networkFacts[network].kind);
  const destination = await requireDestination(context, chain, request, wallet.address);
  const wanted = readAmount(request);
  const mark = await readBalanceMark(context.database.db, request.agent.id);
  const spendable = await readSpendable(context, chain, wallet.address, asset);
  const takeAmount = (use: WalletUse) => reserveAmount(context, request, { spendable, wanted, wallet: wallet.address }, use);
  return { ...request, wallet: wallet.address, destination, mark, takeAmount };
}

export async function requestMovement(
  context: AgentWalletsContext,
  call: Call,
  request: MovementRequest,
): Promise<{ data: MovementAnswer }> {
  const plan = { ...(await planMovement(context, request)), subject: subjectOf(call, request) };
  reachCrashPoint('movement.before_queue');
  const queued = await call.commit(
    async (tx) => {
      const movement = await queueMovement(context, tx, plan);
      reachCrashPoint('movement.before_queue_commit');
      return { data: presentMovement({ ...movement, state: 'queued' }, null) };
    },
    { provisional: true },
  );
  reachCrashPoint('movement.after_queue');
  await followMovement(context, call, queued.data.movement_id, 'landed');
  return { data: await presentEnd(context, call, queued.data) };
}

/** Under an Idempotency-Key the same request is the same transfer, even after a restore lost the first. A different request is another transfer. */
function subjectOf({ keyed }: Call, { network, asset, amount, destination }: MovementRequest): string | undefined {
  return keyed && `${keyed.name} ${network} ${asset} ${amount ?? 'everything'} ${destination}`;
}

/** Plans a USDC transfer to the marketplace's treasury, for a purchase. The caller queues it together with the purchase. */
export async function planTreasuryTransfer(
  context: AgentWalletsContext,
  request: Omit<MovementRequest, 'asset' | 'destination'>,
): Promise<PlannedMovement> {
  const full = { ...request, asset: 'usdc', destination: requireChain(context, request.network).treasury } as const;
  const chain = requireChain(context, request.network);
  const wallet = await requireWallet(context, request.agent.id, networkFacts[request.network].kind);
  const mark = await readBalanceMark(context.database.db, request.agent.id);
  const spendable = await readSpendable(context, chain, wallet.address, 'usdc');
  const funds = { spendable, wanted: readAmount(full), wallet: wallet.address };
  return { ...full, wallet: wallet.address, mark, takeAmount: (use) => reserveAmount(context, full, funds, use) };
}

/** USDC of the wallet that no open movement has reserved. */
export async function readFreeUsdc(context: AgentWalletsContext, agentId: AgentRow['id'], network: NetworkName): Promise<bigint> {
  const { db } = context.database;
  const wallet = await requireWallet(context, agentId, networkFacts[network].kind);
  const mark = await readBalanceMark(db, agentId);
  const { usdcMicros } = await requireChain(context, network).readBalances(wallet.address);
  return usdcMicros - (await readWalletUse(db, { agentId, network, asset: 'usdc' }, mark)).reserved;
}

export function requireChain({ settings, chains }: AgentWalletsContext, network: NetworkName): Chain {
  const chain = chains.get(network);
  if (!settings.enabled || chain === undefined) throw new MarketError('wallets_disabled');
  return chain;
}

async function requireDestination(
  { chains }: AgentWalletsContext,
  chain: Chain,
  { destination: given, asset }: MovementRequest,
  wallet: string,
): Promise<string> {
  const { label, kind } = networkFacts[chain.network];
  const refuse = (message: string) => new MarketError('wallet_destination_invalid', { message });
  const form = kind === 'solana' ? 'a base58 Solana address' : '0x and 40 hex digits';
  const address = chain.canonicalAddress(given);
  if (address === undefined) throw refuse(`This is no address on ${label}. Send ${form}.`);
  if (address === wallet) throw refuse('This is the wallet itself. Name another address.');
  if ([...chains.values()].some(({ treasury }) => treasury === address))
    throw refuse('This is the marketplace’s own wallet. To pay for an order, pay it as an order.');
  const reason = asset === 'usdc' ? await chain.findUnpayable(address) : undefined;
  if (reason !== undefined) throw refuse(`This address cannot be paid. ${reason}`);
  return address;
}

/** The requested amount in smallest units. Undefined: the whole balance. */
export function readAmount({ network, asset, amount }: MovementRequest): bigint | undefined {
  if (amount === undefined) return undefined;
  const decimals = decimalsOf(network, asset);
  const units = parseUnits(amount, decimals);
  if (units === undefined) throw new MarketError('invalid_input', { message: `amount has more than ${decimals} decimals.` });
  if (units === 0n) throw new MarketError('invalid_input', { message: 'amount must be above 0. Omit it to move everything.' });
  return units;
}

/** Gas of a plain transfer at the highest price that we pay, with the adapter's margin. */
const EVM_FEE_RESERVE = 30_000n * 5n * 10n ** 9n;
/** Fee of one signature plus the largest priority fee. */
const SOLANA_FEE_RESERVE = 5_000n + 150_000n;

/** The balance that may leave. A send of the native coin keeps its fee back, and a Solana wallet its minimum balance. */
async function readSpendable(context: AgentWalletsContext, chain: Chain, wallet: string, asset: MovementRow['asset']): Promise<bigint> {
  const { usdcMicros, native } = await chain.readBalances(wallet);
  if (asset === 'usdc') return usdcMicros;
  if (chain.kind === 'evm') return native - EVM_FEE_RESERVE;
  const rent = (await context.walletChains.solanaCosts?.readRent(0)) ?? 0n;
  return native - rent - SOLANA_FEE_RESERVE;
}

interface Funds {
  readonly spendable: bigint;
  readonly wanted: bigint | undefined;
  readonly wallet: string;
}

function reserveAmount(context: AgentWalletsContext, request: MovementRequest, funds: Funds, use: WalletUse): bigint {
  const available = funds.spendable - use.reserved - (request.keep ?? 0n);
  const amount = funds.wanted ?? available;
  if (amount > available || available <= 0n) throw insufficient(request, funds, use.reserved, available);
  requireWithinLimit(context, request, amount, use);
  return amount;
}

function insufficient({ network, asset }: MovementRequest, { wallet }: Funds, reserved: bigint, available: bigint): MarketError {
  const decimals = decimalsOf(network, asset);
  const { label, coin } = networkFacts[network];
  const unit = asset === 'usdc' ? 'USDC' : coin.symbol;
  const words = (units: bigint) => `${formatUnits(units > 0n ? units : 0n, decimals)} ${unit}`;
  const kept = asset === 'native' ? ' after the fee and what the wallet must keep' : '';
  const waiting = reserved > 0n ? ` ${words(reserved)} is reserved by movements on their way.` : '';
  return new MarketError('wallet_funds_insufficient', {
    message: `The wallet can send ${words(available)} on ${label}${kept}.${waiting} Send less, or fund ${wallet}.`,
    data: { available: formatUnits(available > 0n ? available : 0n, decimals), asset, chain: networkFacts[network].chain, address: wallet },
  });
}

function requireWithinLimit(
  { settings }: AgentWalletsContext,
  { network, asset }: MovementRequest,
  amount: bigint,
  { dayMicros, dayNative }: WalletUse,
): void {
  const { symbol, decimals } = networkFacts[network].coin;
  const [used, limit] =
    asset === 'usdc' ? [dayMicros, settings.dailyMicros] : [dayNative, BigInt(settings.dailyCoins) * 10n ** BigInt(decimals)];
  if (used + amount <= limit) return;
  const words = (units: bigint) => (asset === 'usdc' ? `${formatUsd(units)} USDC` : `${formatUnits(units, decimals)} ${symbol}`);
  throw new MarketError('wallet_daily_limit', {
    message: `Within 24 hours ${words(limit)} may leave, and ${words(used)} did. Send at most ${words(limit > used ? limit - used : 0n)} now.`,
  });
}

async function presentEnd({ database }: AgentWalletsContext, call: Call, queued: MovementAnswer): Promise<MovementAnswer> {
  const movement = await findMovement(database.db, queued.movement_id);
  if (movement === undefined) return queued;
  if (movement.state === 'failed')
    throw await call.keepRefusal(new MarketError('wallet_movement_refused', { message: movement.reason ?? 'The transfer was refused.' }));
  const attempt = await findLatestAttempt(database.db, movement.id);
  return presentMovement(movement, movement.reference ?? attempt?.reference ?? null);
}
