/** Registers a transfer as a deposit and follows it into the venue while the caller waits. The transfer is claimed last, when every check has passed. */
import { formatUsd, MarketError, networkFacts, operations, parseUsd } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { requireAgentBudget } from '../../agent-wallets/index.ts';
import { earnDeposit } from '../../ledger/index.ts';
import { followSteps, stepJob } from '../../outgoing/index.ts';
import {
  asPresenter,
  claimPayment,
  depositIdOf,
  findClaim,
  namesOfDeploys,
  type Presenter,
  paymentDetails,
  surplusOf,
  verifyPayment,
} from '../../payments/index.ts';
import { advanceDeposit } from '../advance-deposit.ts';
import { hasFoundTransfer } from '../agent-deposit-repository.ts';
import { type DepositRow, findDeposit, insertDeposit } from '../deposit-repository.ts';
import type { EarnContext, VenuePort } from '../earn-context.ts';
import { advancingDeposit } from '../earn-job-names.ts';
import { findUnbookedDeploy } from '../intent-repository.ts';
import { requireDepositable } from '../judge-deposit.ts';
import { refuseOtherDeploy } from '../lost-deposit.ts';
import { nameOfOwner, requireOwnerOf } from '../owners.ts';
import { composeDeposit, type DepositAnswer, presentDeposit } from '../present-movement.ts';
import { findVault, type Owner } from '../vault-repository.ts';
import { requireVenuePort } from '../vaults.ts';

/** The request itself deploys; a job takes over only when its process dies or the chain takes long. */
const TAKEOVER_SECONDS = 5;

export function registerDeposit(context: EarnContext): HandlersOf<'earn'>['deposit'] {
  return async ({ amount_usd, incoming_tx_hash: reference, key, venue, market, slippage_bps: slippageBps }, call) => {
    const vault = requireVenuePort(context, { key, venue, market });
    const owner = requireOwnerOf(call.caller);
    await requireAgentBudget(context, call, operations.earn.deposit, nameOfOwner(owner));
    const presenter = await asPresenter(context.database.db, call.caller, vault.network);
    const amountMicros = parseUsd(amount_usd) ?? 0n;
    const { id } = await takeDeposit(context, { owner, vault, reference, amountMicros, slippageBps, presenter }, call);
    await followSteps(call, { id, waitSeconds: context.waitSeconds }, () => advanceDeposit(context, id));
    const deposit = await requireDeposit(context, id);
    return { data: await presentEnd(context, call, deposit), surplus: await readSurplus(context, deposit) };
  };
}

export interface PresentedDeposit {
  readonly owner: Owner;
  readonly vault: VenuePort;
  readonly reference: string;
  readonly amountMicros: bigint;
  readonly slippageBps: number;
  readonly presenter: Presenter;
  /** Sent by the marketplace from the agent's wallet: registered in any case, and refunded if the venue refuses. */
  readonly isCommitted?: true;
}

type DepositCall = Pick<Call, 'commit'> & Partial<Pick<Call, 'gone'>>;

/** The same transfer of the same owner is the same deposit, even if two requests register it at once. */
export async function takeDeposit(context: EarnContext, presented: PresentedDeposit, call: DepositCall): Promise<DepositRow> {
  const { vault, reference: text } = presented;
  const reference = vault.chain.canonicalReference(text);
  if (reference === undefined) throw new MarketError('invalid_payment_reference');
  const id = depositIdOf(vault.chain.caip2, reference);
  try {
    const known = await findDeposit(context.database.db, id);
    if (known !== undefined) return requireSame(known, presented);
    await claimDeposit(context, id, { ...presented, reference }, call);
  } catch (error) {
    if (!(error instanceof MarketError) || error.code !== 'payment_already_used') throw error;
    const deposit = await findDeposit(context.database.db, id);
    if (deposit === undefined) throw error;
    return requireSame(deposit, presented);
  }
  return await requireDeposit(context, id);
}

async function claimDeposit(context: EarnContext, id: string, presented: PresentedDeposit, call: DepositCall): Promise<void> {
  const { owner, vault, reference, amountMicros, slippageBps, presenter, isCommitted = false } = presented;
  const { db } = context.database;
  const row = isCommitted ? await findVault(db, vault.key) : await requireDepositable(context, vault, amountMicros);
  if (row === undefined) throw new MarketError('earn_venue_unavailable');
  const names = namesOfDeploys(id).map((name) => vault.chain.intentKey(name));
  const lost = isCommitted ? undefined : await findUnbookedDeploy(db, names);
  if (lost !== undefined) await refuseOtherDeploy(context, vault, { id, amountMicros }, lost);
  const verify = (relayedByUs: boolean) =>
    verifyPayment(context, {
      ...{ network: vault.network, reference, purpose: 'earn_deposit', subjectId: id, expectedMicros: amountMicros },
      ...{ payers: presenter.wallets.map(({ address }) => address), presenter, payableSince: row.createdAt },
      ...(call.gone !== undefined && { gone: call.gone }),
      ...(relayedByUs && { relayedByUs }),
    });
  // Our sponsor sends transfers of agents' wallets, so they need `relayedByUs`, even if a restore lost them.
  const payment = await verify(isCommitted).catch(async (error: unknown) => {
    const isRefused = error instanceof MarketError && error.code === 'payment_already_used';
    if (isRefused && !isCommitted && (await isLostTransfer(context, presented))) return await verify(true);
    throw error;
  });
  // Another request registered this transfer while we asked the chain.
  if (payment.kind === 'repeated') throw new MarketError('payment_already_used');
  await call.commit(
    async (tx) => {
      await claimPayment(tx, context, payment, earnDeposit(vault.network, id));
      const { payer } = paymentDetails(payment);
      await insertDeposit(tx, owner, { id, vaultKey: vault.key, network: vault.network, reference, payer, amountMicros, slippageBps });
      await enqueueJobs(tx, [stepJob(advancingDeposit, id, new Date(context.clock.now().getTime() + TAKEOVER_SECONDS * 1000))]);
      reachCrashPoint('earn.before_claim_commit');
      const stored = await findDeposit(tx, id);
      if (stored === undefined) throw new Error(`${id} was not stored`);
      return { data: composeDeposit(context, stored), surplus: surplusOf(vault.network, paymentDetails(payment)) };
    },
    { provisional: true },
  );
  reachCrashPoint('earn.after_claim');
}

/** True if a restore lost this transfer: the agent's own wallet sent it, and no deposit of these books explains it. */
async function isLostTransfer({ database }: EarnContext, { vault, presenter, reference }: PresentedDeposit): Promise<boolean> {
  const wallets = presenter.wallets.filter(({ by }) => by === 'server_wallet').map(({ address }) => address);
  const { network, chain } = vault;
  return wallets.length > 0 && (await hasFoundTransfer(database.db, { network, reference, wallets, treasury: chain.treasury }));
}

/** Refuses a repeat with another owner, vault or amount. A transfer that the marketplace sent only needs the same owner. */
function requireSame(deposit: DepositRow, { owner, vault, amountMicros, isCommitted }: PresentedDeposit): DepositRow {
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

async function requireDeposit({ database }: EarnContext, id: string): Promise<DepositRow> {
  const deposit = await findDeposit(database.db, id);
  if (deposit === undefined) throw new Error(`${id} is gone`);
  return deposit;
}

async function presentEnd(context: EarnContext, call: Call, deposit: DepositRow): Promise<DepositAnswer> {
  const data = await presentDeposit(context, deposit);
  if (deposit.status !== 'refunding' && deposit.status !== 'refunded') return data;
  const { id, status, network, amountMicros, payer } = deposit;
  const refusal = new MarketError('earn_deploy_failed', {
    message: `The venue did not take the deposit. ${formatUsd(amountMicros)} USDC goes back to ${payer} on ${networkFacts[network].label}.`,
    data: { deposit_id: id, status, refund: data.refund },
  });
  throw await call.keepRefusal(refusal);
}

async function readSurplus({ database, chains }: EarnContext, { network, reference }: DepositRow) {
  const claim = await findClaim(database.db, { caip2: chains.get(network)?.caip2 ?? '', reference });
  return claim === undefined ? null : surplusOf(network, claim);
}
