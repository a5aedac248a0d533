/** Registers a transfer as a deposit. The transfer is used up only when everything that can be known speaks for the deposit. */
import { earnLimits, formatUsd, isFresh, MarketError, networkFacts, operations, parseUsd, sharesFor } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { ChainUnavailable, TransferRefused } from '../../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { requireAgentBudget } from '../../custody/index.ts';
import { earnDeposit } from '../../ledger/index.ts';
import {
  asPresenter,
  claimPayment,
  depositIdOf,
  findClaim,
  type Presenter,
  paymentDetails,
  surplusOf,
  verifyPayment,
} from '../../payments/index.ts';
import { hasFoundTransfer } from '../agent-deposit-repository.ts';
import { type DepositRow, findDeposit, insertDeposit } from '../deposit-repository.ts';
import type { EarnContext, VaultSetting } from '../earn-context.ts';
import { advanceDepositJob } from '../earn-job-names.ts';
import { followDeposit } from '../follow.ts';
import { type PresentedDeposit, refuseOtherDeploy } from '../lost-deploy.ts';
import { nameOfOwner, requireOwnerOf } from '../owners.ts';
import { findNotDepositableReason } from '../present-market.ts';
import { composeDeposit, type DepositAnswer, presentDeposit } from '../present-movement.ts';
import { bookOf, findVault, type Owner, type VaultRow } from '../vault-repository.ts';
import { requireVaultSetting, requireVenuePort } from '../vaults.ts';

const TAKEOVER_SECONDS = 5;

export function registerDeposit(context: EarnContext): HandlersOf<'earn'>['deposit'] {
  return async ({ amount_usd, incoming_tx_hash, key, venue, market, slippage_bps: slippageBps }, call) => {
    const vault = requireVaultSetting(context, { key, venue, market });
    const owner = requireOwnerOf(call.caller);
    await requireAgentBudget(context, call, operations.earn.deposit, nameOfOwner(owner));
    const presenter = await asPresenter(context.database.db, call.caller, vault.network);
    const order = { owner, vault, reference: incoming_tx_hash, amountMicros: parseUsd(amount_usd) ?? 0n, slippageBps, presenter };
    const { deposit } = await takeDeposit(context, order, call);
    await followDeposit(context, call, deposit.id);
    return { data: await presentEnd(context, call, deposit), surplus: await readSurplus(context, deposit) };
  };
}

export interface DepositOrder {
  readonly owner: Owner;
  readonly vault: VaultSetting;
  readonly reference: string;
  readonly amountMicros: bigint;
  readonly slippageBps: number;
  readonly presenter: Presenter;
  /** Sent by our own order: it is registered in any case, and goes back if the venue refuses. */
  readonly isCommitted?: true;
}

type DepositCall = Pick<Call, 'commit'> & Partial<Pick<Call, 'gone'>>;

/** The same transfer of the same owner is the same deposit, also when it is registered twice at the same moment. */
export async function takeDeposit(context: EarnContext, order: DepositOrder, call: DepositCall): Promise<{ readonly deposit: DepositRow }> {
  try {
    return await claimDeposit(context, order, call);
  } catch (error) {
    if (!(error instanceof MarketError) || error.code !== 'payment_already_used') throw error;
    const deposit = await findDeposit(context.database.db, nameDeposit(context, order).id);
    if (deposit === undefined) throw error;
    return { deposit: requireSame(deposit, order) };
  }
}

function nameDeposit(context: EarnContext, { vault, reference: text }: DepositOrder): { readonly id: string; readonly reference: string } {
  const { chain } = requireVenuePort(context, vault);
  const reference = chain.canonicalReference(text);
  if (reference === undefined) throw new MarketError('invalid_payment_reference');
  return { id: depositIdOf(chain.caip2, reference), reference };
}

async function claimDeposit(context: EarnContext, order: DepositOrder, call: DepositCall): Promise<{ readonly deposit: DepositRow }> {
  const { owner, vault, amountMicros, slippageBps, presenter } = order;
  const { id, reference } = nameDeposit(context, order);
  const known = await findDeposit(context.database.db, id);
  if (known !== undefined) return { deposit: requireSame(known, order) };
  const row = await (order.isCommitted === true
    ? findVault(context.database.db, vault.key)
    : requireDepositable(context, vault, amountMicros));
  if (row === undefined) throw new MarketError('earn_venue_unavailable');
  if (order.isCommitted !== true) await refuseDeployed(context, vault, { id, amountMicros });
  const verify = (relayedByUs: boolean) =>
    verifyPayment(context, {
      ...{ network: vault.network, reference, purpose: 'earn_deposit', subjectId: id, expectedMicros: amountMicros },
      ...{ payers: presenter.wallets.map(({ address }) => address), presenter, payableSince: row.createdAt },
      ...(call.gone !== undefined && { gone: call.gone }),
      ...(relayedByUs && { relayedByUs }),
    });
  // Our sponsor sends the transfers of agents' wallets, those that a restore lost, too.
  const payment = await verify(order.isCommitted === true).catch(async (error: unknown) => {
    const isRefused = error instanceof MarketError && error.code === 'payment_already_used';
    if (isRefused && order.isCommitted !== true && (await isLostTransfer(context, order, reference))) return await verify(true);
    throw error;
  });
  // Another registration of this transfer came first, while we asked the chain.
  if (payment.kind === 'repeated') throw new MarketError('payment_already_used');
  await call.commit(
    async (tx) => {
      await claimPayment(tx, context, payment, earnDeposit(vault.network, id));
      const { payer } = paymentDetails(payment);
      await insertDeposit(tx, owner, { id, vaultKey: vault.key, network: vault.network, reference, payer, amountMicros, slippageBps });
      await enqueueJobs(tx, [advanceDepositJob(id, new Date(context.clock.now().getTime() + TAKEOVER_SECONDS * 1000))]);
      reachCrashPoint('earn.before_claim_commit');
      const stored = await findDeposit(tx, id);
      if (stored === undefined) throw new Error(`${id} was not stored`);
      return { data: composeDeposit(context, stored), surplus: surplusOf(vault.network, paymentDetails(payment)) };
    },
    { provisional: true },
  );
  reachCrashPoint('earn.after_claim');
  const deposit = await findDeposit(context.database.db, id);
  if (deposit === undefined) throw new Error(`${id} was not stored`);
  return { deposit };
}

/** Lost books sent it from the wallet of this very agent to the treasury, and no deposit of these books did. */
async function isLostTransfer({ database, chains }: EarnContext, { vault, presenter }: DepositOrder, reference: string): Promise<boolean> {
  const wallets = presenter.wallets.filter(({ by }) => by === 'server_wallet').map(({ address }) => address);
  const treasury = chains.get(vault.network)?.treasury;
  return (
    treasury !== undefined &&
    wallets.length > 0 &&
    (await hasFoundTransfer(database.db, { network: vault.network, reference, wallets, treasury }))
  );
}

async function refuseDeployed(context: EarnContext, vault: VaultSetting, deposit: PresentedDeposit): Promise<void> {
  try {
    await refuseOtherDeploy(context, vault, deposit);
  } catch (error) {
    if (error instanceof ChainUnavailable) throw new MarketError('earn_venue_unavailable', { retryAfterSeconds: 5, cause: error });
    throw error;
  }
}

async function readSurplus({ database, chains }: EarnContext, { network, reference }: DepositRow) {
  const caip2 = chains.get(network)?.caip2 ?? '';
  const claim = await findClaim(database.db, { caip2, reference });
  return claim === undefined ? null : surplusOf(network, claim);
}

/** A repeat asks for the same thing. What our own order sent is a deposit of the agent, however the agent registered it before. */
function requireSame(deposit: DepositRow, { owner, vault, amountMicros, isCommitted }: DepositOrder): DepositRow {
  if (deposit.ownerKind !== owner.kind || deposit.ownerId !== owner.id) throw new MarketError('earn_deposit_taken');
  if (isCommitted !== true && (deposit.vaultKey !== vault.key || deposit.amountMicros !== amountMicros)) {
    const registered = { deposit_id: deposit.id, key: deposit.vaultKey, amount_usd: formatUsd(deposit.amountMicros) };
    throw new MarketError('earn_deposit_differs', {
      message: `This transfer is your deposit of ${registered.amount_usd} USDC into ${registered.key} already. Register it with these values, or send another transfer.`,
      data: registered,
    });
  }
  return deposit;
}

/** Refuses before anything is used up what the venue would refuse, and what would buy no share. */
export async function requireDepositable(context: EarnContext, setting: VaultSetting, amountMicros: bigint): Promise<VaultRow> {
  if (amountMicros < earnLimits.leastDepositMicros) throw new MarketError('earn_deposit_too_small');
  const { venues } = requireVenuePort(context, setting);
  const vault = await findVault(context.database.db, setting.key);
  if (vault === undefined) throw new MarketError('earn_venue_unavailable');
  const book = bookOf(vault);
  if (isFresh(book) && amountMicros < earnLimits.firstDepositMicros) throw new MarketError('earn_first_deposit_too_small');
  try {
    const reading = { ...(await context.readings.read(setting)), isStale: false, aprPct: null };
    const reason = findNotDepositableReason({ vault, venue: reading });
    if (reason !== null || reading.depositableAssets < amountMicros) throw closed(reason ?? 'full', reading.depositableAssets);
    const units = await venues.previewDeposit(setting.at, amountMicros);
    if (sharesFor(book, units) === 0n) throw new MarketError('earn_deposit_too_small');
  } catch (error) {
    if (error instanceof ChainUnavailable) throw new MarketError('earn_venue_unavailable', { retryAfterSeconds: 5, cause: error });
    if (error instanceof TransferRefused) throw new MarketError('earn_deposits_closed', { cause: error });
    throw error;
  }
  return vault;
}

function closed(reason: string, depositable: bigint): MarketError {
  const message =
    reason === 'full' && depositable > 0n
      ? `The venue takes at most ${formatUsd(depositable)} USDC now. Nothing was used up.`
      : 'This vault takes no deposits now. Nothing was used up.';
  return new MarketError('earn_deposits_closed', { message, data: { reason } });
}

async function presentEnd(context: EarnContext, call: Call, { id, network }: DepositRow): Promise<DepositAnswer> {
  const deposit = await findDeposit(context.database.db, id);
  if (deposit === undefined) throw new Error(`${id} is gone`);
  const data = await presentDeposit(context, deposit);
  if (deposit.status !== 'refunding' && deposit.status !== 'refunded') return data;
  const refusal = new MarketError('earn_deploy_failed', {
    message: `The venue did not take the deposit. ${formatUsd(deposit.amountMicros)} USDC goes back to ${deposit.payer} on ${networkFacts[network].label}.`,
    data: { deposit_id: id, status: deposit.status, refund: data.refund },
  });
  throw await call.keepRefusal(refusal);
}
