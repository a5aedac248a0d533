/** Requests a contract call that the agent's EVM wallet pays for in the native coin: stores the intent, then follows it. */
import type { Call } from '../../access/call.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { AgentRow } from '../agents/index.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';
import { followMovement } from './follow-movement.ts';
import { type PlannedMovement, queueMovement } from './queue-movement.ts';
import { type BalanceMark, readBalanceMark, readWalletUse } from './repository.ts';

interface FreeCoins {
  /** Balance without the amounts of open movements. */
  readonly free: bigint;
  readonly balance: bigint;
  readonly mark: BalanceMark;
}

/** Coins that no other movement has reserved. */
export async function readFreeCoins({ database }: AgentWalletsContext, agent: AgentRow, chain: Chain, wallet: string): Promise<FreeCoins> {
  const mark = await readBalanceMark(database.db, agent.id);
  const { native: balance } = await chain.readBalances(wallet);
  const { reserved } = await readWalletUse(database.db, { agentId: agent.id, network: chain.network, asset: 'native' }, mark);
  return { free: balance - reserved, balance, mark };
}

interface RequestedCall<A> extends Pick<PlannedMovement, 'agent' | 'by' | 'network' | 'wallet'> {
  readonly purpose: 'agent_registration';
  readonly contract: string;
  /** Highest cost of the call. The log shows what was paid in the end. */
  readonly required: bigint;
  readonly coins: FreeCoins;
  /** Throws the error for too few coins. Called when another movement reserved them meanwhile. */
  refuseFunds(free: bigint): never;
  /** Writes the request in the transaction of the intent. Throws if a condition changed meanwhile. */
  store(tx: Tx, movementId: string): Promise<void>;
  /** The provisional answer, made from the stored rows. */
  present(tx: Tx): Promise<A>;
}

export async function requestContractCall<A>(context: AgentWalletsContext, call: Call, work: RequestedCall<A>): Promise<void> {
  const { contract, required, coins, ...plan } = work;
  let id = '';
  reachCrashPoint('registration.before_queue');
  await call.commit(
    async (tx) => {
      const movement = await queueMovement(context, tx, {
        ...plan,
        ...{ destination: contract, asset: 'native', mark: coins.mark, subject: contract },
        takeAmount({ reserved }) {
          const free = coins.balance - reserved;
          return free < required ? work.refuseFunds(free) : required;
        },
      });
      id = movement.id;
      const data = await work.present(tx);
      reachCrashPoint('registration.before_queue_commit');
      return { data };
    },
    { provisional: true },
  );
  reachCrashPoint('registration.after_queue');
  await followMovement(context, call, id, 'landed');
}
