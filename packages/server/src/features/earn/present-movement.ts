/** Deposits and withdrawals as the API shows them, with a sentence about where the money is. */
import { depositSentence, type OperationAnswer, type Operations, queuedNote, toWireTime, withdrawalSentence } from '@market/contract';
import { type DepositRow, findDeposit } from './deposit-repository.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import { type DepositLinks, readAgentNames, readDepositLinks } from './movement-repository.ts';
import { agentIdOf } from './owners.ts';
import { formatSixUsd } from './present-market.ts';
import { findPosition, type PositionRow } from './vault-repository.ts';
import { findVaultSetting, valueOfUnits } from './vaults.ts';
import {
  findWithdrawal,
  listParts,
  type QueuePlace,
  readPlaces,
  readRecentlyFreed,
  type ShownPart,
  type WithdrawalRow,
} from './withdrawal-repository.ts';

type Earn = Operations['earn'];
export type DepositAnswer = OperationAnswer<Earn['deposit']>['data'];
export type WithdrawAnswer = OperationAnswer<Earn['withdraw']>['data'];
export type MovementAnswer = OperationAnswer<Earn['movement']>['data'];

const NO_LINKS: Omit<DepositLinks, 'id'> = { deployReference: null, refundState: null, refundReference: null };

/** A vault that the settings no longer name keeps its words. */
function settingOf(
  context: EarnContext,
  key: string,
  network: DepositRow['network'],
): Pick<VaultSetting, 'key' | 'venue' | 'market' | 'label' | 'network' | 'strategy'> {
  const [venue = key, market = key] = key.split(':');
  return findVaultSetting(context, key) ?? { key, venue, market, label: key, network, strategy: 'lending' };
}

export async function presentDeposit(context: EarnContext, deposit: DepositRow): Promise<DepositAnswer> {
  const { db } = context.database;
  const { id, vaultKey, status, ownerKind, ownerId } = deposit;
  const links = (await readDepositLinks(db, [id])).get(id) ?? NO_LINKS;
  const position = status === 'deployed' ? await findPosition(db, vaultKey, { kind: ownerKind, id: ownerId }) : undefined;
  return composeDeposit(context, deposit, links, position);
}

/** What is known in the transaction that stores it. */
export function composeDeposit(
  context: EarnContext,
  deposit: DepositRow,
  links: Omit<DepositLinks, 'id'> = NO_LINKS,
  position?: PositionRow,
): DepositAnswer {
  const { id, vaultKey, network, status, amountMicros, reason } = deposit;
  const { venue, market, label } = settingOf(context, vaultKey, network);
  return {
    deposit_id: id,
    status,
    state_text: depositSentence({ status, amountMicros, label, reason }),
    venue,
    market,
    key: vaultKey,
    network,
    amount_usd: formatSixUsd(amountMicros),
    reason,
    tx_hash: links.deployReference,
    incoming_tx_hash: deposit.reference,
    shares_minted: textOf(deposit.shares),
    lp_minted: textOf(deposit.units),
    position: position === undefined ? null : { shares: String(position.shares), principal_usd: formatSixUsd(position.principalMicros) },
    refund: presentRefund(deposit, links),
  };
}

function presentRefund({ payer }: DepositRow, { refundState, refundReference }: Omit<DepositLinks, 'id'>): DepositAnswer['refund'] {
  return refundState === null ? null : { status: refundState, destination: payer, tx_hash: refundReference };
}

interface QueueFigures {
  readonly place: QueuePlace | undefined;
  readonly parts: readonly ShownPart[];
  readonly valueMicros: bigint | null;
  readonly aheadMicros: bigint | null;
  readonly estimateAt: Date | null;
}

async function readFigures(context: EarnContext, withdrawal: WithdrawalRow): Promise<QueueFigures> {
  const { db } = context.database;
  const parts = await listParts(db, [withdrawal.id]);
  const place = (await readPlaces(db, [withdrawal])).get(withdrawal.id);
  const setting = findVaultSetting(context, withdrawal.vaultKey);
  const price = setting === undefined ? undefined : await context.readings.read(setting).catch(() => undefined);
  const value = (units: bigint) => (price === undefined ? null : valueOfUnits(units, price));
  return {
    place,
    parts,
    valueMicros: value(withdrawal.unitsLeft),
    aheadMicros: place === undefined ? null : value(place.unitsAhead),
    estimateAt: place === undefined ? null : await estimate(context, withdrawal, place),
  };
}

const WEEK_MS = 7 * 24 * 3_600_000;

/** When as much as waits up to here was paid before, within a week; null when nothing was. */
async function estimate(
  { database, clock }: EarnContext,
  { vaultKey, unitsLeft }: WithdrawalRow,
  { unitsAhead }: QueuePlace,
): Promise<Date | null> {
  const freed = await readRecentlyFreed(database.db, vaultKey);
  if (freed === 0n) return null;
  const waitMs = ((unitsAhead + unitsLeft) * BigInt(WEEK_MS)) / freed;
  const most = BigInt(52 * WEEK_MS);
  return waitMs > most ? null : new Date(clock.now().getTime() + Number(waitMs));
}

const NO_FIGURES: QueueFigures = { place: undefined, parts: [], valueMicros: null, aheadMicros: null, estimateAt: null };

export async function presentWithdrawal(context: EarnContext, withdrawal: WithdrawalRow): Promise<WithdrawAnswer> {
  return composeWithdrawal(context, withdrawal, await readFigures(context, withdrawal));
}

/** Without figures: what is known in the transaction that stores it. */
export function composeWithdrawal(context: EarnContext, withdrawal: WithdrawalRow, figures: QueueFigures = NO_FIGURES): WithdrawAnswer {
  const { id, vaultKey, status, shares, units, unitsLeft, receivedMicros, paidMicros, destination } = withdrawal;
  const { venue, market, label, network } = settingOf(context, vaultKey, 'base-mainnet');
  const { place, parts, valueMicros, aheadMicros, estimateAt } = figures;
  const isSettled = status === 'settled';
  return {
    status: isSettled ? 'settled' : 'queued',
    state: status,
    withdrawal_id: id,
    state_text: withdrawalSentence({ status, label, place: place?.place ?? null, paidMicros, receivedMicros }),
    key: vaultKey,
    venue,
    market,
    network,
    shares_burned: String(shares),
    units: String(units),
    units_left: String(unitsLeft),
    value_micro_estimate: textOf(valueMicros),
    received_micro_usdc: String(receivedMicros),
    paid_micro: String(paidMicros),
    destination_wallet: destination,
    place: place?.place ?? null,
    ahead_micro: textOf(aheadMicros),
    estimate_at: estimateAt === null ? null : toWireTime(estimateAt),
    tx_hash: parts.at(-1)?.sentReference ?? null,
    queue_entry: isSettled ? null : 'pending',
    note: isSettled ? null : queuedNote,
  };
}

/** Undefined when there is no such deposit or withdrawal. */
export async function presentMovement(
  context: EarnContext,
  id: string,
): Promise<(MovementAnswer & { readonly owner: string }) | undefined> {
  const { db } = context.database;
  const deposit = await findDeposit(db, id);
  const withdrawal = deposit === undefined ? await findWithdrawal(db, id) : undefined;
  const row = deposit ?? withdrawal;
  if (row === undefined) return undefined;
  const owner = { kind: row.ownerKind, id: row.ownerId };
  const agentId = agentIdOf(owner);
  const name = agentId === null ? null : (await readAgentNames(db, [agentId])).get(agentId)?.name;
  const { key, label, network, strategy } = settingOf(context, row.vaultKey, deposit?.network ?? 'base-mainnet');
  const shown = {
    id,
    ...{ key, label, network, strategy },
    owned_by: name ?? (owner.kind === 'wallet' ? owner.id : 'you'),
    agent_id: agentId,
    wallet: owner.kind === 'wallet' ? owner.id : null,
    explorer_url: context.explorerUrl(network, ''),
    created_at: toWireTime(row.createdAt),
    settled_at: row.settledAt === null ? null : toWireTime(row.settledAt),
    reason: row.reason,
    owner: `${owner.kind}:${owner.id}`,
  };
  if (deposit !== undefined) return { ...shown, ...(await fieldsOfDeposit(context, deposit, label)) };
  return withdrawal === undefined ? undefined : { ...shown, ...(await fieldsOfWithdrawal(context, withdrawal, label)) };
}

async function fieldsOfDeposit(context: EarnContext, deposit: DepositRow, label: string) {
  const { id, status, amountMicros, reason, payer } = deposit;
  const links = (await readDepositLinks(context.database.db, [id])).get(id) ?? NO_LINKS;
  return {
    kind: 'deposit' as const,
    status,
    state_text: depositSentence({ status, amountMicros, label, reason }),
    amount_usd: formatSixUsd(amountMicros),
    shares: textOf(deposit.shares),
    units: textOf(deposit.units),
    units_left: null,
    value_micro_estimate: null,
    place: null,
    ahead_micro: null,
    estimate_at: null,
    destination: links.refundState === null ? null : payer,
    incoming_tx_hash: deposit.reference,
    deploy_tx_hash: links.deployReference,
    refund_tx_hash: links.refundReference,
    parts: [],
  };
}

async function fieldsOfWithdrawal(context: EarnContext, withdrawal: WithdrawalRow, label: string) {
  const { status, paidMicros, receivedMicros } = withdrawal;
  const { place, parts, valueMicros, aheadMicros, estimateAt } = await readFigures(context, withdrawal);
  return {
    kind: 'withdraw' as const,
    status,
    state_text: withdrawalSentence({ status, label, place: place?.place ?? null, paidMicros, receivedMicros }),
    amount_usd: formatSixUsd(receivedMicros),
    shares: String(withdrawal.shares),
    units: String(withdrawal.units),
    units_left: String(withdrawal.unitsLeft),
    value_micro_estimate: textOf(valueMicros),
    place: place?.place ?? null,
    ahead_micro: textOf(aheadMicros),
    estimate_at: estimateAt === null ? null : toWireTime(estimateAt),
    destination: withdrawal.destination,
    incoming_tx_hash: null,
    deploy_tx_hash: null,
    refund_tx_hash: null,
    parts: parts.map((part) => ({
      number: part.number,
      units: String(part.units),
      received_micro: String(part.assetsMicros),
      redeem_tx_hash: part.redeemReference,
      payout_tx_hash: part.sentReference,
      status: part.paidReference !== null || part.payoutId === null ? 'paid' : part.payoutState === 'parked' ? 'held_back' : 'on_its_way',
      at: toWireTime(part.createdAt),
    })),
  };
}

function textOf(value: bigint | null): string | null {
  return value === null ? null : String(value);
}
