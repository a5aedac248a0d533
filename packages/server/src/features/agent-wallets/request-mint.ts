/** Requests a mint that the agent's wallet pays for: checks the funds, stores the intent, then follows it for a few seconds. */
import { type AgentId, MarketError, type WalletActor } from '@market/contract';
import type { Call } from '../../access/call.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { AgentRow } from '../agents/index.ts';
import type { WalletRow } from '../wallet-keys/index.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';
import { followMovement } from './follow-movement.ts';
import type { MintCost } from './mint-costs.ts';
import type { MintPurpose } from './mint-movements.ts';
import { inSol, quoteMint } from './mint-plan.ts';
import { queueMovement } from './queue-movement.ts';
import { type BalanceMark, findMovement, readBalanceMark, readWalletUse } from './repository.ts';
import { requireWallet } from './wallet-keys.ts';

const NETWORK = 'solana-mainnet';

export interface MintFunds {
  readonly agent: AgentRow;
  readonly purpose: MintPurpose;
  readonly wallet: string;
  readonly terms: MintCost;
  readonly balance: bigint;
  readonly mark: BalanceMark;
}

/** The paying wallet. Throws unless its key opens. */
export async function requireMintWallet(context: AgentWalletsContext, agentId: AgentId): Promise<WalletRow> {
  if (!context.settings.enabled || !context.chains.has(NETWORK)) throw new MarketError('wallets_disabled');
  try {
    return await requireWallet(context, agentId, 'solana');
  } catch (error) {
    if (error instanceof MarketError && error.code === 'wallet_missing') throw new MarketError('wallets_disabled', { cause: error });
    throw error;
  }
}

/** Refuses with 402 if the wallet holds too little. An unreadable balance counts as too little. */
export async function requireMintFunds(
  context: AgentWalletsContext,
  agent: AgentRow,
  purpose: MintPurpose,
  wallet: string,
): Promise<MintFunds> {
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
  /** Confirmed by the network, but not final yet. */
  | { readonly state: 'landed'; readonly reference: string }
  | { readonly state: 'failed'; readonly reason: string }
  | { readonly state: 'pending' };

/** `store` writes the planned mint in the transaction of the intent, and throws if a condition changed meanwhile. */
export async function requestMint(
  context: AgentWalletsContext,
  call: Call,
  funds: MintFunds,
  plan: { readonly by: WalletActor; readonly mint: string; store(tx: Tx, movementId: string): Promise<void> },
): Promise<MintEnd> {
  const { agent, purpose, wallet, terms } = funds;
  reachCrashPoint('mint.before_queue');
  const movement = await context.database.transaction(async (tx) => {
    const queued = await queueMovement(context, tx, {
      ...{
        agent,
        purpose,
        wallet,
        by: plan.by,
        network: NETWORK,
        destination: plan.mint,
        asset: 'native',
        mark: funds.mark,
        subject: 'once',
      },
      takeAmount({ reserved }) {
        const free = funds.balance - reserved;
        if (free < terms.required) throw underfunded(purpose, wallet, terms, free);
        return terms.cost;
      },
      store: plan.store,
    });
    reachCrashPoint('mint.before_queue_commit');
    return queued;
  });
  reachCrashPoint('mint.after_queue');
  return await followMint(context, call, movement.id);
}

async function followMint(context: AgentWalletsContext, call: Call, id: string): Promise<MintEnd> {
  const { landed } = await followMovement(context, call, id, 'final');
  const movement = await findMovement(context.database.db, id);
  if (movement?.state === 'confirmed' && movement.reference !== null) return { state: 'made', reference: movement.reference };
  if (movement?.state === 'failed') return { state: 'failed', reason: movement.reason ?? 'The network refused it.' };
  return landed === undefined ? { state: 'pending' } : { state: 'landed', reference: landed };
}
