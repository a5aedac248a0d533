/** Deposits and withdrawals as the API shows them, with a sentence about where the money is. */
import {
  depositSentence,
  formatSixUsd,
  type OperationAnswer,
  type Operations,
  queuedNote,
  toWireTime,
  withdrawalSentence,
} from '@market/contract';
import type { presentWait } from '../accounts/moves/index.ts';
import { type DepositRow, listDeposits } from './deposit-repository.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import { type DepositLinks, readAgentNames, readDepositLinks } from './movement-repository.ts';
import { agentIdOf } from './owners.ts';
import { valueOfUnits } from './share-price.ts';
import { findPosition, type PositionRow } from './vault-repository.ts';
import { type KeptReading, readVenue } from './vaults.ts';
import {
  listParts,
  listWithdrawals,
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

/** For a vault that is no longer configured, venue and market come from its key. */
function settingOf(
  context: EarnContext,
  key: string,
  network: DepositRow['network'],
): Pick<VaultSetting, 'key' | 'venue' | 'market' | 'label' | 'network' | 'strategy'> {
  const [venue = key, market = key] = key.split(':');
  return context.vaults.get(key) ?? { key, venue, market, label: key, network, strategy: 'lending' };
}

export async function presentDeposit(context: EarnContext, deposit: DepositRow): Promise<DepositAnswer> {
  const { db } = context.database;
  const { id, vaultKey, status, ownerKind, ownerId } = deposit;
  const links = (await readDepositLinks(db, [id])).get(id) ?? NO_LINKS;
  const position = status === 'deployed' ? await findPosition(db, vaultKey, { kind: ownerKind, id: ownerId }) : undefined;
  return composeDeposit(context, deposit, links, position);
}

/** Without links and position: the answer inside the transaction that stores the deposit. */
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

/** Reads the figures of a whole page together: the number of statements does not grow with it. */
async function readFigures(context: EarnContext, withdrawals: readonly WithdrawalRow[]): Promise<ReadonlyMap<string, QueueFigures>> {
  const { db } = context.database;
  const parts = Map.groupBy(
    await listParts(
      db,
      withdrawals.map(({ id }) => id),
    ),
    ({ withdrawalId }) => withdrawalId,
  );
  const places = await readPlaces(
    db,
    withdrawals.filter(({ unitsLeft }) => unitsLeft > 0n),
  );
  const vaults = new Map<string, VaultFigures>();
  for (const key of new Set(withdrawals.map(({ vaultKey }) => vaultKey))) {
    const waits = withdrawals.some(({ id, vaultKey }) => vaultKey === key && places.has(id));
    const setting = context.vaults.get(key);
    vaults.set(key, {
      price: setting === undefined ? undefined : await readVenue(context, setting).catch(() => undefined),
      freed: waits ? await readRecentlyFreed(db, key) : 0n,
    });
  }
  return new Map(
    withdrawals.map((withdrawal) => {
      const { price, freed = 0n } = vaults.get(withdrawal.vaultKey) ?? {};
      const value = (units: bigint) => (price === undefined ? null : valueOfUnits(units, price));
      const place = places.get(withdrawal.id);
      return [
        withdrawal.id,
        {
          place,
          parts: parts.get(withdrawal.id) ?? [],
          valueMicros: value(withdrawal.unitsLeft),
          aheadMicros: place === undefined ? null : value(place.unitsAhead),
          estimateAt: place === undefined ? null : estimate(context, withdrawal, place, freed),
        },
      ];
    }),
  );
}

interface VaultFigures {
  readonly price: KeptReading | undefined;
  /** Units that the venue paid within a week. */
  readonly freed: bigint;
}

const WEEK_MS = 7 * 24 * 3_600_000;

/** Estimates the end at last week's pace. Null when the venue paid nothing, or it would take more than a year. */
function estimate({ clock }: EarnContext, { unitsLeft }: WithdrawalRow, { unitsAhead }: QueuePlace, freed: bigint): Date | null {
  if (freed === 0n) return null;
  const waitMs = ((unitsAhead + unitsLeft) * BigInt(WEEK_MS)) / freed;
  const most = BigInt(52 * WEEK_MS);
  return waitMs > most ? null : new Date(clock.now().getTime() + Number(waitMs));
}

const NO_FIGURES: QueueFigures = { place: undefined, parts: [], valueMicros: null, aheadMicros: null, estimateAt: null };

export async function presentWithdrawal(context: EarnContext, withdrawal: WithdrawalRow): Promise<WithdrawAnswer> {
  return composeWithdrawal(context, withdrawal, (await readFigures(context, [withdrawal])).get(withdrawal.id));
}

/** Without figures: the answer inside the transaction that stores the withdrawal. */
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

/** The answer for a withdrawal that waits: nothing is burned yet. */
export function composeWaitingWithdrawal(setting: VaultSetting, destination: string, wait: ReturnType<typeof presentWait>): WithdrawAnswer {
  const { key, venue, market, network } = setting;
  return {
    ...wait,
    state: null,
    withdrawal_id: null,
    state_text: `This withdrawal starts at ${wait.effective_at.slice(0, 16)} UTC. Until then nothing is burned and it can be cancelled.`,
    ...{ key, venue, market, network },
    shares_burned: '0',
    units: '0',
    units_left: '0',
    value_micro_estimate: null,
    received_micro_usdc: '0',
    paid_micro: '0',
    destination_wallet: destination,
    place: null,
    ahead_micro: null,
    estimate_at: null,
    tx_hash: null,
    queue_entry: null,
    note: null,
  };
}

type OwnedMovement = MovementAnswer & { readonly owner: string };

/** Undefined when there is no such deposit or withdrawal. */
export async function presentMovement(context: EarnContext, id: string): Promise<OwnedMovement | undefined> {
  return (await presentMovements(context, [id])).get(id);
}

export async function presentMovements(context: EarnContext, ids: readonly string[]): Promise<ReadonlyMap<string, OwnedMovement>> {
  const { db } = context.database;
  const deposits = await listDeposits(db, ids);
  const withdrawals = await listWithdrawals(db, ids);
  const agentIds = [...deposits, ...withdrawals].flatMap(({ ownerKind, ownerId }) => (ownerKind === 'agent' ? [ownerId] : []));
  const names = await readAgentNames(db, [...new Set(agentIds)]);
  const links = await readDepositLinks(
    db,
    deposits.map(({ id }) => id),
  );
  const figures = await readFigures(context, withdrawals);
  const shown = (row: DepositRow | WithdrawalRow, network: DepositRow['network']) => composeShared(context, row, network, names);
  return new Map([
    ...deposits.map((row): [string, OwnedMovement] => {
      const common = shown(row, row.network);
      return [row.id, { ...common, ...fieldsOfDeposit(row, links.get(row.id) ?? NO_LINKS, common.label) }];
    }),
    ...withdrawals.map((row): [string, OwnedMovement] => {
      const common = shown(row, 'base-mainnet');
      return [row.id, { ...common, ...fieldsOfWithdrawal(row, figures.get(row.id) ?? NO_FIGURES, common.label) }];
    }),
  ]);
}

function composeShared(
  context: EarnContext,
  row: DepositRow | WithdrawalRow,
  of: DepositRow['network'],
  names: Awaited<ReturnType<typeof readAgentNames>>,
) {
  const owner = { kind: row.ownerKind, id: row.ownerId };
  const agentId = agentIdOf(owner);
  const name = agentId === null ? null : names.get(agentId)?.name;
  const { key, label, network, strategy } = settingOf(context, row.vaultKey, of);
  return {
    id: row.id,
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
}

function fieldsOfDeposit(deposit: DepositRow, links: Omit<DepositLinks, 'id'>, label: string) {
  const { status, amountMicros, reason, payer } = deposit;
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

function fieldsOfWithdrawal(withdrawal: WithdrawalRow, figures: QueueFigures, label: string) {
  const { status, paidMicros, receivedMicros } = withdrawal;
  const { place, parts, valueMicros, aheadMicros, estimateAt } = figures;
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
