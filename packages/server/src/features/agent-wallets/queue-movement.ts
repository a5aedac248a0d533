/** Stores the intent of a movement, its log entry and the job that advances it. */
import type { NetworkName, WalletActor } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import { nameIntent } from '../../platform/intent-name.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { newId } from '../../platform/random.ts';
import type { AgentRow } from '../agents/index.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';
import { insertLogEntry } from './log-repository.ts';
import { advanceMovementJob } from './movement-jobs.ts';
import {
  type BalanceMark,
  findMovement,
  insertMovement,
  lockWallets,
  type MovementRow,
  readWalletUse,
  type WalletUse,
} from './repository.ts';

/** Normally the request itself sends. The job takes over when the process dies or the chain is slow. */
const TAKEOVER_SECONDS = 5;

export interface PlannedMovement {
  readonly agent: AgentRow;
  readonly purpose: MovementRow['purpose'];
  readonly by: WalletActor;
  readonly network: NetworkName;
  readonly wallet: string;
  readonly destination: string;
  readonly asset: MovementRow['asset'];
  /** The owner says that no earlier transaction of the wallet is this movement. */
  readonly notSentBefore?: boolean | undefined;
  /** Mark that was read before the balance that `takeAmount` uses. */
  readonly mark: BalanceMark;
  /** Returns the amount to send, or throws if the balance is too small. The wallet is locked, and queued movements count as spent. */
  takeAmount(use: WalletUse): bigint;
  /** Purpose from which the id follows: after a restore the same purpose gives the same name on chain. Without one the id is random. */
  readonly subject?: string | undefined;
  /** Writes further rows in the transaction of the intent. Throws if a condition changed meanwhile. */
  store?(tx: Tx, movementId: string): Promise<void>;
}

export type QueuedMovement = Pick<MovementRow, 'id' | 'agentId' | 'purpose' | 'network' | 'wallet' | 'destination' | 'asset' | 'amount'>;

export async function queueMovement({ clock }: AgentWalletsContext, tx: Tx, plan: PlannedMovement): Promise<QueuedMovement> {
  const { agent, purpose, by, network, wallet, destination, asset } = plan;
  const agentId = agent.id;
  await lockWallets(tx, agentId);
  const amount = plan.takeAmount(await readWalletUse(tx, { agentId, network, asset }, plan.mark));
  const now = clock.now();
  const movement = { id: await nameMovement(tx, plan, now), agentId, purpose, network, wallet, destination, asset, amount };
  await insertMovement(tx, { ...movement, notSentBefore: plan.notSentBefore === true });
  await plan.store?.(tx, movement.id);
  await insertLogEntry(tx, { agentId, action: purpose, orderedBy: by, network, address: destination, movementId: movement.id });
  await enqueueJobs(tx, [advanceMovementJob(movement.id, new Date(now.getTime() + TAKEOVER_SECONDS * 1000))]);
  return movement;
}

/** The first free id of this subject. Earlier ones failed, or their Idempotency-Key was used again after a day. The wallets are locked. */
async function nameMovement(tx: Tx, { agent, purpose, subject }: PlannedMovement, now: Date): Promise<string> {
  if (subject === undefined) return newId('mov', now);
  for (let earlier = 0; ; earlier += 1) {
    const id = nameIntent('mov', `movement ${agent.id} ${purpose} ${subject} ${earlier}`);
    if ((await findMovement(tx, id)) === undefined) return id;
  }
}
