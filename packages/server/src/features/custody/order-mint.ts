/** Orders a mint that the agent's wallet pays for: checks the funds, stores the intent, then follows it for a few seconds. */
import { setTimeout as pause } from 'node:timers/promises';
import { type AgentId, MarketError, type WalletActor } from '@market/contract';
import type { Call } from '../../access/call.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { newId } from '../../platform/random.ts';
import type { AgentRow } from '../agents/index.ts';
import type { WalletRow } from '../wallets/index.ts';
import { advanceMovement } from './advance-movement.ts';
import type { CustodyContext } from './custody-context.ts';
import { insertLogEntry } from './log-repository.ts';
import type { MintCost } from './mint-costs.ts';
import type { MintPurpose } from './mint-movements.ts';
import { inSol, quoteMint } from './mint-plan.ts';
import { advanceMovementJob } from './movement-jobs.ts';
import { type BalanceMark, findMovement, insertMovement, lockWallets, readBalanceMark, readWalletUse } from './repository.ts';
import { requireWallet } from './wallet-keys.ts';

const NETWORK = 'solana-mainnet';
/** The request itself sends; a job takes over only when its process dies or the chain takes long. */
const TAKEOVER_SECONDS = 5;
const LOOK_MS = 200;

export interface MintFunds {
  readonly agent: AgentRow;
  readonly purpose: MintPurpose;
  readonly wallet: string;
  readonly terms: MintCost;
  readonly balance: bigint;
  readonly mark: BalanceMark;
}

/** The wallet that pays, with a key that opens. */
export async function requireMintWallet(context: CustodyContext, agentId: AgentId): Promise<WalletRow> {
  if (!context.custody.enabled || !context.chains.has(NETWORK)) throw new MarketError('wallets_disabled');
  try {
    return await requireWallet(context, agentId, 'solana');
  } catch (error) {
    if (error instanceof MarketError && error.code === 'wallet_missing') throw new MarketError('wallets_disabled', { cause: error });
    throw error;
  }
}

/** Refuses with 402 where the wallet holds too little. A balance that cannot be read counts as too little. */
export async function requireMintFunds(context: CustodyContext, agent: AgentRow, purpose: MintPurpose, wallet: string): Promise<MintFunds> {
  const { chains, walletChains, database, log } = context;
  const mark = await readBalanceMark(database.db, agent.id);
  const orUndefined = (error: unknown): undefined => {
    log.warn({ err: error, agent: agent.id }, 'the cost of a mint or the balance that pays for it could not be read');
    return undefined;
  };
  const costs = walletChains.solanaCosts;
  const [terms, balances] = await Promise.all([
    costs && quoteMint(context, costs, agent, purpose, wallet).catch(orUndefined),
    (chains.get(NETWORK) as Chain).readBalances(wallet).catch(orUndefined),
  ]);
  const use = await readWalletUse(database.db, { agentId: agent.id, network: NETWORK, asset: 'native' }, mark);
  const balance = balances === undefined ? undefined : balances.native - use.reserved;
  if (terms === undefined || balance === undefined || balance < terms.required) throw underfunded(purpose, wallet, terms, balance);
  return { agent, purpose, wallet, terms, balance: balances?.native ?? 0n, mark };
}

function underfunded(purpose: MintPurpose, wallet: string, terms: MintCost | undefined, balance: bigint | undefined): MarketError {
  const has = balance === undefined ? null : inSol(balance > 0n ? balance : 0n);
  const required = terms === undefined ? null : inSol(terms.required);
  const known = has === null || required === null ? 'The chain cannot be asked right now' : `It holds ${has} SOL and needs ${required}`;
  const amount = required === null ? 'SOL' : `at least ${has === null ? required : Number((required - has).toFixed(6))} SOL`;
  return new MarketError('agent_wallet_underfunded', {
    message: `The agent’s wallet holds too little SOL. ${known}. Nothing was charged.`,
    data: {
      action: purpose,
      required_sol: required,
      cost_sol: terms === undefined ? null : inSol(terms.cost),
      balance_sol: has,
      deposit_address: wallet,
      how_to_fund: `Send ${amount} on Solana to ${wallet}, then repeat this call. GET /api/agents/{id}/funding shows the live figures.`,
    },
  });
}

export type MintEnd =
  | { readonly state: 'made'; readonly reference: string }
  /** The network has confirmed it; it is not final yet. */
  | { readonly state: 'landed'; readonly reference: string }
  | { readonly state: 'failed'; readonly reason: string }
  | { readonly state: 'pending' };

/** `store` writes what is to be made into the transaction of the intent, and refuses there what changed meanwhile. */
export async function orderMint(
  context: CustodyContext,
  call: Call,
  funds: MintFunds,
  plan: { readonly by: WalletActor; readonly mint: string; store(tx: Tx, movementId: string): Promise<void> },
): Promise<MintEnd> {
  const { agent, purpose, wallet, terms } = funds;
  reachCrashPoint('mint.before_queue');
  const id = await context.database.transaction(async (tx) => {
    await lockWallets(tx, agent.id);
    const use = await readWalletUse(tx, { agentId: agent.id, network: NETWORK, asset: 'native' }, funds.mark);
    const free = funds.balance - use.reserved;
    if (free < terms.required) throw underfunded(purpose, wallet, terms, free);
    const now = context.clock.now();
    const movement = { id: newId('mov', now), agentId: agent.id, purpose, network: NETWORK, wallet, destination: plan.mint } as const;
    await insertMovement(tx, { ...movement, asset: 'native', amount: terms.cost });
    await plan.store(tx, movement.id);
    const entry = { agentId: agent.id, action: purpose, orderedBy: plan.by, network: NETWORK, address: plan.mint } as const;
    await insertLogEntry(tx, { ...entry, movementId: movement.id });
    await enqueueJobs(tx, [advanceMovementJob(movement.id, new Date(now.getTime() + TAKEOVER_SECONDS * 1000))]);
    reachCrashPoint('mint.before_queue_commit');
    return movement.id;
  });
  reachCrashPoint('mint.after_queue');
  return await follow(context, call, id);
}

/** Sends and looks until it is final, or the answer cannot wait longer. The stored intent is carried on either way. */
async function follow(context: CustodyContext, call: Call, id: string): Promise<MintEnd> {
  const giveUpAt = performance.now() + context.waitSeconds * 1000;
  let landed: string | undefined;
  try {
    for (;;) {
      const next = await advanceMovement(context, id);
      if (next.kind === 'done') break;
      landed = next.landed;
      if (next.seconds > 1 || performance.now() > giveUpAt || call.gone.aborted) break;
      await pause(next.seconds === 0 ? 0 : LOOK_MS);
    }
  } catch (error) {
    call.log.warn({ err: error, movement: id }, 'a mint could not be followed; its job carries on');
  }
  const movement = await findMovement(context.database.db, id);
  if (movement?.state === 'confirmed' && movement.reference !== null) return { state: 'made', reference: movement.reference };
  if (movement?.state === 'failed') return { state: 'failed', reason: movement.reason ?? 'The network refused it.' };
  return landed === undefined ? { state: 'pending' } : { state: 'landed', reference: landed };
}
