/** Orders work of a contract that the agent's EVM wallet pays for in the network's own coin: stores the intent, then follows it. */
import type { NetworkName, WalletActor } from '@market/contract';
import type { Call } from '../../access/call.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { newId } from '../../platform/random.ts';
import type { AgentRow } from '../agents/index.ts';
import type { CustodyContext } from './custody-context.ts';
import { insertLogEntry } from './log-repository.ts';
import { advanceMovementJob } from './movement-jobs.ts';
import { followMovement } from './order-movement.ts';
import { type BalanceMark, insertMovement, lockWallets, readBalanceMark, readWalletUse } from './repository.ts';

/** The request itself sends; a job takes over only when its process dies or the chain takes long. */
const TAKEOVER_SECONDS = 5;

interface FreeCoins {
  /** Less what is on its way out. */
  readonly free: bigint;
  readonly balance: bigint;
  readonly mark: BalanceMark;
}

/** Coins that no other movement has reserved. */
export async function readFreeCoins({ database }: CustodyContext, agent: AgentRow, chain: Chain, wallet: string): Promise<FreeCoins> {
  const mark = await readBalanceMark(database.db, agent.id);
  const { native: balance } = await chain.readBalances(wallet);
  const { reserved } = await readWalletUse(database.db, { agentId: agent.id, network: chain.network, asset: 'native' }, mark);
  return { free: balance - reserved, balance, mark };
}

interface OrderedWork<A> {
  readonly agent: AgentRow;
  readonly purpose: 'agent_registration';
  readonly by: WalletActor;
  readonly network: NetworkName;
  readonly wallet: string;
  readonly contract: string;
  /** The most it may cost. The log shows what was paid in the end. */
  readonly required: bigint;
  readonly coins: FreeCoins;
  /** Throws the error for too few coins, when another movement took them meanwhile. */
  refuseFunds(free: bigint): never;
  /** Writes what is to be done into the transaction of the intent, and refuses there what changed meanwhile. Returns the first answer. */
  store(tx: Tx, movementId: string): Promise<A>;
}

export async function orderWork<A>(context: CustodyContext, call: Call, work: OrderedWork<A>): Promise<void> {
  const { agent, purpose, by, network, wallet, contract, required, coins } = work;
  const id = newId('mov', context.clock.now());
  reachCrashPoint('registration.before_queue');
  await call.commit(
    async (tx) => {
      await lockWallets(tx, agent.id);
      const use = await readWalletUse(tx, { agentId: agent.id, network, asset: 'native' }, coins.mark);
      const free = coins.balance - use.reserved;
      if (free < required) work.refuseFunds(free);
      const movement = { id, agentId: agent.id, purpose, network, wallet, destination: contract } as const;
      await insertMovement(tx, { ...movement, asset: 'native', amount: required });
      const data = await work.store(tx, id);
      await insertLogEntry(tx, { agentId: agent.id, action: purpose, orderedBy: by, network, address: contract, movementId: id });
      await enqueueJobs(tx, [advanceMovementJob(id, new Date(context.clock.now().getTime() + TAKEOVER_SECONDS * 1000))]);
      reachCrashPoint('registration.before_queue_commit');
      return { data };
    },
    { provisional: true },
  );
  reachCrashPoint('registration.after_queue');
  await followMovement(context, call, id);
}
